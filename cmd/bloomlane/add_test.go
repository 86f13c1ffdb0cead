package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// changed is what add and delete print with --json.
type changed struct {
	Keys                                                []struct{ Key, Answer string }
	File                                                string
	Added, Present, Deleted, Retained, Absent, Repeated int
	Members                                             int
	Due                                                 bool `json:"rebuild_due"`
}

func TestAdd(t *testing.T) {
	s := fruit(t)
	s.Write("keys", "grape\n\nkiwi\ngrape\n")
	for _, test := range []struct{ stdin, args, wants string }{
		{"", "fig apple fig", "added\tfig\npresent\tapple\nrepeated\tfig\n"},
		{"", "banana banana apple", "added\tbanana\nrepeated\tbanana\npresent\tapple\n"},
		{"quince\nfig\n", "", "added\tquince\npresent\tfig\n"},
		{"lime", "--keys @keys --keys -",
			"added\tgrape\nadded\tkiwi\nrepeated\tgrape\nadded\tlime\n"},
	} {
		s.Run(exitYes, test.stdin, append([]string{"add", "@f"}, strings.Fields(test.args)...)...)
		s.Says(test.wants)
	}
	s.Run(exitYes, "", "query", "@f", "apple", "pear", "plum", "fig", "quince", "grape",
		"kiwi", "lime")
	result := *reported[changed](s, exitYes, "", "add @f melon apple melon")
	if len(result.Keys) != 3 {
		t.Errorf("%+v, want three keys", result)
	}
	result.Keys = nil
	if want := (changed{File: s.Path("f"), Added: 1, Present: 1, Repeated: 1, Members: 14,
		Due: true}); !reflect.DeepEqual(result, want) {
		t.Errorf("%+v, want %+v", result, want)
	}
	s.Files("f", "f.key", "keys")
	s.Run(exitYes, "apple\n-\n", "add", "@f", "-")
	s.Says("present\tapple\nadded\t-\n")
}

// Added members are what building with all of them gives; a member that is added again is pinned.
func TestAddIsInsert(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	s.Run(exitYes, numbers(0, 50), "build", "-o", "@all", "--key", "@k", "--members", "50")
	s.Run(exitYes, numbers(0, 20), "build", "-o", "@f", "--key", "@k", "--members", "50")
	s.Run(exitYes, numbers(20, 50), "add", "@f", "--key", "@k")
	if s.Read("f") != s.Read("all") || s.Notes != "" {
		t.Errorf("added members are not those of one build; notes %q", s.Notes)
	}
	s.Run(exitYes, "", "add", "@f", "--key", "@k", "7")
	s.Says("present\t7\n")
	s.Run(exitYes, "", "delete", "@f", "--key", "@k", "7")
	s.Says("retained\t7\n")
}

// The answers of changes are counted, or those of one kind are printed.
func TestShownAnswersOfChanges(t *testing.T) {
	s := fruit(t)
	s.Line(exitYes, "apple\nfig\nfig\nlime\n", "add @f --count")
	s.Says("added\t2\npresent\t1\nrepeated\t1\n")
	s.Line(exitYes, "apple\nkiwi\nkiwi\n", "add @f --only repeated")
	s.Says("repeated\tkiwi\n")
	got := reported[changed](s, exitYes, "apple\nmelon\n", "add @f --count")
	if want := (changed{File: s.Path("f"), Added: 1, Present: 1, Members: 10,
		Due: true}); !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Line(exitNo, "fig\nfig\nlime\nnothing\n", "delete @f - --count")
	s.Says("deleted\t2\nretained\t0\nabsent\t1\nrepeated\t1\n")
	s.Line(exitNo, "fig\nkiwi\n", "delete @f --only absent")
	s.Says("absent\tfig\n")
	s.Line(exitNo, "fig\nmelon\n", "delete @f --only deleted --count")
	s.Says("deleted\t1\n")
	s.Refuse("", "", [][2]string{
		{"add @f x --only absent", `--only is "absent", expected one of added, present, repeated`},
		{"delete @f x --only added",
			`--only is "added", expected one of deleted, retained, absent, repeated`},
		{"rebuild @f x --count", "found --count, expected a flag of bloomlane rebuild "},
	})
}

// Where far more keys are present than the rate explains they were added before, and a filter that
// deletes and does not count says so.
func TestAddWarnsOfMembers(t *testing.T) {
	for _, test := range []struct {
		kind  string
		warns bool
	}{{"deletable", true}, {"counting", true}, {"elastic", true}, {"plain", false},
		{"bitwise", false}, {"stable", false}} {
		s := newShell(t)
		s.Write("same", numbers(0, 1000))
		s.Line(exitYes, numbers(5000, 6000),
			"build -o @f --rate 1% --members 20k --kind "+test.kind)
		for start := 10_000; start < 11_000; start += 100 { // false positives are no sign
			if s.Run(exitYes, numbers(start, start+100), "add", "@f"); s.Notes != "" {
				t.Fatalf("%s: %q of keys that are no members", test.kind, s.Notes)
			}
		}
		s.Line(exitYes, "", "add @f --keys @same --count")
		if s.Notes != "" {
			t.Errorf("%s: %q", test.kind, s.Notes)
		}
		s.Line(exitYes, "", "add @f --keys @same --count")
		if !test.warns {
			if s.Notes != "" {
				t.Errorf("%s: %q", test.kind, s.Notes)
			}
			continue
		}
		s.Noted("bloomlane: warning: 1000 of 1000 keys were present, and a rate of ")
		s.Noted(": members were added again, and a delete cannot remove them (rebuild @f --keys " +
			"FILE, of all members)\n")
		s.Line(exitYes, "", "add @f 1 2 3 --quiet")
		if s.Notes != "" {
			t.Errorf("%s: with --quiet %q", test.kind, s.Notes)
		}
		s.Line(exitYes, "", "add @f 1 2 3")
		s.Noted("3 of 3 keys were present")
	}
}

