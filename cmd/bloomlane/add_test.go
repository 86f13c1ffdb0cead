package main

import (
	"maps"
	"reflect"
	"strings"
	"testing"
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
	s.write("keys", "grape\n\nkiwi\ngrape\n")
	for _, test := range []struct{ stdin, args, wants string }{
		{"", "fig apple fig", "added\tfig\npresent\tapple\nrepeated\tfig\n"},
		{"", "banana banana apple", "added\tbanana\nrepeated\tbanana\npresent\tapple\n"},
		{"quince\nfig\n", "", "added\tquince\npresent\tfig\n"},
		{"lime", "--keys @keys --keys -",
			"added\tgrape\nadded\tkiwi\nrepeated\tgrape\nadded\tlime\n"},
	} {
		s.run(exitYes, test.stdin, append([]string{"add", "@f"}, strings.Fields(test.args)...)...)
		s.says(test.wants)
	}
	s.run(exitYes, "", "query", "@f", "apple", "pear", "plum", "fig", "quince", "grape",
		"kiwi", "lime")
	result := *reported[changed](s, exitYes, "", "add @f melon apple melon")
	if len(result.Keys) != 3 {
		t.Errorf("%+v, want three keys", result)
	}
	result.Keys = nil
	if want := (changed{File: s.path("f"), Added: 1, Present: 1, Repeated: 1, Members: 14,
		Due: true}); !reflect.DeepEqual(result, want) {
		t.Errorf("%+v, want %+v", result, want)
	}
	s.files("f", "f.key", "keys")
	s.run(exitYes, "apple\n-\n", "add", "@f", "-")
	s.says("present\tapple\nadded\t-\n")
}

// Added members are what building with all of them gives; a member that is added again is pinned.
func TestAddIsInsert(t *testing.T) {
	s := newShell(t)
	s.write("k", fixedKey)
	s.run(exitYes, numbers(0, 50), "build", "-o", "@all", "--key", "@k", "--members", "50")
	s.run(exitYes, numbers(0, 20), "build", "-o", "@f", "--key", "@k", "--members", "50")
	s.run(exitYes, numbers(20, 50), "add", "@f", "--key", "@k")
	if s.read("f") != s.read("all") || s.notes != "" {
		t.Errorf("added members are not those of one build; notes %q", s.notes)
	}
	s.run(exitYes, "", "add", "@f", "--key", "@k", "7")
	s.says("present\t7\n")
	s.run(exitYes, "", "delete", "@f", "--key", "@k", "7")
	s.says("retained\t7\n")
}

