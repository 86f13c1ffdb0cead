package filtertest

import (
	"reflect"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// New returns a function for the tests of a kind: it makes a filter of a config, whose field Key it
// sets to [keytest.Fixed]. make is the kind's New.
func New[C, F any](make func(C) (F, error)) func(testing.TB, C) F {
	return func(t testing.TB, config C) F {
		t.Helper()
		reflect.ValueOf(&config).Elem().FieldByName("Key").Set(reflect.ValueOf(keytest.Fixed))
		f, err := make(config)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
}
