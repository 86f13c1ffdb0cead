package filtertest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Typed is the type F of a filter in its own package.
type Typed[F any] interface {
	filter.Stored
	Clone() F
	Equal(F) bool
	String() string
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

// Readers are the functions of a kind's package that read a file and return its own type.
type Readers[F any] struct {
	Open, Load func(path string, k key.Key) (F, error)
	Read       func(r io.Reader, k key.Key) (F, error)
}

// Files fails the test unless f can be written to a file, to a stream and to bytes, and read back
// as an equal filter that works, also without its key, and its clone is equal too. other is a
// filter with the key of f; Files overwrites it with f.
func Files[F Typed[F]](t *testing.T, f, other F, readers Readers[F]) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "filter")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	content := must(f.MarshalBinary())
	if err := other.UnmarshalBinary(content); err != nil {
		t.Fatal(err)
	}
	ways := map[string]F{
		"opened": must(readers.Open(path, f.Key())), "loaded": must(readers.Load(path, f.Key())),
		"read":                 must(readers.Read(bytes.NewReader(content), f.Key())),
		"read without its key": must(readers.Read(bytes.NewReader(content), key.Unknown())),
		"opened without it":    must(readers.Open(path, key.Unknown())),
		"loaded without it":    must(readers.Load(path, key.Unknown())),
		"unmarshaled":          other,
	}
	for name, g := range ways {
		if !g.Equal(f) || g.State() != f.State() || g.String() != f.String() {
			t.Errorf("%s: %v, want %v", name, g, f)
		}
		next := f.Clone()
		if set, ok := any(g).(filter.Set); ok {
			for hash := range uint64(10) {
				present, err := set.InsertHash(hash << 60)
				want, wantErr := any(next).(filter.Set).InsertHash(hash << 60)
				if present != want || !errors.Is(err, wantErr) {
					t.Errorf("%s: insert %d: %v (%v), want %v (%v)", name, hash, present, err,
						want, wantErr)
				}
			}
		}
		if !g.Equal(next) {
			t.Errorf("%s: it goes on otherwise", name)
		}
	}
	if saved, err := os.ReadFile(path); err != nil || !bytes.Equal(saved, content) {
		t.Errorf("inserts into the opened filter went into its file (%v)", err)
	}
	for name, k := range map[string]key.Key{"another key": key.New(), "no key": {}} {
		_, opened := readers.Open(path, k)
		_, loaded := readers.Load(path, k)
		_, read := readers.Read(bytes.NewReader(content), k)
		if !errors.Is(read, file.ErrWrongKey) {
			t.Errorf("%s: %v", name, read)
		}
		for op, err := range map[string]error{"open": opened, "load": loaded} {
			var e *file.Error
			if !errors.Is(err, file.ErrWrongKey) || !errors.As(err, &e) || e.Op != op ||
				e.Path != path {
				t.Errorf("%s, %s: %v", name, op, err)
			}
		}
	}
}
