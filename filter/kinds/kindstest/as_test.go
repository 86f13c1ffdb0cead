package kindstest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/saturation"
)

// The wrappers have the same methods under the same names, but for what one of them is for: an
// audit sees deletes and resets too, because it keeps a list of members.
func TestWrappersAreAlike(t *testing.T) {
	methods := func(of reflect.Type) map[string]bool {
		names := map[string]bool{}
		for i := range of.NumMethod() {
			names[of.Method(i).Name] = true
		}
		return names
	}
	audits, limits := methods(reflect.TypeFor[*audit.Filter]()),
		methods(reflect.TypeFor[*saturation.Filter]())
	for name := range limits {
		if !audits[name] {
			t.Errorf("saturation.Filter has %s, and audit.Filter does not", name)
		}
	}
	for name := range audits {
		own := strings.HasPrefix(name, "Delete") || name == "Reset" ||
			name == "Check" || name == "Seed" || name == "Stats" || name == "With"
		if limits[name] == own {
			t.Errorf("audit.Filter has %s, and saturation.Filter has it too: %v", name, own)
		}
	}
}

// What was never made, and what is closed, is the same with either wrapper.
func TestWrappersWithoutAFilter(t *testing.T) {
	limit := saturation.Config{Fill: 0.5}
	closed, err := plain.New(plain.Config{Members: 10, BitsPerKey: 10})
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	_, auditNil := audit.New(nil, audit.Config{})
	_, limitNil := saturation.New(nil, limit)
	_, limitClosed := saturation.New(closed, limit)
	want := ": filter: closed, or never made: expected an open filter"
	for name, err := range map[string]error{
		"audit": auditNil, "saturation": limitNil, "saturation of a closed filter": limitClosed,
	} {
		if prefix, _, _ := strings.Cut(name, " "); !errors.Is(err, filter.ErrClosed) ||
			err.Error() != prefix+want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]filter.StoredSet{
		"audited": new(audit.Filter), "saturated": new(saturation.Filter),
	} {
		if text := fmt.Sprint(f); !f.Closed() || text != name+" filter, closed" ||
			f.State() != (filter.State{}) || !errors.Is(f.Close(), filter.ErrClosed) {
			t.Errorf("%s: %s, %+v", name, text, f.State())
		}
	}
}
