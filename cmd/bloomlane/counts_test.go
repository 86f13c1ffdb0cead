package main

import (
	"strings"
	"testing"
)

// A filter that counts takes a key as often as it comes, in build, add and delete, and tells how
// often.
func TestCounts(t *testing.T) {
	for _, kind := range []string{"bitwise", "spectral-ms", "spectral-mi", "spectral-rm"} {
		s := newShell(t)
		s.Write("words", "apple\npear\napple\napple\n")
		s.Line(exitYes, "", "build @words -o @f --kind "+kind+" --members 1000 --rate 1e-6")
		if !strings.Contains(s.Stdout, "keys read        4, of which 2 were duplicates, which "+
			"are counted\n") {
			t.Error(s.Stdout)
		}
		s.Line(exitNo, "", "query @f --counts apple pear fig")
		s.Says("3\tapple\n1\tpear\n0\tfig\n")
		s.Line(exitYes, "fig\nfig\napple\n", "add @f")
		s.Says("added\tfig\npresent\tfig\npresent\tapple\n")
		s.Line(exitYes, "apple\nfig\n", "query @f --counts --json")
		for _, want := range []string{
			`{"key":"apple","answer":"present","count":4}`,
			`{"key":"fig","answer":"present","count":2}`,
		} {
			if !strings.Contains(s.Stdout, want) {
				t.Errorf("%s, want %s", s.Stdout, want)
			}
		}
		s.Line(exitYes, "", "query @f --counts --only present apple lime fig")
		s.Says("4\tapple\n2\tfig\n")
		if kind == "spectral-mi" {
			s.Line(exitBad, "", "delete @f apple")
			continue
		}
		s.Line(exitYes, "", "delete @f apple apple fig")
		s.Line(exitYes, "", "query @f --counts apple fig")
		s.Says("2\tapple\n1\tfig\n")
	}
}

// A filter that does not count says so, and takes a key once.
func TestCountsOfAFilterThatDoesNotCount(t *testing.T) {
	s := fruit(t)
	s.Line(exitBad, "", "query @f --counts apple")
	s.Complains(" has kind deletable, which cannot count")
	s.Line(exitBad, "", "query @f --counts --count apple")
	s.Complains("found --count and --counts, expected one of them")
}
