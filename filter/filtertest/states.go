package filtertest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// What a filter says of itself is finite and in range, at the smallest shapes that the kind accepts
// and with the most bits per key: empty, while it fills up, when it is far beyond its plan, and
// after deletes. Files with the largest counters are among the forgeries.
func states(t *testing.T, s *subject) {
	var shapes []filter.Sizing
	for _, members := range []int{1, 2, 3, 100} {
		for bits := 1.0 / 64; bits <= 1<<12; bits *= 4 {
			shapes = append(shapes, filter.Sizing{Members: members, BitsPerKey: bits})
		}
		for _, rate := range []float64{1 - 0x1p-53, 0.5, 1e-4} {
			shapes = append(shapes, filter.Sizing{Members: members, Rate: rate})
		}
	}
	shapes = append(shapes, filter.Sizing{Members: 1, BitsPerKey: 1 << 20},
		filter.Sizing{Members: short(1 << 14), BitsPerKey: 8})
	finiteResult(t, "a sample", s.sample(t), "Health") // predicts, which takes longer than a scan
	accepted := 0
	for _, sizing := range shapes {
		sizing.Key = s.key
		f, err := s.New(sizing)
		if err != nil {
			continue
		}
		accepted++
		s.fillAndEmpty(t, fmt.Sprintf("%d members of %g bits or a rate of %g", sizing.Members,
			sizing.BitsPerKey, sizing.Rate), f, sizing.Members)
	}
	if accepted < 8 {
		t.Errorf("the kind accepts %d of %d shapes", accepted, len(shapes))
	}
}

// fillAndEmpty checks the numbers of a filter through a life: see [states].
func (s *subject) fillAndEmpty(t *testing.T, name string, f filter.Stored, planned int) {
	finite(t, name+", empty", f)
	set, ok := f.(filter.Set)
	if !ok {
		return
	}
	rng := rand.New(rand.NewPCG(101, 102))
	var in []uint64
	for next := 1; len(in) < 20*planned && len(in) < planned+1000; {
		hash := rng.Uint64()
		if _, err := set.InsertHash(hash); err != nil {
			if !errors.Is(err, filter.ErrFull) {
				t.Errorf("%s: insert %d: %v, want an error that wraps ErrFull", name, len(in), err)
			}
			break
		}
		if in = append(in, hash); len(in) == next {
			finite(t, fmt.Sprintf("%s, after %d inserts", name, next), f)
			next *= 4
		}
	}
	for range 100 { // one that comes again and again
		_, _ = set.InsertHash(42)
	}
	finite(t, name+", full", f)
	if deleter, ok := f.(filter.Deleter); ok {
		deleter.DeleteHash(in[0])
		finite(t, name+", after a delete", f)
		deleter.DeleteHashBatch(in[1:], nil)
		finite(t, name+", after all deletes", f)
	}
	if resetter, ok := f.(filter.Resetter); ok {
		resetter.Reset()
		finite(t, name+", after a reset", f)
	}
}

// finite fails the test unless the numbers of a filter's State are in range, and those of its
// Stats are finite.
func finite(t *testing.T, name string, f filter.Querier) {
	t.Helper()
	s := f.State()
	if share := func(x float64) bool { return x >= 0 && x <= 1 }; !share(s.Fill) || // NaN is none
		!share(s.Rate) {
		t.Errorf("%s: a fill of %g and a rate of %g, expected 0 to 1", name, s.Fill, s.Rate)
	}
	if s.Bytes < 1 || !(s.Members >= 0 && s.Members <= 0x1p64) || !(s.Most >= 0 &&
		s.Most <= 0x1p64) {
		t.Errorf("%s: %+v, expected numbers from 0 to 2^64", name, s)
	}
	finiteResult(t, name, f, "Stats")
}

// finiteResult fails the test if a method without arguments returns numbers that are not finite.
func finiteResult(t *testing.T, name string, f filter.Querier, method string) {
	t.Helper()
	if m := reflect.ValueOf(f).MethodByName(method); m.IsValid() && m.Type().NumIn() == 0 {
		if wrong := infinite(m.Call(nil)[0]); wrong != "" {
			t.Errorf("%s: %s: %s, expected finite numbers", name, method, wrong)
		}
	}
}

// infinite returns the name and the value of a number in v that is not finite, or "".
func infinite(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if wrong := infinite(v.Field(i)); wrong != "" {
				return v.Type().Field(i).Name + " is " + wrong
			}
		}
	}
	return ""
}

// An insert adds to the fill at most what ScanFill says. The fill of different keys is near that of
// State.
func scans(t *testing.T, s *subject) {
	const members = 200
	for name, sizing := range map[string]filter.Sizing{
		"room for all": s.roomy(members), "tight": s.tight(t, members),
	} {
		f, isScanner := s.empty(t, sizing).(filter.Scanner)
		if !isScanner {
			t.Fatal("inserts, and no ScanFill: see filter.Scanner")
		}
		rng, fill := rand.New(rand.NewPCG(103, 104)), 0.0
		for i := range members * 9 / 10 {
			if _, err := f.InsertHash(rng.Uint64()); err != nil {
				break // as full as it may be
			}
			after, most, err := f.ScanFill()
			if rise := after - fill; err != nil || after > 1 || !(rise <= most*(1+1e-9)) ||
				i == 0 && after <= 0 {
				t.Fatalf("%s: insert %d adds %g to a fill of %g, want at most %g (%v)", name, i,
					rise, fill, most, err)
			}
			fill = after
		}
		if said := f.State().Fill; math.Abs(fill-said) > 0.1*said+0.02 {
			t.Errorf("%s: a fill of %g, by the state %g", name, fill, said)
		}
	}
}
