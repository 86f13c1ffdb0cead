package main

import (
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
		File: s.Path("f"), Kind: "deletable", KeyFile: s.Path("k"), Keys: 501, Duplicates: 1,
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
		{"@f", "found no keys, expected all members of @f"},
		{"@f --keys @empty", "found no keys"},
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
