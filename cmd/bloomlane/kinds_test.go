package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/sets"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/kinds"
)

// exact is a set of hashes with room for the planned members: a kind that only takes members and is asked.
type exact struct {
	filter.KeyedSet
	set     sets.Exact
	members uint64 // planned
	closed  bool
}

var errExactFull = errors.New("no room")

func newExact(k key.Key, members uint64) *exact {
	e := &exact{set: sets.Exact{}, members: members}
	e.KeyedSet = filter.NewKeyedSet(k, e)
	return e
}

func (e *exact) QueryHash(h uint64) bool { return e.set.QueryHash(h) }
func (e *exact) QueryHashBatch(hashes, present []uint64) int {
	return e.set.QueryHashBatch(hashes, present)
}
func (e *exact) State() filter.State               { return e.set.State() }
func (e *exact) Contents() (*file.Contents, error) { return e.contents("exact"), nil }
func (e *exact) Close() error                      { e.closed = true; return nil }
func (e *exact) Closed() bool                      { return e.closed }

func (e *exact) InsertHash(h uint64) (bool, error) {
	if !e.set.QueryHash(h) && uint64(len(e.set)) == e.members {
		return false, errExactFull
	}
	return e.set.InsertHash(h)
}

func (e *exact) InsertHashBatch(hashes, present []uint64) (int, error) {
	e.set.QueryHashBatch(hashes, present)
	for i, h := range hashes {
		if _, err := e.InsertHash(h); err != nil {
			return i, err
		}
	}
	return len(hashes), nil
}

func (e *exact) contents(kind string) *file.Contents {
	c := &file.Contents{Kind: kind, Promises: 1, Fingerprint: e.Key().Fingerprint()}
	c.Set("members", e.members)
	c.Sections = []file.Section{{Name: "hashes", Words: slices.Sorted(maps.Keys(e.set))}}
	return c
}

func decodeExact(c *file.Contents, k key.Key) (*exact, error) {
	if err := filter.CheckKey(c, k); err != nil {
		return nil, err
	}
	members, err := c.Uint("members", 1, 1<<20)
	if err != nil {
		return nil, err
	}
	e := newExact(k, members)
	_, err = e.set.InsertHashBatch(c.Sections[0].Words, nil)
	return e, err
}

// sealed is a filter that is only asked.
type sealed struct {
	filter.Querier
	e *exact
}

func (s sealed) Contents() (*file.Contents, error) { return s.e.contents("sealed"), nil }
func (s sealed) Key() key.Key                      { return s.e.Key() }
func (s sealed) Close() error                      { return s.e.Close() }
func (s sealed) Closed() bool                      { return s.e.Closed() }
func (s sealed) Save(path string) error            { return s.e.contents("sealed").Save(path, 0o600) }

// moreKinds adds the kinds exact, which can do little, and sealed, which can do nothing, for the time of a
// test.
func moreKinds(t *testing.T) {
	all := append(kinds.All(), filter.Kind{
		Name: "exact", Source: "nobody", Promises: filter.NoFalseNegatives,
		New: func(s filter.Sizing) (filter.Stored, error) {
			if s.Turnovers > 0 {
				return nil, &filter.SizingError{
					Kind: "exact", Field: "Turnovers", Found: s.Turnovers, Expected: "0, as its members stay",
				}
			}
			return newExact(s.Key, uint64(s.Members)), nil
		},
		Decode: func(c *file.Contents, k key.Key) (filter.Stored, error) { return decodeExact(c, k) },
	}, filter.Kind{
		Name: "sealed", Source: "nobody", Promises: filter.NoFalseNegatives,
		Decode: func(c *file.Contents, k key.Key) (filter.Stored, error) {
			e, err := decodeExact(c, k)
			return sealed{e, e}, err
		},
	})
	allKinds = func() []filter.Kind { return all }
	t.Cleanup(func() { allKinds = kinds.All })
}

// cannot fails the test unless the last command said in one line that a kind cannot do this.
func (s *shell) cannot(kind, what string) {
	s.t.Helper()
	s.complains(" is a " + kind + " filter, which cannot " + what)
	s.oneLine()
}

