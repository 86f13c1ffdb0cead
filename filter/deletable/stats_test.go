package deletable

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"
)

func TestStats(t *testing.T) {
	f := newFilter(t, 64, 16)
	if got, want := f.Stats(), (Stats{
		Planned: 64, Blocks: 2, Bytes: 128, Regions: 128, PlannedRate: Shape{2}.Rate(64),
	}); got != want {
		t.Errorf("empty: %+v, want %+v", got, want)
	}
	f.InsertHash(0x0123456789abcdef) // the worked example of DESIGN.md: seven different columns
	f.InsertHash(0xfedcba9876543210) // in the other block
	f.InsertHash(0xfedcba9876543210) // again, so that its columns collide
	one := math.Pow(1.0/64, 7)
	if got, want := f.Stats(), (Stats{
		Planned: 64, Members: 3, Inserts: 3, Blocks: 2, Bytes: 128, Regions: 128,
		Ones: 14, Collided: distinctColumns(0xfedcba9876543210), Fill: 14.0 / 896,
		Rate: one, PlannedRate: Shape{2}.Rate(64),
	}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	f.DeleteHash(0x0123456789abcdef)
	f.DeleteHash(0xfedcba9876543210)
	if got := f.Stats(); got.Members != 1 || got.Deleted != 1 || got.Retained != 1 ||
		got.Ones != 7 || got.Rate != one/2 {
		t.Errorf("after deletes: %+v", got)
	}
}

// Deletes of keys that are not present are counted, one at a time and in batches, until the filter
// is reset or replaced. They are no part of its file.
func TestAbsentDeletes(t *testing.T) {
	f := newFilter(t, 1000, 16)
	f.InsertUint64(1)
	empty := must(f.MarshalBinary())
	f.DeleteUint64(1)
	for _, batch := range [][]uint64{{1}, {2, 3, 4}, make([]uint64, 3*chunk)} {
		f.DeleteUint64Batch(batch, nil)
	}
	f.DeleteUint64(5)
	if s, h := f.Stats(), f.Health(); s.Absent != 5+3*chunk || h.Absent != s.Absent ||
		s.Deleted != 1 {
		t.Errorf("%+v and %+v, want %d absent deletes", s, h, 5+3*chunk)
	}
	if g := must(Read(bytes.NewReader(must(f.MarshalBinary())), fixed)); g.Stats().Absent != 0 {
		t.Errorf("a file has %d of them", g.Stats().Absent)
	}
	for name, renew := range map[string]func() error{
		"Reset":           func() error { f.Reset(); return nil },
		"UnmarshalBinary": func() error { return f.UnmarshalBinary(empty) },
		"ReadFrom": func() error {
			_, err := f.ReadFrom(bytes.NewReader(empty))
			return err
		},
	} {
		f.DeleteUint64(7)
		if err := renew(); err != nil || f.Stats().Absent != 0 {
			t.Errorf("after %s (%v) there are %d", name, err, f.Stats().Absent)
		}
	}
}

// distinctColumns returns in how many regions the seven positions of a hash lie.
func distinctColumns(hash uint64) int {
	columns := map[uint64]bool{}
	for lane := 1; lane <= 7; lane++ {
		columns[hash*0x9E3779B97F4A7C15>>(64-6*lane)&63] = true
	}
	return len(columns)
}

// Every number has a name in JSON, in lower case; Due is an error, and has none.
func TestNamesInJSON(t *testing.T) {
	text, err := json.Marshal(Health{Due: errors.New("due")})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"planned":0,"members":0,"inserts":0,"deleted":0,"retained":0,"absent":0,"blocks":0,` +
		`"bytes":0,"ones":0,"regions":0,"collided":0,"fill":0,"rate":0,"turnovers":0,` +
		`"planned_turnovers":0,"planned_reinserts":0,"planned_rate":0,"deletability":0,` +
		`"turnovers_left":0}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
