package deletable

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// loaders are the ways to read a filter from a file: Open, which maps it if the host can, and Load,
// which copies it.
var loaders = map[string]func(path string, k key.Key) (*Filter, error){"open": Open, "load": Load}

// sample returns a small filter after some inserts and deletes, and the bytes of its file.
func sample(t testing.TB) (*Filter, []byte) {
	t.Helper()
	return sampleOf(t, Config{Members: 50, BitsPerKey: 20, Key: fixed})
}

// turning is the plan of a sample with planned turnovers.
func turning(t testing.TB) Config {
	t.Helper()
	lifetime, err := planning.Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Members: 50, BitsPerKey: 20, Turnovers: 1.25, Lifetime: lifetime, Key: fixed}
}

// sampleOf returns a small filter with a plan after some inserts and deletes, and the bytes of its
// file.
func sampleOf(t testing.TB, config Config) (*Filter, []byte) {
	t.Helper()
	f, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(60) {
		f.InsertUint64(n)
	}
	for n := range uint64(30) {
		f.DeleteUint64(n)
	}
	return f, fileOf(t, f)
}

// fileOf returns the bytes of a filter's file.
func fileOf(t testing.TB, f *Filter) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := f.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeFile(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file holds every plan. Only a lifetime without a name becomes Oldest.
func TestSaveAndOpenThePlan(t *testing.T) {
	mixture, err := planning.Mixture(1.0/3, 1e-300/3)
	if err != nil {
		t.Fatal(err)
	}
	heavy, err := planning.Pareto(1.0000000000000002)
	if err != nil {
		t.Fatal(err)
	}
	observed, err := planning.Observed([]float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, lifetime := range []planning.Lifetime{planning.Oldest(), planning.Random(), heavy,
		mixture, observed} {
		want, err := New(Config{Members: 100, Rate: 0.01, Turnovers: 1.0 / 3,
			Lifetime: lifetime, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(133) {
			want.InsertUint64(n)
		}
		path := filepath.Join(t.TempDir(), "f.blm")
		if err := want.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := Open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		if lifetime.String() == observed.String() {
			tableOf(want).plan.lifetime = planning.Oldest()
		}
		same(t, got, want)
		if a, b := got.Health(), want.Health(); !reflect.DeepEqual(a, b) {
			t.Errorf("%v: %+v, want %+v", lifetime, a, b)
		}
		if got.Due() != nil {
			t.Errorf("%v: %v, in the plan", lifetime, got.Due())
		}
		if got.InsertUint64(133); got.Due() == nil {
			t.Errorf("%v: not due after 134 inserts", lifetime)
		}
		if known := withoutKey(t, path); !reflect.DeepEqual(known.Health(), want.Health()) {
			t.Errorf("%v: %+v, want %+v", lifetime, known.Health(), want.Health())
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
}

// withoutKey returns the filter of a file without its key.
func withoutKey(t *testing.T, path string) *Filter {
	t.Helper()
	c, err := file.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Decode(c, key.Unknown())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// forge returns the file of changed contents, with right checksums.
func forge(t testing.TB, content []byte, change func(c *file.Contents)) []byte {
	t.Helper()
	c, err := file.Read(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	change(c)
	forged, err := c.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return forged
}

// A number that is not whole, one that a file may lack, and a lifetime are checked too, beside what
// the laws check of every kind.
func TestOpenRefusesForgedContents(t *testing.T) {
	_, plain := sample(t)
	_, planned := sampleOf(t, turning(t))
	_, forEver := sampleOf(t, Config{Members: 100, BitsPerKey: 16, Reinserts: 1, Key: fixed})
	f, members := aged(t, Config{Members: 2000, BitsPerKey: 16, Turnovers: 1, Key: fixed}, 3000,
		2000)
	if err := f.RefreshUint64(t.Context(), 0, 9, numbers(members)); err != nil {
		t.Fatal(err)
	}
	begun, blocks, deletes := fileOf(t, f), uint64(f.Shape().Blocks), uint64(1000)
	set := func(name string, value uint64) func(*file.Contents) {
		return func(c *file.Contents) { c.Set(name, value) }
	}
	lifetime := func(name string) func(*file.Contents) {
		return func(c *file.Contents) { c.Sections[1].Words = file.TextWords(name) }
	}
	float := func(name string, value float64) func(*file.Contents) {
		return func(c *file.Contents) { c.SetFloat(name, value) }
	}
	without := func(name string) func(*file.Contents) {
		return func(c *file.Contents) {
			c.Attributes = slices.DeleteFunc(c.Attributes,
				func(a file.Attribute) bool { return a.Name == name })
		}
	}
	for _, test := range []struct {
		name    string
		content []byte
		change  func(c *file.Contents)
	}{
		{"turnovers without a lifetime", plain, float("turnovers", 1)},
		{"no turnovers and no rate", plain, func(c *file.Contents) {
			without("turnovers")(c)
			without("planned-rate")(c)
		}},
		{"half a block", plain,
			func(c *file.Contents) { c.Sections[0].Words = c.Sections[0].Words[:12] }},
		{"no turnovers, and a lifetime", planned, float("turnovers", 0)},
		{"turnovers that are no number", planned, float("turnovers", math.NaN())},
		{"endless turnovers", planned, float("turnovers", math.Inf(1))},
		{"a rate that is no number", planned, float("planned-rate", math.NaN())},
		{"no lifetime", planned, func(c *file.Contents) { c.Sections = c.Sections[:1] }},
		{"an empty lifetime", planned, lifetime("")},
		{"no name of a lifetime", planned, lifetime("paretos:1.5")},
		{"another spelling of a lifetime", planned, lifetime("pareto:1.50")},
		{"a lifetime that nobody has", planned, lifetime("pareto:0.5")},
		{"an observed lifetime", planned, lifetime("observed:1")},
		{"something after the lifetime's end", planned, lifetime("pareto:1.5\x00\x000")},
		{"a word after the lifetime's end", planned, func(c *file.Contents) {
			c.Sections[1].Words = append(slices.Clone(c.Sections[1].Words), 0)
		}},
		{"re-inserts without a lifetime", plain, float("reinserts", 1)},
		{"re-inserts and turnovers", planned, float("reinserts", 1)},
		{"no re-inserts", forEver, float("reinserts", 0)},
		{"too many re-inserts", forEver, float("reinserts", 1001)},
		{"re-inserts that are no number", forEver, float("reinserts", math.NaN())},
		{"re-inserts gone, their lifetime left", forEver, without("reinserts")},
		{"the sections the other way round", planned,
			func(c *file.Contents) { slices.Reverse(c.Sections) }},
		{"a round that begins", begun, set("refresh-block", 0)},
		{"a round at its end", begun, set("refresh-block", blocks)},
		{"a round of too many deletes", begun, set("refresh-deleted", deletes+1)},
		{"a round of too many retained", begun, set("refresh-retained", deletes+1)},
		{"a round of no block", begun, without("refresh-block")},
		{"a round without deletes", begun, without("refresh-deleted")},
	} {
		refused(t, test.name, forge(t, test.content, test.change), file.ErrBounds)
	}
}

// refused fails the test unless every loader returns an error for the content that wraps want and
// has the path.
func refused(t *testing.T, what string, content []byte, want error) {
	t.Helper()
	path := writeFile(t, content)
	for name, load := range loaders {
		_, err := load(path, fixed)
		var e *file.Error
		if !errors.As(err, &e) || !errors.Is(err, want) {
			t.Errorf("%s: %s: error %v, want %v", what, name, err, want)
			continue
		}
		if !strings.HasPrefix(err.Error(), name+" filter "+path+": ") || e.Found == "" ||
			e.Expected == "" {
			t.Errorf("%s: %s: %v does not say the path, what was found or what was expected",
				what, name, err)
		}
	}
}

// Contents may have absurd numbers that are within bounds. No statistic takes long on them.
func TestHealthOfAbsurdContents(t *testing.T) {
	_, content := sampleOf(t, turning(t))
	f, err := Open(writeFile(t, forge(t, content, func(c *file.Contents) {
		for _, name := range []string{"inserts", "deleted", "retained"} {
			c.Set(name, math.MaxInt)
		}
		c.Set("members", planning.MaxMembers)
		c.SetFloat("planned-rate", 1)
		c.SetFloat("turnovers", planning.MaxTurnovers)
	})), fixed)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Stats(); s.PlannedRate != 1 || s.Members != 0 {
		t.Errorf("%+v, want a planned rate of 1, and no members", s)
	}
	if !testing.Short() { // it takes a second, and a minute under the race detector
		f.Health()
	}
}

// A filter with any plan is equal to the filter of its file, also in the middle of a round. It is
// equal to its clone too, also if its lifetime has no name.
func TestTheFilterOfAFileIsEqual(t *testing.T) {
	for _, config := range []Config{{}, {Turnovers: 2}, {Reinserts: 1},
		{Reinserts: 0.5, Lifetime: planning.Random()}} {
		config.Members, config.BitsPerKey, config.Key = 2000, 16, fixed
		f, members := aged(t, config, 3000, 2000)
		if err := f.RefreshUint64(t.Context(), 0, 9, numbers(members)); err != nil {
			t.Fatal(err)
		}
		if g, err := Open(writeFile(t, fileOf(t, f)), fixed); err != nil || !g.Equal(f) ||
			tableOf(g).round.next != 9 {
			t.Errorf("%+v: another filter (%v)", config, err)
		}
	}
	observed, err := planning.Observed([]float64{1, 2, 4})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := aged(t, Config{Members: 100, BitsPerKey: 16, Turnovers: 1, Lifetime: observed}, 200,
		100)
	if !f.Equal(f.Clone()) {
		t.Error("a clone differs")
	}
	if g, err := Open(writeFile(t, fileOf(t, f)), f.Key()); err != nil || g.Equal(f) {
		t.Errorf("equal to a filter with another lifetime (%v)", err)
	}
}
