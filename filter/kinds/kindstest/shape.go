package kindstest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// Shape is what the sizes of all kinds have.
type Shape interface {
	Rate(n int) float64
	Bytes() int
	String() string
}

// Plan returns the size of the filter of a kind that has a sizing, before one is made.
type Plan func(filter.Sizing) (Shape, error)

// PlanOf returns the plan of a kind: it sets the fields of a Sizing in a Config, and calls its
// method Shape.
func PlanOf[C any, S Shape](config C, shape func(*C) (S, error)) Plan {
	return func(s filter.Sizing) (Shape, error) {
		c := config
		from, to := reflect.ValueOf(s), reflect.ValueOf(&c).Elem()
		for i := range from.NumField() {
			if field := to.FieldByName(from.Type().Field(i).Name); field.IsValid() {
				field.Set(from.Field(i))
			}
		}
		return shape(&c)
	}
}

// Shapes tests that a plan has the size of the filter that is made of it, that this is the memory
// that the filter takes, and that its rate is the planned one and that of the State.
func (suite Suite) Shapes(t *testing.T, plans map[string]Plan) {
	const members = 3000
	rng := rand.New(rand.NewPCG(7, 9))
	hashes := workload.Hashes(rng, members)
	for _, kind := range suite.Kinds {
		if kind.From != "" {
			continue
		}
		plan := plans[kind.Name]
		if plan == nil {
			t.Errorf("%s has no plan", kind.Name)
			continue
		}
		var wrong *filter.SizingError
		if size, err := plan(filter.Sizing{Members: -1}); !errors.As(err, &wrong) ||
			!reflect.ValueOf(size).IsZero() {
			t.Errorf("%s: an impossible plan is %v (%v)", kind.Name, size, err)
		}
		for _, s := range []filter.Sizing{
			{Members: members, BitsPerKey: 24}, {Members: members, Rate: 0.01},
		} {
			s.Key = keytest.Key(9)
			f, err := kind.New(s)
			if err != nil {
				t.Fatal(err)
			}
			size, err := plan(s)
			made := reflect.ValueOf(f).MethodByName("Shape").Call(nil)[0].Interface()
			if err != nil || !reflect.DeepEqual(size, made) {
				t.Errorf("%s: planned %+v, made %+v (%v)", kind.Name, size, made, err)
			}
			_, grows := filter.As[filter.Grower](f) // its lists come on top
			if bytes := f.State().Bytes; size.Bytes() != bytes && !(grows && size.Bytes() < bytes) {
				t.Errorf("%s: %v says %d bytes, the State %d", kind.Name, size, size.Bytes(), bytes)
			}
			if text := fmt.Sprint(f); !strings.Contains(text, size.String()) {
				t.Errorf("%s: %q is not in %q", kind.Name, size, text)
			}
			planned := size.Rate(members)
			end := planned
			if kind.Promises.Has(base.Forgets) {
				end = size.Rate(1 << 30)
			}
			if size.Rate(0) != 0 || s.Rate > 0 && !(end > s.Rate/4 && end <= s.Rate) {
				t.Errorf("%s: %v has a rate of %g, planned for %g, and %g without members",
					kind.Name, size, end, s.Rate, size.Rate(0))
			}
			if most := size.Rate(math.MaxInt); !(most >= planned && most <= 1) { // NaN fails it too
				t.Errorf("%s: %v has a rate of %g at most", kind.Name, size, most)
			}
			if _, err := f.InsertHashBatch(hashes, nil); err != nil {
				t.Fatal(err)
			}
			within := 0.02
			if f.State().Scanned {
				within = 0.3
			}
			if rate := f.State().Rate; rate < planned*(1-within) || rate > planned*(1+within) {
				t.Errorf("%s: %v has a rate of %g, and the State %+v", kind.Name, size, planned,
					f.State())
			}
		}
	}
}