// Every command with every kind: it works, or says in one line that the kind cannot.
func TestEveryCommandOfEveryKind(t *testing.T) {
	moreKinds(t)
	for _, kind := range allKinds() {
		if !builds(kind) {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			s := newShell(t)
			s.write("k", fixedKey)
			build := func(name, keys string) {
				s.t.Helper()
				line := "build --key @k --members 1000 --json --kind " + kind.Name + " -o @" + name
				s.run(exitYes, keys, strings.Fields(line)...)
				var built made
				s.json(&built)
				if built.Kind != kind.Name || built.Planned != 1000 || built.Bytes == 0 {
					t.Errorf("%+v", built)
				}
			}
			build("f", numbers(0, 200))
			build("g", numbers(200, 300))
			s.run(exitYes, numbers(0, 200), "query", "@f", "--key", "@k")
			s.run(exitNo, numbers(1000, 1100), "query", "@f", "--key", "@k")
			s.run(exitYes, "", "info", "@f")
			for _, want := range []string{kind.Name + ": " + kind.Promises.String() + "\n", "file version 3\n"} {
				if !strings.Contains(s.stdout, want) {
					t.Errorf("%s does not say %q", s.stdout, want)
				}
			}
			info := func() infoResult {
				t.Helper()
				var info infoResult
				s.run(exitYes, "", "info", "@f", "--json")
				s.json(&info)
				return info
			}
			got := info()
			if got.Kind != kind.Name || got.Version != 3 || got.Members < 190 || got.Members > 210 || got.Bytes == 0 {
				t.Errorf("%+v, want about 200 members", got)
			}

			s.run(exitYes, "", "add", "@f", "--key", "@k", "200", "201", "200")
			if !strings.HasSuffix(s.stdout, "\nrepeated\t200\n") {
				t.Errorf("%s does not say that a key is repeated", s.stdout)
			}
			s.run(exitYes, numbers(0, 202), "query", "@f", "--key", "@k")

			f, err := kind.New(filter.Sizing{Members: 1, BitsPerKey: 16})
			if err != nil {
				t.Fatal(err)
			}
			content := s.read("f")
			if _, can := f.(filter.Deleter); can {
				s.run(exitYes, numbers(100, 200), "delete", "@f", "--key", "@k")
				s.run(exitYes, numbers(0, 100), "query", "@f", "--key", "@k")
				if got := info(); got.Members < 95 || got.Members > 110 {
					t.Errorf("%+v, want about 102 members", got)
				}
			} else {
				s.run(exitBad, numbers(100, 200), "delete", "@f", "--key", "@k")
				s.cannot(kind.Name, "delete")
				if s.read("f") != content {
					t.Error("the file changed")
				}
			}
			_, rebuilder := f.(filter.Rebuilder)
			_, resetter := f.(filter.Resetter)
			if rebuilder || resetter {
				s.run(exitYes, numbers(0, 50)+"7\n", "rebuild", "@f", "--key", "@k", "--json")
				var rebuilt made
				s.json(&rebuilt)
				if rebuilt.Keys != 51 || rebuilt.Duplicates != 1 || rebuilt.MembersBefore < 95 ||
					rebuilt.Members < 45 || rebuilt.Members > 55 {
					t.Errorf("%+v, want about 50 members", rebuilt)
				}
				s.run(exitYes, numbers(0, 50), "query", "@f", "--key", "@k")
				s.run(exitNo, numbers(50, 150), "query", "@f", "--key", "@k")
				build("fresh", numbers(0, 50))
				if rebuilder && s.read("f") != s.read("fresh") {
					t.Error("a filter that is built anew is not a new one")
				}
			} else {
				content = s.read("f")
				s.run(exitBad, numbers(0, 50), "rebuild", "@f", "--key", "@k")
				s.cannot(kind.Name, "rebuild")
				if s.read("f") != content {
					t.Error("the file changed")
				}
			}
			if kind.Merge != nil {
				build("f", numbers(0, 200))
				s.run(exitYes, "", "merge", "-o", "@all", "@f", "@g", "--key", "@k", "--json")
				var merged made
				s.json(&merged)
				if merged.Kind != kind.Name || merged.Members < 280 || merged.Members > 320 {
					t.Errorf("%+v, want about 300 members", merged)
				}
				s.run(exitYes, numbers(0, 300), "query", "@all", "--key", "@k")
			} else {
				s.run(exitBad, "", "merge", "-o", "@all", "@f", "@g", "--key", "@k")
				s.cannot(kind.Name, "merge")
			}

			line := "build --key @k --members 1000 --quiet -o - --kind " + kind.Name
			s.run(exitYes, numbers(0, 200), strings.Fields(line)...)
			piped := s.stdout
			if build("f", numbers(0, 200)); s.read("f") != piped {
				t.Error("another filter than on standard output")
			}
			s.run(exitYes, s.read("f"), "query", "-", "--key", "@k", "1", "199")
			s.says("present\t1\npresent\t199\n")
			s.run(exitYes, s.read("f"), "info", "-", "--json")
		})
	}
}

