package deletable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
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

// overwrite replaces the content of a file in place. With a new temporary file for each content, a
// test would spend most of its time on files.
func overwrite(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSaveAndOpen(t *testing.T) {
	for name, load := range loaders {
		for _, size := range []struct {
			members    int
			bitsPerKey float64
		}{{1, 16}, {33, 16}, {30_000, 16}, {30_000, 400}} { // the last is two pieces of the file
			t.Run(fmt.Sprintf("%s/%+v", name, size), func(t *testing.T) {
				members := size.members
				want := newFilter(t, members, size.bitsPerKey)
				for n := range uint64(members) {
					want.InsertUint64(n)
				}
				for n := range uint64(members / 2) {
					want.DeleteUint64(n)
				}
				path := filepath.Join(t.TempDir(), "f.blm")
				if err := want.Save(path); err != nil {
					t.Fatal(err)
				}
				bytes := int64(4096 + want.Shape().Blocks*BlockBytes)
				if info, err := os.Stat(path); err != nil || info.Size() != bytes {
					t.Errorf("%d bytes (%v), want %d", info.Size(), err, bytes)
				}
				got, err := load(path, fixed)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
				if !got.Key().Equal(fixed) || got.Stats() != want.Stats() {
					t.Errorf("%+v, want %+v", got.Stats(), want.Stats())
				}

				// The filter can be written to and saved, also over the file that it is mapped
				// from.
				for _, f := range []*Filter{got, want} {
					for n := range uint64(members) {
						f.InsertUint64(n + 1_000_000)
					}
				}
				if err := got.Save(path); err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
				reopened, err := load(path, fixed)
				if err != nil {
					t.Fatal(err)
				}
				same(t, reopened, want)
				for _, f := range []*Filter{got, reopened} {
					if err := f.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				}
			})
		}
	}
}

func TestAnOpenFilterDoesNotWriteItsFile(t *testing.T) {
	_, content := sample(t)
	path := writeFile(t, content)
	f, err := Open(path, fixed)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(100) {
		f.InsertUint64(n + 1000)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the file changed (%v)", err)
	}
}

var (
	u32 = binary.LittleEndian.AppendUint32
	u64 = binary.LittleEndian.AppendUint64
	sum = func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
)

// blockBytes returns the blocks of a filter in the form of a file.
func blockBytes(f *Filter) (b []byte) {
	for _, block := range blocksOf(f) {
		for _, lane := range block {
			b = u64(b, lane)
		}
	}
	return b
}

// The bytes of a file do not change between versions of this package. The test makes them from the
// layout in docs/format.md and the attributes of this package.
func TestFileLayout(t *testing.T) {
	name := func(b []byte, name string) []byte {
		return append(append(b, name...), make([]byte, 16-len(name))...)
	}
	for config, turnovers := range map[*Config]float64{{Members: 50, BitsPerKey: 20, Key: fixed}: 0,
		new(turning(t)): 1.25} {
		f, got := sampleOf(t, *config)
		blocks := blockBytes(f)
		lifetime := append([]byte("pareto:1.5"), make([]byte, 6)...)
		sections, length := uint32(1), 4096+128
		if turnovers > 0 {
			sections, length = 2, 4096+4096+16
		}
		want := []byte{0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a}
		want = u32(u32(want, 3), 4096)
		want = u64(want, uint64(length))
		want = u64(want, fixed.Fingerprint())
		want = name(want, "deletable")
		want = u64(want, 0b11000111)
		want = u32(u32(want, 6), sections)
		want = u64(name(want, "deleted"), uint64(f.Deleted()))
		want = u64(name(want, "inserts"), 60)
		want = u64(name(want, "members"), 50)
		want = u64(name(want, "planned-rate"), math.Float64bits(f.Stats().PlannedRate))
		want = u64(name(want, "retained"), uint64(f.Retained()))
		want = u64(name(want, "turnovers"), math.Float64bits(turnovers))
		want = u64(u64(name(want, "blocks"), 16), 4096)
		if turnovers > 0 {
			want = u64(u64(name(want, "lifetime"), 2), 8192)
		}
		want = u32(want, sum(blocks))
		if turnovers > 0 {
			want = u32(want, sum(lifetime))
		}
		want = append(want, make([]byte, 4092-len(want))...)
		want = u32(want, sum(want))
		want = append(want, blocks...)
		if turnovers > 0 {
			want = append(want, make([]byte, 8192-len(want))...)
			want = append(want, lifetime...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%g turnovers: a file of %d bytes differs from its layout of %d", turnovers,
				len(got), len(want))
		}
		if f.Deleted() == 0 || f.Retained() == 0 {
			t.Error("a counter of the sample is zero")
		}
		if secret := fixed.Bytes(); bytes.Contains(got, secret[:8]) {
			t.Error("the file holds the key")
		}
	}
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

// A file holds a plan with re-inserts.
func TestSaveAndOpenAPlanForEver(t *testing.T) {
	want, err := New(Config{Members: 100, Rate: 0.01, Reinserts: 1.0 / 3,
		Lifetime: planning.Random(), Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(bytes.NewReader(fileOf(t, want)), fixed)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	if s := got.Stats(); s.PlannedReinserts != 1.0/3 || tableOf(got).plan != tableOf(want).plan {
		t.Errorf("%+v, want %+v", tableOf(got).plan, tableOf(want).plan)
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

// A filter without its key has its statistics, accepts hashes, and is written as the same file. It
// has no key.
func TestAFilterWithoutItsKey(t *testing.T) {
	f, content := sample(t)
	path := writeFile(t, content)
	g := withoutKey(t, path)
	same(t, g, f)
	if !reflect.DeepEqual(g.Health(), f.Health()) || g.String() != f.String() {
		t.Errorf("%v, %+v, want %v, %+v", g, g.Health(), f, f.Health())
	}
	if !g.QueryHash(f.HashUint64(40)) || !bytes.Equal(fileOf(t, g), content) {
		t.Error("a member is not found, or the file is another")
	}
	if err := g.Merge(f); err != nil { // f has the same fingerprint
		t.Error(err)
	}
	for name, load := range loaders {
		var e *file.Error
		_, err := load(path, key.Key{})
		if !errors.Is(err, file.ErrWrongKey) || !errors.As(err, &e) || e.Op != name ||
			e.Path != path {
			t.Errorf("%s without a key: error %v", name, err)
		}
	}
	for what, g := range map[string]*Filter{"Clone": g.Clone(), "Fresh": g.Fresh().(*Filter)} {
		if g.String() != f.String() || !g.Key().IsZero() {
			t.Errorf("%s: %v and %v, want %v and no key", what, g, g.Key(), f)
		}
	}
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

func TestEveryByteOfAFileIsChecked(t *testing.T) {
	_, content := sampleOf(t, turning(t))
	path := writeFile(t, content)
	for i, b := range content {
		want := []error{file.ErrChecksum}
		switch {
		case i < 8:
			want = []error{file.ErrNotFilter}
		case i < 12:
			want = []error{file.ErrVersion}
		case i < 16:
			// in the size of the header
			want = []error{file.ErrBounds, file.ErrChecksum, file.ErrLength}
		case i >= 4096+128 && i < 8192:
			want = []error{file.ErrBounds} // the byte is between sections
		}
		content[i] = b ^ 1<<(i%8)
		check := func(how string, err error) {
			if !slices.ContainsFunc(want,
				func(want error) bool { return errors.Is(err, want) }) {
				t.Fatalf("byte %d: %s: error %v, want %v", i, how, err, want)
			}
		}
		_, err := Read(bytes.NewReader(content), fixed)
		check("read", err)
		if i < 64 || i%17 == 0 { // files take longer, and package file tests every byte
			overwrite(t, path, content)
			for name, load := range loaders {
				_, err := load(path, fixed)
				check(name, err)
			}
		}
		content[i] = b
	}
	overwrite(t, path, content)
	for name, load := range loaders {
		if _, err := load(path, fixed); err != nil {
			t.Errorf("with every byte put back: %s: %v", name, err)
		}
	}
}

func TestEveryLengthOfAFileIsChecked(t *testing.T) {
	_, content := sampleOf(t, turning(t))
	path := writeFile(t, content)
	for length := len(content) - 1; length >= 0; length-- {
		want := file.ErrLength
		if length < 8 {
			want = file.ErrNotFilter
		}
		if err := os.Truncate(path, int64(length)); err != nil {
			t.Fatal(err)
		}
		for name, load := range loaders {
			if _, err := load(path, fixed); !errors.Is(err, want) {
				t.Fatalf("%d bytes: %s: error %v, want %v", length, name, err, want)
			}
		}
	}
	for _, more := range []int{1, 64, 4096} {
		longer := append(bytes.Clone(content), make([]byte, more)...)
		refused(t, fmt.Sprintf("%d bytes more", more), longer, file.ErrLength)
	}
}

// Contents may have absurd numbers that are within bounds. No statistic takes long on them.
func TestHealthOfAbsurdContents(t *testing.T) {
	for _, config := range []Config{{Members: 50, BitsPerKey: 20, Key: fixed}, turning(t)} {
		_, content := sampleOf(t, config)
		absurd := forge(t, content, func(c *file.Contents) {
			for _, name := range []string{"inserts", "deleted", "retained"} {
				c.Set(name, math.MaxInt)
			}
			c.Set("members", planning.MaxMembers)
			c.SetFloat("planned-rate", 1)
			if config.Turnovers > 0 {
				c.SetFloat("turnovers", planning.MaxTurnovers)
			}
		})
		f, err := Open(writeFile(t, absurd), fixed)
		if err != nil {
			t.Fatal(err)
		}
		if s := f.Stats(); s.PlannedRate != 1 || s.Members != 0 {
			t.Errorf("%+v, want a planned rate of 1, and no members", s)
		}
		f.State()
		if !testing.Short() { // it takes two seconds, and a minute under the race detector
			f.Health()
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	_, content := sample(t)
	path := writeFile(t, content)
	if _, err := Open(path, key.New()); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("wrong key: error %v", err)
	}
	if _, err := Open(filepath.Dir(path), fixed); !errors.Is(err, file.ErrNotFilter) {
		t.Errorf("folder: error %v", err)
	}
	var e *file.Error
	if _, err := Open(path+".missing", fixed); !errors.Is(err, fs.ErrNotExist) ||
		!errors.As(err, &e) {
		t.Errorf("no file: error %v", err)
	}
	for name, content := range map[string]string{
		"an empty file":            "",
		"text":                     "a list\nof keys\n",
		"a file of PNG":            "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 5000),
		"a filter sent as text":    strings.ReplaceAll(string(content), "\r\n", "\n"),
		"the start of the magic":   "\x89BLM",
		"a file of zeros, of a kB": strings.Repeat("\x00", 1024),
	} {
		refused(t, name, []byte(content), file.ErrNotFilter)
	}
}

func TestSaveFails(t *testing.T) {
	f, _ := sample(t)
	path := filepath.Join(t.TempDir(), "missing", "f.blm")
	var e *file.Error
	if err := f.Save(path); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) ||
		e.Op != "save" {
		t.Errorf("no folder: error %v", err)
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
