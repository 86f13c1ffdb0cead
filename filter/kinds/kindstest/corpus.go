package kindstest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var update = flag.Bool("update", false, "write the files of the corpus that are missing")

// corpus are filters of a kind under a fixed key: empty, part full, and after a history. The last
// is of keys under SipHash-1-3.
func (suite Suite) corpus(t *testing.T, kind base.Kind) map[string]filter.Stored {
	t.Helper()
	k, sip := keytest.Key(7, 7), keytest.Sip(7, 7)
	filters := map[string]filter.Stored{}
	for n, s := range []filter.Sizing{
		{Members: 1, BitsPerKey: 200, Key: k}, {Members: 90, BitsPerKey: 19, Key: k},
		{Members: 100, BitsPerKey: 16, Key: k},
		{Members: 70, Rate: 0.01, Turnovers: 3, Key: k}, {Members: 80, BitsPerKey: 18, Key: sip},
	} {
		rng := rand.New(rand.NewPCG(11, uint64(n)))
		hashes := workload.Hashes(rng, s.Members)
		if s.Key.Equal(sip) {
			if kind.ShowsHashes {
				continue
			}
			for i := range hashes {
				hashes[i] = sip.HashUint64(uint64(i))
			}
		}
		name := fmt.Sprintf("%s-%d.blm", kind.Name, n)
		if kind.From != "" {
			if s.BitsPerKey == 0 {
				continue
			}
			f, err := suite.Makers[kind.Name](s, hashes)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			filters[name] = f
			continue
		}
		f, err := kind.New(s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		filters[name] = f
		if n == 0 {
			continue
		}
		if _, err := f.InsertHashBatch(hashes[:s.Members/2], nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n == 1 || s.Key.Equal(sip) {
			continue
		}
		deleter, deletes := f.(filter.Deleter)
		counter, counts := f.(filter.Counter)
		for i := range 3 * s.Members {
			come, slot := rng.Uint64(), i%(s.Members/2)
			if deletes {
				deleter.DeleteHash(hashes[slot])
			}
			if _, err := f.InsertHash(come); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			hashes[slot] = come
			if counts && i%20 == 0 {
				if err := counter.AddHash(come, uint64(i)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
	return filters
}

// Corpus tests that the committed files of all kinds, in testdata/corpus, are read, and that the
// same calls and a read filter write each of them, byte for byte. A file in it is never changed: it
// stands for those that programs have. With the flag -update those that are missing are written.
func (suite Suite) Corpus(t *testing.T) {
	n := 0
	for _, kind := range suite.Kinds {
		for name, f := range suite.corpus(t, kind) {
			n++
			path := filepath.Join("testdata", "corpus", name)
			got, err := contentOf(f)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err != nil && *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the same calls make another file", name)
			}
			read, _, err := suite.Kinds.Open(path, f.Key())
			if err != nil {
				t.Fatal(err)
			}
			if again, err := contentOf(read); err != nil || !bytes.Equal(again, want) {
				t.Errorf("%s: it is written otherwise than it was read: %v", name, err)
			}
			if got, want := read.State(), f.State(); got != want {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
			// a small file of version 3, if there is one
			before, _, err := suite.Kinds.Open(filepath.Join("testdata", "corpus-3", name), f.Key())
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if again, err := contentOf(before); err != nil || !bytes.Equal(again, want) {
				t.Errorf("%s: the file of version 3 is written otherwise: %v", name, err)
			}
		}
	}
	if files, err := os.ReadDir(filepath.Join("testdata", "corpus")); err != nil ||
		len(files) != n {
		t.Errorf("%d files, want %d (%v)", len(files), n, err)
	}
}

// FuzzDecode fuzzes the decoders of all kinds, from the files of the corpus: see [filtertest.Fuzz].
func (suite Suite) FuzzDecode(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.blm"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no corpus (%v)", err)
	}
	var seeds [][]byte
	for _, path := range paths {
		seed, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		seeds = append(seeds, seed)
	}
	filtertest.Fuzz(f, suite.Kinds, seeds...)
}

func contentOf(f filter.Stored) ([]byte, error) {
	c, err := f.Contents()
	if err != nil {
		return nil, err
	}
	return c.Append(nil)
}
