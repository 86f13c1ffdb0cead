package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

func TestRebuild(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	build := func(name, keys string) {
		s.Line(exitYes, keys, "build --key @k --members 1000 --bits-per-key 10 --turnovers 1 "+
			"--lifetime random -o @"+name)
	}
	build("f", numbers(0, 1000))
	build("want", numbers(500, 1000))
	s.Run(exitYes, numbers(0, 500), "delete", "@f", "--key", "@k")
	s.Write("members", numbers(500, 1000)+"777\n")
	result := *reported[made](s, exitYes, "", "rebuild @f --key @k --keys @members")
	want := made{
		File: s.named("f"), Kind: "deletable", KeyFile: s.named("k"), Keys: 501, Duplicates: 1,
		MembersBefore: 500, Members: 500, Planned: 1000,
		Bytes: 1280, RateBefore: result.RateBefore, Rate: result.Rate, Turnovers: 1,
		PlannedRate: result.PlannedRate,
	}
	if result != want || result.RateBefore <= 2*result.Rate || result.PlannedRate <= result.Rate {
		t.Errorf("%+v, want %+v", result, want)
	}
	if s.Read("f") != s.Read("want") {
		t.Error("a filter that is rebuilt is not a new one of the same plan")
	}
	s.Run(exitYes, numbers(500, 1000), "rebuild", "@f", "--key", "@k")
	for _, want := range []string{
		"f, rebuilt\n", "keys read        500, of which 0 were duplicates\n",
		"500, planned for 1000\n", "before           500 members, ",
	} {
		if !strings.Contains(s.Stdout, want) {
			t.Errorf("%s does not say %q", s.Stdout, want)
		}
	}
	s.Files("f", "k", "members", "want")
}

func TestRebuildRefuses(t *testing.T) {
	s := fruit(t)
	s.Write("empty", "\n")
	s.Write("long", "apple\n"+strings.Repeat("x", maxKeyBytes+1))
	s.Refuse("", "rebuild ", [][2]string{
		{"@f", "found 0 members, expected all of @f, which has 3 (--force "},
		{"@f --keys @empty", "found 0 members, expected all of @f"},
		{"@f 1 2 3 4",
			"found 4 members, but @f is planned for 3: build a new one (build --members 4)"},
		{"@f --keys @long", "@long:2: found a line"},
		{"@f --keys @missing", "@missing: no such file"},
		{"@f apple --keys @empty", "found 1 key argument and --keys"},
		{"@missing apple", "@missing: no such file"},
		{"@long apple --key @f.key", "not a Bloomlane filter"},
		{"- apple", "rebuild replaces the filter's file, expected a file and not standard input"},
		{"", "found 0 arguments, expected bloomlane "},
		{"@f apple --lock-timeout -1s", "--lock-timeout is -1s, expected at least 0s"},
	})
}

// A list that leaves less than a tenth of the members, as an empty one, is taken with --force only.
func TestRebuildKeepsATenth(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	for _, kind := range []string{"deletable", "cuckoo", "counting"} {
		s.Line(exitYes, numbers(0, 1000), "build --key @k --replace -o @f --kind "+kind)
		for _, members := range []int{0, 99} {
			s.Refuse(numbers(0, members), "rebuild @f --key @k", [][2]string{{"", fmt.Sprintf(
				"found %d members, expected all of @f, which has 1000 (--force ", members)}})
		}
		for _, test := range []struct {
			members int
			flags   string
		}{{100, ""}, {9, " --force"}, {0, " --force"}, {0, ""}} {
			rebuilt := reported[made](s, exitYes, numbers(0, test.members),
				"rebuild @f --key @k"+test.flags)
			if rebuilt.Members != test.members {
				t.Errorf("%s%s: %d members, want %d", kind, test.flags, rebuilt.Members,
					test.members)
			}
		}
	}
}

// A key argument that names a file is refused where it would change members, unless it stands after
// "--". A query answers, and notes it. A folder is no list of keys.
func TestKeysThatNameFiles(t *testing.T) {
	s := fruit(t)
	s.Write("list", "apple\npear\n")
	if err := os.Mkdir(s.Path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"add", "delete", "rebuild"} {
		s.Refuse("", command, [][2]string{
			{" @f @list", "found the file @list as a key argument, expected --keys @list, to " +
				"read it, or -- @list, for a key of that name"},
			{" @f apple @list -- pear", "found the file @list as a key argument"},
			{" @f @f", "found the file @f as a key argument"},
		})
	}
	s.Line(exitNo, "", "query @f apple @list")
	s.Says("present\tapple\nabsent\t" + s.Path("list") + "\n")
	s.Noted("@list is asked as a key, and is a file too: --keys @list reads it")
	for _, line := range []string{
		"add @f @folder -- @list", "query @f -- @folder @list", "query -- @f @folder @list",
		"delete -- @f @list", "add @f -- @list", "rebuild @f apple @folder -- @list",
	} {
		s.Line(exitYes, "", line)
		if strings.Contains(s.Notes, "a file") {
			t.Errorf("%s: notes %q", line, s.Notes)
		}
	}
	s.Line(exitYes, "", "query @f apple @folder -- @list")
	s.Line(exitYes, "", "add @f --keys @list")
	s.Says("present\tapple\nadded\tpear\n")
	t.Chdir(s.Folder)
	s.Write("-", "fig\n")
	s.Line(exitYes, "lime\n", "add @f -") // standard input
	s.Says("added\tlime\n")
}