// The answers of changes are counted, or those of one kind are printed.
func TestShownAnswersOfChanges(t *testing.T) {
	s := fruit(t)
	s.line(exitYes, "apple\nfig\nfig\nlime\n", "add @f --count")
	s.says("added\t2\npresent\t1\nrepeated\t1\n")
	s.line(exitYes, "apple\nkiwi\nkiwi\n", "add @f --only repeated")
	s.says("repeated\tkiwi\n")
	got := reported[changed](s, exitYes, "apple\nmelon\n", "add @f --count")
	if want := (changed{File: s.path("f"), Added: 1, Present: 1, Members: 10,
		Due: true}); !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.line(exitNo, "fig\nfig\nlime\nnothing\n", "delete @f - --count")
	s.says("deleted\t2\nretained\t0\nabsent\t1\nrepeated\t1\n")
	s.line(exitNo, "fig\nkiwi\n", "delete @f --only absent")
	s.says("absent\tfig\n")
	s.line(exitNo, "fig\nmelon\n", "delete @f --only deleted --count")
	s.says("deleted\t1\n")
	s.refuse("", "", [][2]string{
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
		s.write("same", numbers(0, 1000))
		s.line(exitYes, numbers(5000, 6000),
			"build -o @f --rate 1% --members 20k --kind "+test.kind)
		for start := 10_000; start < 11_000; start += 100 { // false positives are no sign
			if s.run(exitYes, numbers(start, start+100), "add", "@f"); s.notes != "" {
				t.Fatalf("%s: %q of keys that are no members", test.kind, s.notes)
			}
		}
		s.line(exitYes, "", "add @f --keys @same --count")
		if s.notes != "" {
			t.Errorf("%s: %q", test.kind, s.notes)
		}
		s.line(exitYes, "", "add @f --keys @same --count")
		if !test.warns {
			if s.notes != "" {
				t.Errorf("%s: %q", test.kind, s.notes)
			}
			continue
		}
		s.noted("bloomlane: warning: 1000 of 1000 keys were present, and a rate of ")
		s.noted(": members were added again, and a delete cannot remove them (rebuild @f --keys " +
			"FILE, of all members)\n")
		s.line(exitYes, "", "add @f 1 2 3 --quiet")
		if s.notes != "" {
			t.Errorf("%s: with --quiet %q", test.kind, s.notes)
		}
		s.line(exitYes, "", "add @f 1 2 3")
		s.noted("3 of 3 keys were present")
	}
}

// What is wrong with the input or the filter changes nothing. Neither do no keys, nor absent ones.
func TestChangesAreAllOrNothing(t *testing.T) {
	s := fruit(t)
	s.write("empty", "")
	s.write("blank", "\n\n")
	before := s.content()
	for _, command := range []string{"add", "delete"} {
		s.refuse("fig\n"+strings.Repeat("x", maxKeyBytes+1), command, [][2]string{
			{" @f", "standard input:2: found a line"},
			{" @f --keys - --keys @missing", "standard input:2: found a line"},
			{" @f --keys @missing --keys -", "@missing: no such file"},
			{" @f fig --keys @missing", "found 1 key argument and --keys"},
		})
		s.refuse("apple\n", command,
			[][2]string{{" @f --keys - --keys @missing", "@missing: no such file"}})
		for _, keys := range []string{"", " --keys @empty", " --keys @blank --keys -"} {
			s.line(exitYes, "\n", command+" @f"+keys)
			s.says("")
		}
	}
	s.line(exitNo, "", "delete @f fig")
	if !maps.Equal(s.content(), before) {
		t.Error("the folder has changed")
	}
	s.line(exitYes, "", "query @f --keys @empty --keys @blank")
	if built := reported[made](s, exitYes, "\n\n", "build @empty @blank - -o @g"); built.Keys !=
		0 || built.Members != 0 {
		t.Errorf("%+v, want no members", built)
	}
	s.line(exitNo, "", "query @g apple")
	s.says("absent\tapple\n")
}

// A filter that is used up says so, and what to do, and doing it helps.
func TestAddNotesThatARebuildIsDue(t *testing.T) {
	s := newShell(t)
	s.line(exitYes, numbers(0, 100),
		"build -o @f --members 100 --bits-per-key 16 --turnovers 0.1")
	s.run(exitYes, numbers(0, 20), "delete", "@f")
	s.run(exitYes, numbers(100, 110), "add", "@f")
	if s.notes != "" {
		t.Errorf("a note of a filter that is not due: %q", s.notes)
	}
	s.line(exitYes, "", "info @f --due")
	s.run(exitYes, "110\n", "add", "@f", "--quiet")
	if s.notes != "" {
		t.Errorf("a note with --quiet: %q", s.notes)
	}
	s.run(exitYes, "111\n", "add", "@f")
	s.line(exitYes, "", "info @f")
	all := s.stdout
	s.line(exitNo, "", "info @f --due")
	s.says(all)
	if s.stderr != "bloomlane: @f is due for a rebuild from the list of all members (rebuild @f "+
		"--keys FILE): the answer is no\n" {
		t.Errorf("of a filter that is due: %q", s.stderr)
	}
	s.line(exitNo, "", "info @f --due --json")
	s.json(new(infoResult))
	s.run(exitYes, "112\n", "add", "@f")
	s.noted("@f is due for a rebuild from the list of all members (rebuild @f --keys FILE)")
	s.write("members", numbers(20, 112))
	s.run(exitYes, "", "rebuild", "@f", "--keys", "@members")
	s.run(exitYes, "", "info", "@f")
	if !strings.Contains(s.stdout, "not due\n") {
		t.Errorf("%s, want no rebuild due", s.stdout)
	}
	s.run(exitYes, numbers(112, 132), "add", "@f")
	s.noted("@f has 112 members and is planned for 100: build a larger one of all members (build " +
		"--members)")
}
