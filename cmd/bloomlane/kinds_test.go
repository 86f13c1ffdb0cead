package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// exact is a set of hashes with room for the planned members: a kind that only takes members and is
// asked.
type exact struct {
	filter.KeyedSet
	set     map[uint64]bool
	members uint64       // planned
	key     key.Identity // of the key, also where a file is looked at without it
	closed  bool
}

var errExactFull = errors.New("no room")

func newExact(k key.Key, members uint64) *exact {
	e := &exact{set: map[uint64]bool{}, members: members}
	e.KeyedSet = filter.NewKeyedSet(k, e)
	if !k.IsZero() {
		e.key = k.Identity()
	}
	return e
}

func (e *exact) QueryHash(h uint64) bool { return e.set[h] }
func (e *exact) QueryHashBatch(hashes, present []uint64) int {
	return base.QueryEach(e, hashes, present, (*exact).QueryHash)
}
func (e *exact) State() filter.State {
	return filter.State{Bytes: 8 * len(e.set), Members: float64(len(e.set))}
}
func (e *exact) ScanFill() (fill, most float64, err error) {
	return float64(len(e.set)) / float64(e.members), 1 / float64(e.members), nil
}
func (e *exact) Contents() (*file.Contents, error) { return e.contents("exact"), nil }
func (e *exact) Close() error                      { e.closed = true; return nil }
func (e *exact) Closed() bool                      { return e.closed }

func (e *exact) InsertHash(h uint64) (bool, error) {
	present := e.set[h]
	if !present && uint64(len(e.set)) == e.members {
		return false, errExactFull
	}
	e.set[h] = true
	return present, nil
}

func (e *exact) InsertHashBatch(hashes, present []uint64) (int, error) {
	e.QueryHashBatch(hashes, present)
	for i, h := range hashes {
		if _, err := e.InsertHash(h); err != nil {
			return i, err
		}
	}
	return len(hashes), nil
}

func (e *exact) contents(kind string) *file.Contents {
	c := &file.Contents{Kind: kind, Promises: 1, Key: e.key}
	c.Set("members", e.members)
	c.Sections = []file.Section{{Name: "hashes", Words: slices.Sorted(maps.Keys(e.set))}}
	return c
}

