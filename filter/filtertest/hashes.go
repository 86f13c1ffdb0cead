package filtertest

import (
	"errors"
	"io"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// ofProcess is the law of filters under a hash of the process: they work as others do, and have no
// file.
func ofProcess(t *testing.T, s *subject) {
	k := key.Process.New()
	sizing := s.roomySample()
	sizing.Key = k
	f := s.sampleOf(t, sizing)
	if !f.Key().Equal(k) {
		t.Errorf("the key is %v, want %v", f.Key(), k)
	}
	type querier interface{ QueryUint64(uint64) bool }
	for _, n := range sampleKeys() {
		if f.QueryHash(k.HashUint64(n)) != f.(querier).QueryUint64(n) {
			t.Errorf("key %d has another answer than its hash", n)
		}
	}
	_, err1 := f.(written).WriteTo(io.Discard)
	_, err2 := f.(written).MarshalBinary()
	b, err3 := f.(written).AppendBinary([]byte("before"))
	if string(b) != "before" {
		t.Errorf("AppendBinary wrote %d bytes", len(b))
	}
	for name, err := range map[string]error{
		"WriteTo": err1, "MarshalBinary": err2, "AppendBinary": err3,
		"Save": f.Save(t.TempDir() + "/f.blm"),
	} {
		var e *file.Error
		if !errors.As(err, &e) || !errors.Is(err, key.ErrProcess) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := f.Contents()
	if err != nil {
		t.Fatal(err)
	}
	if g, err := s.kind.Decode(c, k); err != nil || !g.Key().Equal(k) {
		t.Errorf("contents in the process: error %v", err)
	}
	if _, err := s.kind.Decode(c, key.Process.New()); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("contents, with another key: %v", err)
	}
	if s.merge == nil {
		return
	}
	if err := s.merge(f, s.sampleOf(t, sizing)); err != nil {
		t.Errorf("a merge in the process: %v", err)
	}
	sizing.Key = key.Process.New()
	if err := s.merge(f, s.sampleOf(t, sizing)); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("a merge of another key: %v", err)
	}
}

// refusesKey is the law of kinds whose files show hashes: they refuse keys of other functions than
// HighwayHash-64.
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
		if _, err := s.kind.Decode(c, k); !errors.Is(err, file.ErrWrongKey) {
			t.Errorf("a file of such a filter, with %s: %v", name, err)
		}
	}
}
