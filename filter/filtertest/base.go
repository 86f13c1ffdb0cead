package filtertest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
)

// whole says of a filter on the base of package base: a file with a number below its least value
// or above its highest is refused by the name of the number, one with two numbers swapped is
// refused or works, and the table has nothing that its numbers and words do not say. A clone equals
// its filter, has memory of its own, and is no longer equal once a number or a word differs.
func whole(t *testing.T, s *subject) {
	f := s.sample(t)
	good := content(t, f)
	forge := func(change func(c *file.Contents)) []byte {
		c := must(file.Read(bytes.NewReader(good)))
		change(c)
		return must(c.Append(nil))
	}
	all := slices.DeleteFunc(base.NumbersOf(f), func(n base.Number) bool { return !n.Stored() })
	for i, n := range all {
		for _, wrong := range []uint64{n.Low - 1, n.High + 1} {
			if wrong == math.MaxUint64 || wrong == 0 && n.High == math.MaxUint64 {
				continue // there is none
			}
			forged := forge(func(c *file.Contents) { c.Set(n.Name, wrong) })
			_, err := s.kind.Decode(must(file.Read(bytes.NewReader(forged))), s.key)
			if !errors.Is(err, file.ErrBounds) || !strings.Contains(fmt.Sprint(err), n.Name) {
				t.Errorf("%s = %d: %v", n.Name, wrong, err)
			}
		}
		for _, m := range all[:i] {
			s.survives(t, fmt.Sprintf("%s and %s swapped", n.Name, m.Name),
				forge(func(c *file.Contents) {
					c.Set(n.Name, *m.Value)
					c.Set(m.Name, *n.Value)
				}))
		}
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	slices.Sort(names)
	if c := must(f.Contents()); len(c.Attributes) != len(slices.Compact(names)) {
		t.Errorf("attributes %v of numbers %v", c.Attributes, names)
	}
	for name, g := range map[string]filter.Stored{"": f, "from a file, ": s.decode(t, good)} {
		if err := base.CheckWhole(g); err != nil {
			t.Errorf("%s%v", name, err)
		}
	}
	clone := invoke(f, "Clone").Interface().(filter.Stored)
	same(t, "a clone", clone, f)
	equal := func() bool { return invoke(f, "Equal", reflect.ValueOf(clone)).Bool() }
	if !equal() || !clone.Key().Equal(s.key) {
		t.Errorf("a clone differs, or has the key %v", clone.Key())
	}
	for _, n := range base.NumbersOf(clone) {
		if *n.Value ^= 1; equal() {
			t.Errorf("equal with another number %s", n.Name)
		}
		*n.Value ^= 1
	}
	once := must(clone.Contents()).Sections
	for i, section := range must(clone.Contents()).Sections {
		if &once[i].Words[0] != &section.Words[0] {
			continue // a copy, packed for files
		}
		if section.Words[0] ^= 1; equal() {
			t.Errorf("equal with other %s", section.Name)
		}
		section.Words[0] ^= 1
	}
	if live(clone); equal() || !bytes.Equal(content(t, f), good) {
		t.Error("what is done to a clone is done to its filter")
	}
}

// invoke calls a method that filters have, but no interface.
func invoke(f filter.Stored, name string, args ...reflect.Value) reflect.Value {
	return reflect.ValueOf(f).MethodByName(name).Call(args)[0]
}