func decodeExact(c *file.Contents, k key.Key) (*exact, error) {
	k, err := base.FileKey(c, k)
	if err != nil {
		return nil, err
	}
	members, err := c.Uint("members", 1, 1<<20)
	if err != nil {
		return nil, err
	}
	e := newExact(k, members)
	e.key = c.Key
	_, err = e.InsertHashBatch(c.Sections[0].Words, nil)
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
func (s sealed) Save(path string) error {
	return s.e.contents("sealed").Save(path,
		0o600)
}

// moreKinds adds the kinds exact, which can do little, and sealed, which can do nothing, for the
// time of a test.
func moreKinds(t *testing.T) {
	listed := allKinds
	allKinds = append(slices.Clip(listed), base.Kind{
		Name: "exact", Source: "nobody", Promises: base.NoFalseNegatives,
		New: func(s filter.Sizing) (filter.StoredSet, error) {
			if s.Turnovers > 0 {
				return nil, &filter.SizingError{
					Kind: "exact", Field: "Turnovers", Found: s.Turnovers,
					Expected: "0, as its members stay",
				}
			}
			return newExact(s.Key, uint64(s.Members)), nil
		},
		Decode: func(c *file.Contents, k key.Key) (filter.Stored, error) {
			return decodeExact(c, k)
		},
	}, base.Kind{
		Name: "sealed", Source: "nobody", Promises: base.NoFalseNegatives,
		From: "another filter", New: base.NewFrom("sealed", "another filter"),
		Decode: func(c *file.Contents, k key.Key) (filter.Stored, error) {
			e, err := decodeExact(c, k)
			return sealed{e, e}, err
		},
	})
	t.Cleanup(func() { allKinds = listed })
}

// Every command with every kind: it works, or says in one line that the kind cannot.
func TestEveryCommandOfEveryKind(t *testing.T) {
	moreKinds(t)
	for _, kind := range allKinds {
		if !builds(kind) {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			s := newShell(t)
			s.Write("k", commandtest.FixedKey)
			build := func(name, keys string) {
				s.T.Helper()
				line := "build --replace --key @k --members 1000 -o @" + name + " --kind " +
					kind.Name
				if built := reported[made](s, exitYes, keys, line); built.Kind != kind.Name ||
					built.Planned != 1000 || built.Bytes == 0 {
					t.Errorf("%+v", built)
				}
			}
			about := func(got *made, members int) { // keys whose hashes agree are one
				t.Helper()
				if got.Kind != kind.Name || got.Members < members*19/20 ||
					got.Members > members*11/10 {
					t.Errorf("%+v, want about %d members", got, members)
				}
			}
			cannot := func(stdin, line string) {
				t.Helper()
				what, _, _ := strings.Cut(line, " ")
				s.Refuse(stdin, line,
					[][2]string{{"", " has kind " + kind.Name + ", which cannot " + what}})
			}
			build("f", numbers(0, 200))
			build("g", numbers(200, 300))
			s.Line(exitYes, numbers(0, 200), "query @f --key @k")
			s.Line(exitNo, numbers(1000, 1100), "query @f --key @k")
			s.Line(exitYes, "", "info @f")
			for _, want := range []string{kind.Name + ": " + kind.Promises.String() + "\n",
				"file version 4\n"} {
				if !strings.Contains(s.Stdout, want) {
					t.Errorf("%s does not say %q", s.Stdout, want)
				}
			}
			got := s.info("@f")
			if about(&got.made, 200); got.Version != 4 || got.Bytes == 0 {
				t.Errorf("%+v", got)
			}

			f, err := kind.New(filter.Sizing{Members: 1, BitsPerKey: 16})
			if err != nil {
				t.Fatal(err)
			}
			repeats := "repeated"
			if _, counts := f.(filter.Counter); counts {
				repeats = "present"
			}
			s.Line(exitYes, "", "add @f --key @k 200 201 200")
			if !strings.HasSuffix(s.Stdout, "\n"+repeats+"\t200\n") {
				t.Errorf("%s does not say that a key is %s", s.Stdout, repeats)
			}
			s.Line(exitYes, numbers(0, 202), "query @f --key @k")

			if _, can := f.(filter.Deleter); can {
				s.Line(exitYes, numbers(100, 200), "delete @f --key @k")
				s.Line(exitYes, numbers(0, 100), "query @f --key @k")
				got := s.info("@f")
				about(&got.made, 102)
			} else {
				cannot(numbers(100, 200), "delete @f --key @k")
			}
			_, rebuilder := f.(filter.Rebuilder)
			_, resetter := f.(filter.Resetter)
			if rebuilder || resetter {
				rebuilt := reported[made](s, exitYes, numbers(0, 50)+"7\n", "rebuild @f --key @k")
				if about(rebuilt, 50); rebuilt.Keys != 51 || rebuilt.Duplicates != 1 ||
					rebuilt.MembersBefore < 95 {
					t.Errorf("%+v", rebuilt)
				}
				s.Line(exitYes, numbers(0, 50), "query @f --key @k")
				s.Line(exitNo, numbers(50, 150), "query @f --key @k")
				build("fresh", numbers(0, 50)+"7\n")
				if rebuilder && s.Read("f") != s.Read("fresh") {
					t.Error("a filter that is rebuilt is not a new one")
				}
			} else {
				cannot(numbers(0, 50), "rebuild @f --key @k")
			}
			if _, merges := f.(filter.Merger); merges {
				build("f", numbers(0, 200))
				about(reported[made](s, exitYes, "", "merge -o @all @f @g --key @k"), 300)
				s.Line(exitYes, numbers(0, 300), "query @all --key @k")
			} else {
				cannot("", "merge -o @all @f @g --key @k")
			}

			s.Line(exitYes, numbers(0, 200),
				"build --key @k --members 1000 --quiet -o - --kind "+kind.Name)
			piped := s.Stdout
			if build("f", numbers(0, 200)); s.Read("f") != piped {
				t.Error("another filter than on standard output")
			}
			s.Run(exitYes, s.Read("f"), "query", "-", "--key", "@k", "1", "199")
			s.Says("present\t1\npresent\t199\n")
			s.Run(exitYes, s.Read("f"), "info", "-", "--json")
		})
	}
}

