package main

import (
	"strings"
	"testing"
)

// days returns a shell with the filters monday, of apple and pear, and tuesday, of plum, of one key
// and size.
func days(t *testing.T) *shell {
	s := newShell(t)
	s.write("monday.key", fixedKey)
	s.write("tuesday.key", fixedKey)
	s.run(exitYes, "apple\npear\n", "build", "-o", "@monday", "--members", "100")
	s.run(exitYes, "plum\n", "build", "-o", "@tuesday", "--members", "100")
	return s
}

func TestMerge(t *testing.T) {
	s := days(t)
	s.run(exitYes, "", "merge", "-o", "@all", "@monday", "@tuesday", "--json")
	var result made
	s.json(&result)
	if want := (made{
		File: s.path("all"), Kind: "deletable", KeyFile: s.path("all.key"), KeyCreated: true, Merged: 2, Members: 3, Planned: 100,
		Bytes: 256, Rate: result.Rate, PlannedRate: result.PlannedRate,
	}); result != want {
		t.Errorf("%+v, want %+v", result, want)
	}
	s.files("all", "all.key", "monday", "monday.key", "tuesday", "tuesday.key")
	s.run(exitYes, "", "query", "@all", "apple", "pear", "plum")
	s.run(exitNo, "", "query", "@monday", "plum")

	s.write("k", fixedKey)
	s.run(exitYes, "apple\npear\nplum\n", "build", "-o", "@once", "--members", "100", "--key", "@k")
	if s.read("all") != s.read("once") {
		t.Error("the merged filter is not the filter of all the keys")
	}
}

// The inserts of all the filters count against the plan, which is that for more.
func TestMergeOfPlans(t *testing.T) {
	s := newShell(t)
	s.write("k", fixedKey)
	const size = "51.2" // a block
	for name, members := range map[string]string{"a": "8", "b": "10", "c": "10"} {
		turnovers := map[string]string{"a": "3", "b": "0", "c": "1"}[name]
		bits := map[string]string{"8": "64", "10": size}[members]
		keys := map[string]string{"a": numbers(0, 8), "b": numbers(8, 16), "c": numbers(16, 20)}[name]
		s.run(exitYes, keys, "build", "-o", "@"+name, "--key", "@k", "--members", members, "--bits-per-key", bits, "--turnovers", turnovers)
	}
	s.run(exitYes, "", "merge", "-o", "@d", "@a", "@b", "@c", "--key", "@k", "--json")
	var result made
	s.json(&result)
	if result.Members != 20 || result.Planned != 10 || result.Turnovers != 1 || result.Due {
		t.Errorf("%+v, want 20 inserts of a plan of 20", result)
	}
	s.run(exitYes, numbers(20, 21), "build", "-o", "@e", "--key", "@k", "--members", "10", "--bits-per-key", size)
	s.run(exitYes, "", "merge", "-o", "@d", "@d", "@e", "--key", "@k")
	if !strings.Contains(s.stdout, "due: there were more inserts than planned\n") {
		t.Errorf("%s does not say that a rebuild is due", s.stdout)
	}
	if info := s.info("@d"); !info.Due || info.Made < 1.09 || info.Made > 1.11 || info.Turnovers != 1 || info.Version != 3 {
		t.Errorf("%+v, want 1.1 turnovers of 1, and due", info)
	}
}

func TestMergeIntoAnInput(t *testing.T) {
	s := days(t)
	s.run(exitYes, "", "merge", "-o", "@monday", "@monday", "@tuesday")
	s.run(exitYes, "", "query", "@monday", "apple", "pear", "plum")
	s.files("monday", "monday.key", "tuesday", "tuesday.key")
}

func TestMergeRefuses(t *testing.T) {
	s := days(t)
	s.run(exitYes, "fig\n", "build", "-o", "@large", "--members", "1000", "--key", "@monday.key")
	s.run(exitYes, "fig\n", "build", "-o", "@other", "--members", "100")
	s.write("taken.key", strings.ReplaceAll(fixedKey, "00", "01"))
	for _, test := range []struct{ args, wants string }{
		{"@monday @tuesday", `required flag(s) "out" not set`},
		{"-o @all @monday", "requires at least 2 arg"},
		{"-o @all @monday @monday", "@monday and @monday are one file, expected different filters"},
		{"-o @all @monday @missing", "@missing: no such file"},
		{"-o @all @monday @monday.key", "open filter @monday.key: not a Bloomlane filter"},
		{"-o @all @monday @large", "merge: @monday has 256 bytes and @large has 2048 bytes, expected one size: " +
			"build each with --members 1000 (the members of all), --bits-per-key 16.4 and one --key FILE"},
		{"-o @all @monday @other", ": build filters that are to be merged with the same --key FILE"},
		{"-o @taken @monday @tuesday", "@taken.key: wrong hash key"},
		{"-o @missing/all @monday @tuesday", "lock @missing/all: open @missing/all.lock: no such file"},
	} {
		s.run(exitBad, "", append([]string{"merge"}, strings.Fields(test.args)...)...)
		s.complains(test.wants)
	}
	s.files("large", "monday", "monday.key", "other", "other.key", "taken.key", "tuesday", "tuesday.key")
}

// Where shards differ in size the message says what to give to build, and that works.
func TestMergeSaysWhatToGive(t *testing.T) {
	for _, flags := range []string{"", "--bits-per-key 9.7", "--rate 0.001 --turnovers 2", "--members 500"} {
		s := newShell(t)
		s.write("k", fixedKey)
		build := func(flags string) {
			t.Helper()
			shards := map[string]string{"a": numbers(0, 1000), "b": numbers(1000, 1007), "c": numbers(1007, 1500)}
			for name, keys := range shards {
				s.run(exitYes, keys, append([]string{"build", "-o", "@" + name, "--key", "@k"}, strings.Fields(flags)...)...)
			}
		}
		build(flags)
		s.run(exitBad, "", "merge", "-o", "@all", "@a", "@b", "--key", "@k")
		s.oneLine()
		_, advice, _ := strings.Cut(s.stderr, "build each with ")
		advice, _, found := strings.Cut(advice, " and one --key FILE")
		advice = strings.Replace(advice, " (the members of all),", "", 1)
		if !found || !strings.HasPrefix(advice, "--members 1007 --bits-per-key ") {
			t.Fatalf("%s: no advice in %q", flags, s.stderr)
		}
		build(advice)
		s.run(exitYes, "", "merge", "-o", "@all", "@a", "@b", "@c", "--key", "@k")
		s.run(exitYes, numbers(0, 1500), "query", "@all", "--key", "@k")
	}
}
