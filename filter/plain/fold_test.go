package plain

import (
	"errors"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

func TestFoldRefuses(t *testing.T) {
	for name, config := range map[string]Config{
		"an odd number of bits": {Members: 3, BitsPerKey: 11},
		"three blocks":          {Members: 96, BitsPerKey: 16, Blocked: true},
		"one block":             {Members: 32, BitsPerKey: 16, Blocked: true},
	} {
		f, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Fold(); !errors.Is(err, filter.ErrOddSize) {
			t.Errorf("%s (%v): %v", name, f, err)
		}
	}
}