// info has a result for the smallest filter of every kind, empty and with a member.
func TestInfoOfTheSmallest(t *testing.T) {
	s := newShell(t)
	for _, kind := range allKinds {
		if !builds(kind) {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: 1, BitsPerKey: 1})
		for bits := 2.0; err != nil && bits < 10_000; bits++ {
			f, err = kind.New(filter.Sizing{Members: 1, BitsPerKey: bits})
		}
		if err != nil {
			t.Fatal(err)
		}
		for members := range 2 {
			if err := f.Save(s.Path("f")); err != nil {
				t.Fatal(err)
			}
			if info := s.info("@f"); info.Kind != kind.Name || (info.Fill > 0) != (members > 0) {
				t.Errorf("%s of %d members: %+v", kind.Name, members, info)
			}
			if _, err := f.InsertHash(1 << 40); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A kind that can do nothing but be asked.
func TestCommandsOfASealedKind(t *testing.T) {
	moreKinds(t)
	s := newShell(t)
	s.Write("f.key", commandtest.FixedKey)
	k, err := key.Parse(strings.TrimSpace(commandtest.FixedKey))
	if err != nil {
		t.Fatal(err)
	}
	e := newExact(k, 3)
	if _, err := e.InsertHash(k.Hash([]byte("apple"))); err != nil {
		t.Fatal(err)
	}
	if err := (sealed{e, e}).Save(s.Path("f")); err != nil {
		t.Fatal(err)
	}
	s.Run(exitNo, "", "query", "@f", "apple", "pear")
	s.Says("present\tapple\nabsent\tpear\n")
	s.Refuse("", "", [][2]string{
		{"add @f pear", " has kind sealed, which cannot add"},
		{"delete @f pear", " has kind sealed, which cannot delete"},
		{"rebuild @f pear", " has kind sealed, which cannot rebuild"},
		{"merge -o @g @f @f.key", " has kind sealed, which cannot merge"},
		{"build --kind sealed -o @g", "--kind is sealed, which is not built from keys, expected " +
			"one of deletable, "},
	})
	s.Run(exitYes, "", "kinds")
	for _, want := range []string{
		"exact", "commands: build, add\n", "sealed", "commands:\n",
		"commands: build, add, delete, rebuild, merge\n",
	} {
		if !strings.Contains(s.Stdout, want) {
			t.Errorf("%s does not say %q", s.Stdout, want)
		}
	}
}

// A filter that has no room for all keys takes none of them.
func TestAddToAFullFilter(t *testing.T) {
	moreKinds(t)
	s := newShell(t)
	s.Run(exitYes, numbers(0, 3), "build", "--kind", "exact", "-o", "@f", "--members", "5")
	s.Refuse("", "add ", [][2]string{{"@f 3 4 5 6 7", "@f has room for 2 of 5 keys, so none is " +
		"added: no room"}})
	s.Run(exitYes, "", "add", "@f", "3", "2", "4")
	s.Says("added\t3\npresent\t2\nadded\t4\n")
	s.Refuse("5\n", "add ", [][2]string{{"@f --keys -", "@f has room for 0 of 1 key, so none " +
		"is added"}})
}

// A filter that forgets is built, asked, told of and added to as any other, with the keys in the
// order in which they come last: what is added is found, and what was before is gone. Nothing is
// deleted from it.
func TestAFilterThatForgets(t *testing.T) {
	s := newShell(t)
	s.Run(exitYes, numbers(0, 3000)+numbers(0, 100), "build", "--kind", "stable", "-o", "@f",
		"--rate", "0.01")
	s.Run(exitYes, numbers(2700, 3000)+numbers(0, 100), "query", "@f")
	before := s.info("@f")
	s.Run(exitYes, numbers(0, 10), "build", "--kind", "stable", "-o", "@g", "--rate", "0.01",
		"--members", "1000")
	s.Run(exitYes, numbers(5000, 20_000), "add", "@f")
	s.Run(exitYes, numbers(19_900, 20_000), "query", "@f")
	s.Run(exitYes, numbers(0, 3000), "rebuild", "@g")
	s.Run(exitYes, numbers(2700, 3000), "query", "@g")
	s.Run(exitNo, numbers(0, 1000), "query", "@f")
	if present := strings.Count(s.Stdout, "present\t"); present > 30 {
		t.Errorf("%d of 1000 that are forgotten are present", present)
	}
	info := s.info("@f")
	if info.Kind != "stable" || info.Promises != "forgets, keeps its planned rate" ||
		info.Members != 3000 || info.RegionInfo != nil ||
		!(before.Fill < info.Fill && info.Fill < 0.6) ||
		!(before.Rate < info.Rate && info.Rate < 0.02) {
		t.Errorf("%+v, and before %+v", info, before)
	}
	s.Refuse("", "", [][2]string{{"delete @f 5", " has kind stable, which cannot delete"}})
}

// A retouched filter is asked and looked at, also without its list, and nothing changes it.
func TestARetouchedFilter(t *testing.T) {
	s := newShell(t)
	s.Write("f.key", commandtest.FixedKey)
	k, err := key.Parse(strings.TrimSpace(commandtest.FixedKey))
	if err != nil {
		t.Fatal(err)
	}
	f, err := plain.New(plain.Config{Members: 1000, BitsPerKey: 8, Key: k})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(from, to int) iter.Seq2[uint64, error] {
		return filter.Hashes(filter.Infallible(strings.FieldsSeq(numbers(from, to))), f.HashString)
	}
	for hash, err := range lines(0, 1000) {
		if _, full := f.InsertHash(hash); err != nil || full != nil {
			t.Fatal(err, full)
		}
	}
	g, report, err := retouched.New(f,
		retouched.Config{Members: lines(0, 1000), Troublesome: lines(5000, 6000)})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Save(s.Path("f")); err != nil {
		t.Fatal(err)
	}
	s.Run(exitNo, numbers(5000, 6000), "query", "@f")
	if strings.Contains(s.Stdout, "present") || len(report.BoughtOff) == 0 {
		t.Errorf("%d were bought off, and some are present:\n%s", len(report.BoughtOff), s.Stdout)
	}
	s.Run(exitNo, numbers(0, 1000), "query", "@f")
	if absent, lost := strings.Count(s.Stdout, "absent"), len(report.Lost); absent != lost ||
		lost == 0 {
		t.Errorf("%d members are absent, %d were lost", absent, lost)
	}
	info := s.info("@f")
	if info.Kind != "retouched" || info.Promises != "nothing" || info.BoughtInfo == nil ||
		info.Cleared != len(report.Cleared) || info.Lost != len(report.Lost) ||
		info.Members != 1000-info.Lost || info.Rate >= f.State().Rate {
		t.Errorf("%+v", info)
	}
	s.Run(exitYes, "", "info", "@f")
	want := fmt.Sprintf("retouched        %d bits cleared, %d members lost\n",
		info.Cleared, info.Lost)
	if !strings.Contains(s.Stdout, want) {
		t.Errorf("%s does not say %q", s.Stdout, want)
	}
	s.Refuse("", "", [][2]string{
		{"add @f 5", " has kind retouched, which cannot add"},
		{"delete @f 5", " has kind retouched, which cannot delete"},
		{"rebuild @f 5", " has kind retouched, which cannot rebuild"},
		{"merge -o @g @f @f.key", " has kind retouched, which cannot merge"},
		{"build --kind retouched -o @g",
			"--kind is retouched, which is not built from keys, expected one of deletable, "},
	})
}

// Of the letter's filter info has the regions, and the part of the members that can be deleted.
func TestInfoOfRegions(t *testing.T) {
	s := newShell(t)
	s.Run(exitYes, numbers(0, 1000), "build", "--kind", "dlbf", "-o", "@f", "--bits-per-key", "16")
	s.Run(exitYes, numbers(0, 500), "delete", "@f")
	info := s.info("@f")
	if info.Regions != 2000 || info.Collided < 1000 || info.Collided > 1500 ||
		info.Inserts != 1000 || info.Deleted+info.Retained != 500 ||
		info.Ones != int(info.Fill*14_000+0.5) ||
		!(info.Deletability > 0.7 && info.Deletability < 0.99) || info.DecayInfo != nil {
		t.Errorf("%+v", info)
	}
	s.Run(exitYes, "", "info", "@f")
	for _, want := range []string{
		fmt.Sprintf("regions          %d of 2000 collided", info.Collided),
		fmt.Sprintf("bits set         %d, ", info.Ones),
		fmt.Sprintf("deletes          %d cleared bits, %d retained: queries", info.Deleted,
			info.Retained),
		"of the members, expected",
	} {
		if !strings.Contains(s.Stdout, want) {
			t.Errorf("%s does not say %q", s.Stdout, want)
		}
	}
}

// What a kind says of its sizing is said of the flags.
func TestSizingErrorsAreOfFlags(t *testing.T) {
	s := newShell(t)
	for _, k := range allKinds {
		if k.From != "" {
			continue // no flags make it
		}
		for _, flags := range []string{
			"--members 10 --rate 1e-300", "--rate NaN", "--bits-per-key NaN", "--rate 0",
			"--bits-per-key 1e300 --members 9", "--bits-per-key 0", "--rate 1e-9 --members 1e12",
			"--turnovers NaN", "--members 99999999999",
		} {
			s.Refuse("", "build -o @f --kind "+k.Name+" ",
				[][2]string{{flags, "bloomlane: --"}})
			for _, field := range reflect.VisibleFields(reflect.TypeFor[filter.Sizing]()) {
				if strings.Contains(s.Stderr, field.Name) {
					t.Errorf("%s, %s: %q speaks of the field %s", k.Name, flags, s.Stderr,
						field.Name)
				}
			}
		}
	}
	moreKinds(t)
	s.Refuse("", "", [][2]string{
		{"build --kind exact -o @f --rate 0.01 --turnovers 2",
			"bloomlane: --turnovers is 2, expected 0, as its members stay\n"},
	})
}

func TestKinds(t *testing.T) {
	s := newShell(t)
	if result := reported[kindsResult](s, exitYes, "", "kinds"); len(result.Kinds) !=
		len(allKinds) {
		t.Errorf("%+v", result)
	}
	kinds := newBuildCommand().Flag("kind").Usage
	for _, k := range allKinds {
		if strings.Contains(kinds, k.Name) != (k.From == "") {
			t.Errorf("the help of build has %q: %v", k.Name, k.From != "")
		}
	}
	s.Refuse("", "", [][2]string{{"build --kind list -o @f", "--kind is list, expected one of " +
		"deletable"}})
}

// A rolling filter whose oldest generation cannot go says what its owner can do, and that cures it.
func TestARollingFilterThatIsStuck(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	s.Run(exitYes, numbers(0, 100), "build", "-o", "@r", "--kind", "rolling", "--key", "@k",
		"--bits-per-key", "8")
	var complaint bytes.Buffer
	for round := 0; complaint.Len() == 0; round++ {
		if round == 50 {
			t.Fatal("the filter was never stuck: the test shows nothing")
		}
		s.Run(exitYes, numbers(100*round, 100*round+100), "delete", "@r", "--key", "@k")
		line := []string{"add", s.Path("r"), "--key", s.Path("k")}
		run(line, strings.NewReader(numbers(100*round+100, 100*round+200)), io.Discard, &complaint)
	}
	const want = "so none is added: its oldest generation may have members left, which only " +
		"their owner can list: rebuild"
	if !strings.Contains(complaint.String(), want) {
		t.Errorf("%s, want %s", &complaint, want)
	}
	s.Run(exitYes, numbers(0, 100), "rebuild", "@r", "--key", "@k")
	s.Run(exitYes, numbers(0, 100), "query", "@r", "--key", "@k")
}