// A kind that can do nothing but be asked.
func TestCommandsOfASealedKind(t *testing.T) {
	moreKinds(t)
	s := newShell(t)
	s.write("f.key", fixedKey)
	k, err := key.Parse(strings.TrimSpace(fixedKey))
	if err != nil {
		t.Fatal(err)
	}
	e := newExact(k, 3)
	e.set[k.Hash([]byte("apple"))] = struct{}{}
	if err := (sealed{e, e}).Save(s.path("f")); err != nil {
		t.Fatal(err)
	}
	content := s.read("f")
	s.run(exitNo, "", "query", "@f", "apple", "pear")
	s.says("present\tapple\nabsent\tpear\n")
	for _, command := range []string{"add", "delete", "rebuild"} {
		s.run(exitBad, "", command, "@f", "pear")
		s.cannot("sealed", command)
	}
	s.run(exitBad, "", "merge", "-o", "@g", "@f", "@f.key")
	s.cannot("sealed", "merge")
	s.run(exitBad, "", "build", "--kind", "sealed", "-o", "@g")
	s.complains("--kind is sealed, which is not built from keys, expected one of deletable, ")
	s.oneLine()
	s.run(exitYes, "", "kinds")
	for _, want := range []string{
		"exact", "commands: build, add\n", "sealed", "commands: \n", "commands: build, add, delete, rebuild, merge\n",
	} {
		if !strings.Contains(s.stdout, want) {
			t.Errorf("%s does not say %q", s.stdout, want)
		}
	}
	if s.read("f") != content {
		t.Error("the file changed")
	}
}

// A filter that has no room for all keys takes none of them.
func TestAddToAFullFilter(t *testing.T) {
	moreKinds(t)
	s := newShell(t)
	s.run(exitYes, numbers(0, 3), "build", "--kind", "exact", "-o", "@f", "--members", "5")
	content := s.read("f")
	s.run(exitBad, "", "add", "@f", "3", "4", "5", "6", "7")
	s.complains("@f has room for 2 of 5 keys, so none is added: no room")
	s.oneLine()
	if s.read("f") != content {
		t.Error("the file changed")
	}
	s.run(exitYes, "", "add", "@f", "3", "2", "4")
	s.says("added\t3\npresent\t2\nadded\t4\n")
	s.run(exitBad, "5\n", "add", "@f", "--keys", "-")
	s.complains("@f has room for 0 of 1 key, so none is added")
	s.files("f", "f.key")
}

// What a kind says of its sizing is said of the flags.
func TestSizingErrorsAreOfFlags(t *testing.T) {
	moreKinds(t)
	s := newShell(t)
	s.run(exitBad, "", "build", "--kind", "exact", "-o", "@f", "--turnovers", "2")
	s.complains("bloomlane: --turnovers is 2, expected 0, as its members stay\n")
	for _, line := range []string{
		"--members 10 --rate 1e-300", "--rate NaN", "--bits-per-key NaN", "--bits-per-key 1e300 --members 9",
		"--turnovers NaN", "--members 99999999999",
	} {
		s.run(exitBad, "", append([]string{"build", "-o", "@f"}, strings.Fields(line)...)...)
		s.complains("bloomlane: --")
		s.oneLine()
		if field := fieldNames.FindString(s.stderr); field != "" {
			t.Errorf("%s: %q speaks of the field %s", line, s.stderr, field)
		}
	}
	s.run(exitBad, "", "guard", "--synthetic", "1", "--good-turnovers", "2000")
	s.complains("good filter: --good-turnovers is 2000, expected 0 to 1000")
	s.files()
}

