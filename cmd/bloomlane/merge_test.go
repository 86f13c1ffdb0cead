package main

import (
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// days returns a shell with the filters monday, of apple and pear, and tuesday, of plum, of one key
// and size.
func days(t *testing.T) *shell {
	s := newShell(t)
	s.Write("monday.key", commandtest.FixedKey)
	s.Write("tuesday.key", commandtest.FixedKey)
	s.Run(exitYes, "apple\npear\n", "build", "-o", "@monday", "--members", "100")
	s.Run(exitYes, "plum\n", "build", "-o", "@tuesday", "--members", "100")
	return s
}

func TestMerge(t *testing.T) {
	s := days(t)
	result := *reported[made](s, exitYes, "", "merge -o @all @monday @tuesday")
	if want := (made{
		File: s.named("all"), Kind: "deletable", KeyFile: s.named("all.key"), KeyCreated: true,
		Merged: 2, Members: 3, Planned: 100,
		Bytes: 256, Rate: result.Rate, PlannedRate: result.PlannedRate,
	}); result != want {
		t.Errorf("%+v, want %+v", result, want)
	}
	s.Files("all", "all.key", "monday", "monday.key", "tuesday", "tuesday.key")
	s.Run(exitYes, "", "query", "@all", "apple", "pear", "plum")
	s.Run(exitNo, "", "query", "@monday", "plum")
	s.Run(exitYes, "", "merge", "-o", "@monday", "@monday", "@tuesday") // into an input
	if s.Read("monday") != s.Read("all") {
		t.Error("a merge into an input is another one")
	}
	s.Files("all", "all.key", "monday", "monday.key", "tuesday", "tuesday.key")

	s.Write("k", commandtest.FixedKey)
	s.Run(exitYes, "apple\npear\nplum\n", "build", "-o", "@once", "--members", "100", "--key", "@k")
	if s.Read("all") != s.Read("once") {
		t.Error("the merged filter is not the filter of all the keys")
	}
}

// The inserts of all the filters count against the plan, which is that for more.
func TestMergeOfPlans(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	s.Line(exitYes, numbers(0, 8), "build -o @a --key @k --members 8 --bits-per-key 64 "+
		"--turnovers 3")
	s.Line(exitYes, numbers(8, 16), "build -o @b --key @k --members 10 --bits-per-key 51.2")
	s.Line(exitYes, numbers(16, 20), "build -o @c --key @k --members 10 --bits-per-key 51.2 "+
		"--turnovers 1")
	result := reported[made](s, exitYes, "", "merge -o @d @a @b @c --key @k")
	if result.Members != 20 || result.Planned != 10 || result.Turnovers != 1 || result.Due {
		t.Errorf("%+v, want 20 inserts of a plan of 20", result)
	}
	s.Run(exitYes, numbers(20, 21), "build", "-o", "@e", "--key", "@k", "--members", "10",
		"--bits-per-key", "51.2")
	s.Run(exitYes, "", "merge", "-o", "@d", "@d", "@e", "--key", "@k")
	if !strings.Contains(s.Stdout, "due: there were more inserts than planned\n") {
		t.Errorf("%s does not say that a rebuild is due", s.Stdout)
	}
	if info := s.info("@d"); !info.Due || info.Made < 1.09 || info.Made > 1.11 ||
		info.Turnovers != 1 || info.Version != 4 {
		t.Errorf("%+v, want 1.1 turnovers of 1, and due", info)
	}
}

func TestMergeRefuses(t *testing.T) {
	s := days(t)
	s.Run(exitYes, "fig\n", "build", "-o", "@large", "--members", "1000", "--key", "@monday.key")
	s.Run(exitYes, "fig\n", "build", "-o", "@other", "--members", "100")
	s.Write("taken.key", strings.ReplaceAll(commandtest.FixedKey, "00", "01"))
	s.Refuse("", "merge ", [][2]string{
		{"@monday @tuesday", "expected --out, which bloomlane merge needs"},
		{"-o @all @monday", "found 1 argument, expected bloomlane merge -o OUT FILE FILE..."},
		{"-o @all @monday @monday", "@monday and @monday are one file, expected different filters"},
		{"-o @all @monday @missing", "@missing: no such file"},
		{"-o @all @monday @monday.key", "@monday.key is a hash key, expected a filter"},
		{"-o @all @monday @large", "merge: @monday has 256 bytes and @large has 2048 bytes, " +
			"expected one size: build each with --members 1000 (the members of all), " +
			"--bits-per-key 16.4 and one --key FILE, or give --fold"},
		{"-o @all @monday @other", ": build filters that are to be put together with the same " +
			"--key FILE"},
		{"-o @taken @monday @tuesday", "@taken.key: wrong hash key"},
		{"-o @missing/all @monday @tuesday",
			"lock @missing/all: open @missing/all.lock: no such file"},
	})
}

// Where shards differ in size the message says what to give to build, and that works.
func TestMergeSaysWhatToGive(t *testing.T) {
	for _, flags := range []string{"", "--bits-per-key 9.7", "--rate 0.001 --turnovers 2"} {
		s := newShell(t)
		s.Write("k", commandtest.FixedKey)
		build := func(flags string) {
			t.Helper()
			shards := map[string]string{"a": numbers(0, 1000), "b": numbers(1000, 1007),
				"c": numbers(1007, 1500)}
			for name, keys := range shards {
				s.Line(exitYes, keys, "build -o @"+name+" --key @k --replace "+flags)
			}
		}
		build(flags)
		s.Run(exitBad, "", "merge", "-o", "@all", "@a", "@b", "--key", "@k")
		s.OneLine()
		_, advice, _ := strings.Cut(s.Stderr, "build each with ")
		advice, _, found := strings.Cut(advice, " and one --key FILE")
		advice = strings.Replace(advice, " (the members of all),", "", 1)
		if !found || !strings.HasPrefix(advice, "--members 1007 --bits-per-key ") {
			t.Fatalf("%s: no advice in %q", flags, s.Stderr)
		}
		build(advice)
		s.Run(exitYes, "", "merge", "-o", "@all", "@a", "@b", "@c", "--key", "@k")
		s.Run(exitYes, numbers(0, 1500), "query", "@all", "--key", "@k")
	}
}

// Filters whose sizes differ by powers of two merge where they may be folded, whichever comes
// first.
func TestMergeFolds(t *testing.T) {
	for _, kind := range []string{"deletable", "blocked"} {
		s := newShell(t)
		s.Write("k", commandtest.FixedKey)
		// 16, 4 and 8 blocks
		for name, planned := range map[string]string{"a": "512", "b": "128", "c": "256"} {
			lines := map[string]string{"a": numbers(0, 40), "b": numbers(40, 80),
				"c": numbers(80, 120)}[name]
			s.Line(exitYes, lines, "build -o @"+name+" --key @k --kind "+kind+" --members "+planned)
		}
		for _, order := range []string{"@a @b @c", "@b @a @c", "@c @a @b"} {
			result := reported[made](s, exitYes, "",
				"merge --replace --fold -o @all --key @k "+order)
			if result.Bytes != 256 || result.Members != 120 {
				t.Errorf("%s, %s: %+v", kind, order, result)
			}
			s.Run(exitYes, numbers(0, 120), "query", "@all", "--key", "@k")
		}
	}
}

// Filters that have one size when they are folded, and differ in more, are not advised to be
// folded.
func TestMergeFoldedInVain(t *testing.T) {
	s := newShell(t)
	s.Write("k", commandtest.FixedKey)
	s.Line(exitYes, numbers(0, 40), "build -o @a --key @k --kind plain --bits-per-key 4 "+
		"--members 1024")
	s.Line(exitYes, numbers(0, 40), "build -o @b --key @k --kind plain --bits-per-key 16 "+
		"--members 128")
	s.Line(exitBad, "", "merge --fold -o @all --key @k @a @b")
	if !strings.Contains(s.Stderr, "hashes") || strings.Contains(s.Stderr, "--fold") {
		t.Error(s.Stderr)
	}
}

// Where the bytes of two filters do not say how they differ, the error does, and what to give.
func TestMergeOfOtherShapes(t *testing.T) {
	const advice = ": build each with the same --members, the same --bits-per-key or --rate, and " +
		"one --key FILE"
	for name, test := range map[string]struct{ kind, a, b, found string }{
		"one member more": {"elastic", "--members 1033", "--members 1034", "in 64 blocks"},
		"other bytes":     {"elastic", "--members 1000", "--members 3000", "members in"},
		"less than a word": {"plain", "--members 4 --bits-per-key 8",
			"--members 8 --bits-per-key 8", "plain, 64 bits"},
		"hashes": {"plain", "--members 100 --bits-per-key 16", "--members 200 --bits-per-key 8",
			"6 hashes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			s.Write("k", commandtest.FixedKey)
			s.Line(exitYes, "fig\n", "build -o @a --key @k --kind "+test.kind+" "+test.a)
			s.Line(exitYes, "fig\n", "build -o @b --key @k --kind "+test.kind+" "+test.b)
			s.Refuse("", "merge ", [][2]string{
				{"-o @all --key @k @a @b", test.found}, {"-o @all --key @k @a @b", advice},
				{"--fold -o @all --key @k @a @b", test.found},
			})
		})
	}
}

