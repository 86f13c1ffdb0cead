//go:build (amd64 || arm64) && !purego

package asm

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/internal/require"
)

// lack returns the features that this CPU, or its operating system, lacks.
func (s Set) lack() (missing []string) {
	for _, name := range s.Features {
		if !cpuid.CPU.Supports(cpuid.ParseFeature(name)) {
			missing = append(missing, name)
		}
	}
	return missing
}

// each runs a test on each instruction set.
func each(t *testing.T, test func(*testing.T, Set)) {
	for _, s := range Sets {
		t.Run(s.Name, func(t *testing.T) {
			if missing := s.lack(); missing != nil {
				require.Skip(t, s.Name, "this CPU has no "+strings.Join(missing, ", "))
			}
			test(t, s)
		})
	}
}

// TestFeatureNames holds the names of the features against the package that will be asked for them.
func TestFeatureNames(t *testing.T) {
	for _, s := range Sets {
		for _, name := range s.Features {
			if id := cpuid.ParseFeature(name); id == cpuid.UNKNOWN || id.String() != name {
				t.Errorf("%s: cpuid knows no feature %q", s.Name, name)
			}
		}
	}
}

// Each field of a table has the function of its name, width and instruction set. Another set's
// gives the same results, so that only the name shows it.
func TestSets(t *testing.T) {
	for _, s := range Sets {
		shapes := map[string]reflect.Value{
			"512": reflect.ValueOf(s.W512), "256": reflect.ValueOf(s.W256),
			"Split": reflect.ValueOf(s.WSplit),
		}
		for width, functions := range shapes {
			for i := range functions.NumField() {
				// Nothing is deleted from a split block, it is no header, and its single keys are
				// no part of a set.
				operation := functions.Type().Field(i).Name
				has := operation != "AddBatch"
				if width == "Split" {
					has = slices.Contains([]string{"QueryBatch", "SelectBatch", "InsertBatch",
						"AddBatch", "Merge", "Fetch"}, operation)
				}
				if functions.Field(i).IsNil() == has {
					t.Errorf("%s: %s of %s: there is one %v, want %v", s.Name, operation,
						width, !has, has)
				}
				if !has {
					continue
				}
				got := runtime.FuncForPC(functions.Field(i).Pointer()).Name()
				want := "." + functions.Type().Field(i).Name + width + strings.ToUpper(s.Name)
				if !strings.HasSuffix(got, want) {
					t.Errorf("%s: %s, want %s", s.Name, got, want)
				}
			}
		}
	}
}
