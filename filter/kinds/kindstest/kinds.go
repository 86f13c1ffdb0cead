package kindstest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/require"
)

// Open tests that a file has its kind, so that a program need not know what it opens.
func (suite Suite) Open(t *testing.T) {
	for _, kind := range suite.Kinds {
		if got, found := suite.Kinds.Of(kind.Name); !found || got.Name != kind.Name {
			t.Errorf("%s: found %v, %s", kind.Name, found, got.Name)
		}
		k := key.New()
		f, err := suite.made(kind, filter.Sizing{Members: 100, BitsPerKey: 16, Key: k})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "f.blm")
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		for _, verify := range []file.Verify{file.VerifyNow, file.VerifyLater, file.VerifyNever} {
			c, err := file.Open(path, verify)
			if err != nil {
				t.Fatal(err)
			}
			g, found, err := suite.Kinds.Decode(c, k)
			if err != nil || found.Name != kind.Name || !g.Key().Equal(k) {
				t.Errorf("%s: opened as %s: %v", kind.Name, found.Name, err)
			}
		}
		g, found, err := suite.Kinds.Open(path, key.Unknown())
		if err != nil || found.Name != kind.Name || !g.Key().IsZero() {
			t.Errorf("%s: opened without its key as %s: %v", kind.Name, found.Name, err)
		}
		var e *file.Error
		g, _, err = suite.Kinds.Open(path, key.New())
		if g != nil || !errors.Is(err, file.ErrWrongKey) || !errors.As(err, &e) || e.Path != path {
			t.Errorf("%s: opened with another key: %v", kind.Name, err)
		}
	}
}

// ExtremeRates tests that a rate that no filter of hashes can have is an error, and that the
// smallest possible rate does not need a huge table.
func (suite Suite) ExtremeRates(t *testing.T) {
	require.Once(t)
	for _, kind := range suite.Kinds {
		if kind.From != "" {
			continue
		}
		for _, members := range []int{1, 1000} {
			least := filter.MinRate(members)
			for _, rate := range []float64{1e-300, least / 2} {
				var e *filter.SizingError
				if _, err := kind.New(filter.Sizing{Members: members, Rate: rate}); !errors.As(err,
					&e) || e.Field != "Rate" || e.Found != rate {
					t.Errorf("%s: a rate of %g for %d members: %v", kind.Name, rate, members, err)
				}
			}
			// No filter keeps a rate with fewer bits than the logarithm of the rate.
			for _, rate := range []float64{1.014 * least, 1e-15} {
				f, err := kind.New(filter.Sizing{Members: members, Rate: rate})
				if err == nil && float64(8*f.State().Bytes) < -math.Log2(rate)*float64(members) {
					t.Errorf("%s: %d bytes for %d members and a rate of %g", kind.Name,
						f.State().Bytes, members, rate)
				}
			}
			if !strings.Contains(kind.Name, "plain") && kind.Name != "counting" {
				continue // others have a lower limit of their own, or k = 7
			}
			f, err := kind.New(filter.Sizing{Members: members, Rate: least})
			if err != nil {
				t.Fatal(err)
			}
			if bytes := f.State().Bytes; bytes > 256*members+64 {
				t.Errorf("%s: %d bytes for %d members and a rate of %g", kind.Name, bytes,
					members, least)
			}
		}
	}
}

// FilesAreDocumented tests that docs/format.md, or docs/format-family.md, has a row for each kind, of
// the promises, attributes and sections of its files.
func (suite Suite) FilesAreDocumented(t *testing.T) {
	var pages string
	for _, name := range []string{"format.md", "format-family.md"} {
		page, err := os.ReadFile(filepath.Join(suite.Docs, name))
		if err != nil {
			t.Fatal(err)
		}
		pages += string(page)
	}
	for _, kind := range suite.Kinds {
		f, err := suite.made(kind, filter.Sizing{Members: 100, BitsPerKey: 24, Turnovers: 1})
		if err != nil {
			t.Fatal(err)
		}
		c, err := f.Contents()
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprintf("| %s | %#x |", kind.Name, c.Promises)
		for _, a := range c.Attributes {
			row += " `" + a.Name + "`"
		}
		row += " |"
		for _, section := range c.Sections {
			row += " `" + section.Name + "`"
		}
		if row += " |\n"; !strings.Contains(pages, row) {
			t.Errorf("neither docs/format.md nor docs/format-family.md has a row\n%s", row)
		}
	}
}

// MergeOfOtherKinds tests that the merge of a kind returns an error for filters of other kinds.
func (suite Suite) MergeOfOtherKinds(t *testing.T) {
	k := key.New()
	filters := map[string]filter.Stored{}
	for _, kind := range suite.Kinds {
		f, err := suite.made(kind, filter.Sizing{Members: 100, BitsPerKey: 16, Key: k})
		if err != nil {
			t.Fatal(err)
		}
		filters[kind.Name] = f
	}
	for _, kind := range suite.Kinds {
		for name, other := range filters {
			f, merges := filter.As[filter.Merger](filters[kind.Name])
			if !merges || name == kind.Name {
				continue
			}
			if err := f.Merge(other); err == nil {
				t.Errorf("%s into %s: no error", name, kind.Name)
			}
		}
	}
}
