package filtertest

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// refusesKey is the law of kinds whose files show hashes: they refuse keys of functions whose
// hashes may not be seen.
func refusesKey(t *testing.T, s *subject) {
	_, err := s.New(s.roomySample())
	var e *filter.SizingError
	if !errors.As(err, &e) || e.Field != "Key" {
		t.Errorf("a new filter: %v", err)
	}
	usual := &subject{kind: s.kind, maker: s.maker, key: fixed}
	c, err := usual.sample(t).Contents()
	if err != nil {
		t.Fatal(err)
	}
	c.Key = s.key.Identity()
	for name, k := range map[string]key.Key{"the key": s.key, "no key": key.Unknown()} {
		var e *file.Error
		if _, err := s.kind.Decode(c, k); !errors.Is(err, file.ErrWrongKey) || !errors.As(err,
			&e) || !strings.Contains(e.Found, c.Key.String()) {
			t.Errorf("a file of such a filter, with %s: %v", name, err)
		}
	}
}
