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
	var result mergeResult
	s.json(&result)
	if want := (mergeResult{
		File: s.path("all"), KeyFile: s.path("all.key"), KeyCreated: true, Merged: 2, Members: 3, Planned: 100,
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
		{"-o @all @monday @large", "@large: merge: filters of unequal size: found 32 blocks, expected 4"},
		{"-o @all @monday @other", "open filter @other: wrong hash key"},
		{"-o @taken @monday @tuesday", "@taken.key: wrong hash key"},
		{"-o @missing/all @monday @tuesday", "@missing/all.key: no such file"},
	} {
		s.run(exitBad, "", append([]string{"merge"}, strings.Fields(test.args)...)...)
		s.complains(test.wants)
	}
	s.files("large", "monday", "monday.key", "other", "other.key", "taken.key", "tuesday", "tuesday.key")
}
