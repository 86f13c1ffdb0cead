package kindstest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// StateNames tests that all kinds say their state in JSON and in logs, under names that stay. Logs
// have whole members.
func (suite Suite) StateNames(t *testing.T) {
	names := []string{"bytes", "members", "most", "fill", "rate", "scanned"}
	for _, kind := range suite.Kinds {
		if kind.From != "" {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: 1000, BitsPerKey: 16,
			Key: keytest.Key(7)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(100) {
			_, _ = f.InsertHash(i * 0x9e3779b97f4a7c15)
		}
		for range 2 { // open, and closed
			text, err := json.Marshal(f)
			var got filter.State
			if err != nil || json.Unmarshal(text, &got) != nil || got != f.State() {
				t.Errorf("%s: %s, want %+v (%v)", kind.Name, text, f.State(), err)
			}
			var fields map[string]any
			if err := json.Unmarshal(text, &fields); err != nil || len(fields) != len(names) {
				t.Errorf("%s: %s (%v)", kind.Name, text, err)
			}
			var line bytes.Buffer
			slog.New(slog.NewJSONHandler(&line, nil)).Info("", "f", f)
			var logged struct{ F filter.State }
			got.Members, got.Most = math.Round(got.Members), math.Round(got.Most)
			if err := json.Unmarshal(line.Bytes(), &logged); err != nil || logged.F != got {
				t.Errorf("%s: %s (%v)", kind.Name, &line, err)
			}
			_ = f.Close()
		}
	}
	var tags []string
	for field := range reflect.TypeFor[filter.State]().Fields() {
		tags = append(tags, field.Tag.Get("json"))
	}
	if !slices.Equal(tags, names) {
		t.Errorf("names %v, want %v", tags, names)
	}
}

// spread returns n hashes that differ, all over the range of hashes.
func spread(n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = uint64(i+1) * 0x9e3779b97f4a7c15
	}
	return hashes
}

// When a State takes a scan of the table.
const (
	NeverScans       = "never"
	ScansAfterDelete = "after a delete"
	AlwaysScans      = "always"
)

// Scans tests which kinds scan their table for a State, and that the State of the others, which is
// as cheap for a large table as for a small one, does not depend on the words of the table.
func (suite Suite) Scans(t *testing.T, want map[string]string) {
	for _, kind := range suite.Kinds {
		f, err := suite.made(kind, filter.Sizing{Members: 1000, BitsPerKey: 24,
			Key: keytest.Key(7)})
		if err != nil {
			t.Fatal(err)
		}
		hashes := spread(500)
		set, inserts := f.(filter.Set)
		if inserts {
			if _, err := set.InsertHashBatch(hashes, nil); err != nil {
				t.Fatal(err)
			}
		}
		scans := NeverScans
		if scanned(t, kind.Name, f) {
			scans = AlwaysScans
		}
		if deleter, deletes := f.(filter.Deleter); deletes {
			deleter.DeleteHash(hashes[0])
			if scanned(t, kind.Name, f) && scans == NeverScans {
				scans = ScansAfterDelete
			}
		}
		if scans != want[kind.Name] {
			t.Errorf("%s scans %s, want %s", kind.Name, scans, want[kind.Name])
		}
	}
}

// scanned reports whether a State took a scan. It tests that by a table of ones in the place of the
// words, which it puts back.
func scanned(t *testing.T, name string, f filter.Stored) bool {
	t.Helper()
	table := func() (longest []uint64) {
		c, err := f.Contents()
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range c.Sections {
			if len(section.Words) > len(longest) {
				longest = section.Words
			}
		}
		return longest
	}
	before, words := f.State(), table()
	saved := slices.Clone(words)
	for i := range words {
		words[i] = ^uint64(0)
	}
	after := f.State()
	shared := &table()[0] == &words[0] // and no copy for the file
	copy(words, saved)
	if shared && (after != before) != before.Scanned {
		t.Errorf("%s: %+v, and with a table of ones %+v", name, before, after)
	}
	return before.Scanned
}
