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
		s.write("words", "apple\npear\napple\napple\n")
		s.line(exitYes, "", "build @words -o @f --kind "+kind+" --members 1000 --rate 1e-6")
		if !strings.Contains(s.stdout, "keys read        4, of which 2 were duplicates, which "+
			"are counted\n") {
			t.Error(s.stdout)
		}
		s.line(exitNo, "", "query @f --counts apple pear fig")
		s.says("3\tapple\n1\tpear\n0\tfig\n")
		s.line(exitYes, "fig\nfig\napple\n", "add @f")
		s.says("added\tfig\npresent\tfig\npresent\tapple\n")
		s.line(exitYes, "apple\nfig\n", "query @f --counts --json")
		for _, want := range []string{
			`{"key":"apple","answer":"present","count":4}`,
			`{"key":"fig","answer":"present","count":2}`,
		} {
			if !strings.Contains(s.stdout, want) {
				t.Errorf("%s, want %s", s.stdout, want)
			}
		}
		s.line(exitNo, "", "query @f --counts --only present apple lime fig")
		s.says("4\tapple\n2\tfig\n")
		if kind == "spectral-mi" {
			s.line(exitBad, "", "delete @f apple")
			continue
		}
		s.line(exitYes, "", "delete @f apple apple fig")
		s.line(exitYes, "", "query @f --counts apple fig")
		s.says("2\tapple\n1\tfig\n")
	}
}

// A filter that does not count says so, and takes a key once.
func TestCountsOfAFilterThatDoesNotCount(t *testing.T) {
	s := fruit(t)
	s.line(exitBad, "", "query @f --counts apple")
	s.complains(" has kind deletable, which cannot count")
	s.line(exitBad, "", "query @f --counts --count apple")
	s.complains("found --count and --counts, expected one of them")
}