func TestIntersect(t *testing.T) {
	for _, kind := range []string{"deletable", "elastic"} {
		s := newShell(t)
		s.Write("k", commandtest.FixedKey)
		s.Line(exitYes, numbers(0, 3000), "build -o @a --key @k --members 4096 --kind "+kind)
		s.Line(exitYes, numbers(2000, 5000), "build -o @b --key @k --members 4096 --kind "+kind)
		result := reported[made](s, exitYes, "", "intersect -o @both @a @b --key @k")
		if result.Merged != 2 || result.Members < 900 || result.Members > 1100 {
			t.Errorf("%s: %+v", kind, result)
		}
		s.Run(exitYes, numbers(2000, 3000), "query", "@both", "--key", "@k")
		s.Run(exitYes, numbers(2000, 2500), "delete", "@both", "--key", "@k")
		s.Run(exitYes, numbers(2500, 3000), "query", "@both", "--key", "@k")
	}
	s := days(t)
	s.Run(exitYes, "fig\n", "build", "-o", "@large", "--members", "300", "--key", "@monday.key")
	s.Run(exitYes, "fig\n", "build", "-o", "@plain", "--members", "100", "--kind", "plain")
	s.Refuse("", "intersect ", [][2]string{
		{"-o @all @plain @monday", "@plain has kind plain, which cannot intersect"},
		{"-o @all @monday @large", "intersect: @monday has 256 bytes and @large has 640 bytes, " +
			"expected one size: "},
		{"--fold -o @all @monday @large",
			"intersect: @monday has 256 bytes and @large has 640 bytes, expected one size: "},
	})
}