// What is wrong with the input or the filter changes nothing. Neither do no keys, nor absent ones.
func TestChangesAreAllOrNothing(t *testing.T) {
	s := fruit(t)
	s.Write("empty", "")
	s.Write("blank", "\n\n")
	before := s.Content()
	for _, command := range []string{"add", "delete"} {
		s.Refuse("fig\n"+strings.Repeat("x", maxKeyBytes+1), command, [][2]string{
			{" @f", "standard input:2: found a line"},
			{" @f --keys - --keys @missing", "standard input:2: found a line"},
			{" @f --keys @missing --keys -", "@missing: no such file"},
			{" @f fig --keys @missing", "found 1 key argument and --keys"},
		})
		s.Refuse("apple\n", command,
			[][2]string{{" @f --keys - --keys @missing", "@missing: no such file"}})
		for _, keys := range []string{"", " --keys @empty", " --keys @blank --keys -"} {
			s.Line(exitYes, "\n", command+" @f"+keys)
			s.Says("")
		}
	}
	s.Line(exitNo, "", "delete @f fig")
	if !maps.Equal(s.Content(), before) {
		t.Error("the folder has changed")
	}
	s.Line(exitYes, "", "query @f --keys @empty --keys @blank")
	if built := reported[made](s, exitYes, "\n\n", "build @empty @blank - -o @g"); built.Keys !=
		0 || built.Members != 0 {
		t.Errorf("%+v, want no members", built)
	}
	s.Line(exitNo, "", "query @g apple")
	s.Says("absent\tapple\n")
}

// A filter that is used up says so, and what to do, and doing it helps.
func TestAddNotesThatARebuildIsDue(t *testing.T) {
	s := newShell(t)
	s.Line(exitYes, numbers(0, 100),
		"build -o @f --members 100 --bits-per-key 16 --turnovers 0.1")
	s.Run(exitYes, numbers(0, 20), "delete", "@f")
	s.Run(exitYes, numbers(100, 110), "add", "@f")
	if s.Notes != "" {
		t.Errorf("a note of a filter that is not due: %q", s.Notes)
	}
	s.Line(exitYes, "", "info @f --due")
	s.Run(exitYes, "110\n", "add", "@f", "--quiet")
	if s.Notes != "" {
		t.Errorf("a note with --quiet: %q", s.Notes)
	}
	s.Run(exitYes, "111\n", "add", "@f")
	s.Line(exitYes, "", "info @f")
	all := s.Stdout
	s.Line(exitNo, "", "info @f --due")
	s.Says(all)
	if s.Stderr != "bloomlane: @f is due for a rebuild from the list of all members (rebuild @f "+
		"--keys FILE): the answer is no\n" {
		t.Errorf("of a filter that is due: %q", s.Stderr)
	}
	s.Line(exitNo, "", "info @f --due --json")
	s.JSON(new(infoResult))
	s.Run(exitYes, "112\n", "add", "@f")
	s.Noted("@f is due for a rebuild from the list of all members (rebuild @f --keys FILE)")
	s.Write("members", numbers(20, 112))
	s.Run(exitYes, "", "rebuild", "@f", "--keys", "@members")
	s.Run(exitYes, "", "info", "@f")
	if !strings.Contains(s.Stdout, "not due\n") {
		t.Errorf("%s, want no rebuild due", s.Stdout)
	}
	s.Run(exitYes, numbers(112, 132), "add", "@f")
	s.Noted("@f has 112 members and is planned for 100: build a larger one of all members (build " +
		"--members)")
}

// Of many keys in any order the first of each is taken, and the others are repeats.
func TestDistinct(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 1, BitsPerKey: 16, Key: keytest.Key(1)})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 100 {
		keys, seen, want := [][]byte{}, map[string]bool{}, []uint64{}
		for range n * n / 4 {
			keys = append(keys, fmt.Append(nil, random.IntN(n*n+1)))
		}
		hashes, repeats := distinct(f, keys)
		for i, key := range keys {
			if filter.At(repeats, i) != seen[string(key)] {
				t.Fatalf("%d keys: key %d is repeated: %v", len(keys), i, !seen[string(key)])
			}
			if !seen[string(key)] {
				want = append(want, f.Key().Hash(key))
			}
			seen[string(key)] = true
		}
		if !slices.Equal(hashes, want) {
			t.Fatalf("%d keys: other hashes", len(keys))
		}
	}
}