func TestKinds(t *testing.T) {
	s := newShell(t)
	s.run(exitYes, "", "kinds", "--json")
	var result kindsResult
	s.json(&result)
	if len(result.Kinds) != len(kinds.All()) {
		t.Errorf("%+v", result)
	}
	s.run(exitYes, "", "build", "--help")
	for _, k := range kinds.All() {
		if want := fmt.Sprintf("  %-12s %v\n", k.Name, k.Promises); !strings.Contains(s.stdout, want) {
			t.Errorf("the help of build has no line %q", want)
		}
	}
	s.run(exitBad, "", "build", "--kind", "list", "-o", "@f")
	s.complains("--kind is list, expected one of deletable")
}

// Files of versions 1 and 2 are read, and written as version 3.
func TestFilesOfEarlierVersions(t *testing.T) {
	for version := 1; version <= 2; version++ {
		s := newShell(t)
		s.write("f.key", fixedKey)
		content, err := os.ReadFile(fmt.Sprintf("testdata/legacy/v%d.blm", version))
		if err != nil {
			t.Fatal(err)
		}
		members, turnovers := []string{"apple", "pear", "plum"}[:4-version], 3*float64(version-1)
		info := func(stdin, path string) infoResult {
			t.Helper()
			s.run(exitYes, stdin, "info", path, "--json")
			var info infoResult
			s.json(&info)
			return info
		}
		for _, command := range []string{"add @f fig", "delete @f apple", "rebuild @f apple pear plum", "merge -o @f @f @g"} {
			s.write("f", string(content))
			s.run(exitYes, "grape\n", strings.Fields("build -o @g --key @f.key --members 5 --bits-per-key 80")...)
			for _, got := range []infoResult{info("", "@f"), info(string(content), "-")} {
				if got.Version != version || got.Planned != 5 || got.Inserts != 3 || got.Members != len(members) ||
					got.Turnovers != turnovers {
					t.Errorf("version %d: %+v", version, got)
				}
			}
			s.run(exitYes, "", append([]string{"query", "@f"}, members...)...)
			s.run(exitYes, "", strings.Fields(command)...)
			if got := info("", "@f"); got.Version != 3 || got.Planned != 5 || got.Turnovers != turnovers {
				t.Errorf("%s of version %d: %+v, want version 3", command, version, got)
			}
			s.run(exitYes, "", "query", "@f", "pear")
		}
	}
}

// A rolling filter whose oldest generation cannot go says what its owner can do, and that cures it.
func TestARollingFilterThatIsStuck(t *testing.T) {
	s := newShell(t)
	s.write("k", fixedKey)
	s.run(exitYes, numbers(0, 100), "build", "-o", "@r", "--kind", "rolling", "--key", "@k", "--bits-per-key", "8")
	var complaint bytes.Buffer
	for round := 0; complaint.Len() == 0; round++ {
		if round == 50 {
			t.Fatal("the filter was never stuck: the test shows nothing")
		}
		s.run(exitYes, numbers(100*round, 100*round+100), "delete", "@r", "--key", "@k")
		line := []string{"add", s.path("r"), "--key", s.path("k")}
		run(line, strings.NewReader(numbers(100*round+100, 100*round+200)), io.Discard, &complaint)
	}
	const want = "so none is added: its oldest generation may have members left, which only their owner can list: rebuild"
	if !strings.Contains(complaint.String(), want) {
		t.Errorf("%s, want %s", &complaint, want)
	}
	s.run(exitYes, numbers(0, 100), "rebuild", "@r", "--key", "@k")
	s.run(exitYes, numbers(0, 100), "query", "@r", "--key", "@k")
}
