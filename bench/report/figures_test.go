package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// A page has the figures of every recording, each with a link to its page; those that one lacks are
// left out, and what stands around a block stays.
func TestFigures(t *testing.T) {
	bare := synthetic()
	keep(bare, func(g result.Group) bool { return g.KeyBytes == "" },
		func(result.Subject) bool { return true })
	whole := synthetic()
	for i, c := range []result.Conditions{{BlockBits: 512, Pages: "huge"}, // which the figures have
		{BlockBits: 256, Pages: "huge"}, {BlockBits: 512, Pages: "4KiB"}} {
		c.Operation, c.Keys, c.Form, c.Bytes = "query", "mixed", result.FormSingle, 16<<10
		whole.Groups = append(whole.Groups, result.Group{Conditions: c, Subjects: []result.Subject{
			{Kind: result.Implementation, Name: result.Methods, Least: 2.9 + float64(i)},
			{Kind: result.Floor, Name: "loop", Least: 0.5}}})
	}
	all := []Recording{{"first_cpu", "a/README.md", bare}, {"second", "b/README.md", whole}}
	page := "before\n<!-- figures: floors -->\n<!-- end of figures -->\nbetween\n<!-- figures: " +
		"peers -->\nold\n<!-- end of figures -->\n<!-- figures: singles -->\n" +
		"<!-- end of figures -->\nafter\n"
	got, err := Figures(page, Blocks(all))
	if err != nil {
		t.Fatal(err)
	}
	says(t, got, "before\n<!-- figures: floors -->\n\n**Batches", "-->\nbetween\n", "-->\nafter\n",
		"| [first\\_cpu](a/README.md) | query | 1.65 | 1.17 | 1.07 |\n",
		"| [second](b/README.md) | query | 1.65 |", "| [first\\_cpu](a/README.md) | with as many "+
			"bits per key | 36 | 18 | 18 | bloomlane-512 in query to quick\\_peer; ",
		"|  | with as many bits per key, with keys of bytes | 4 | 0 | 12 | deletable in query to "+
			"quick\\_peer; deletable-single in query to slow peer, quick\\_peer; ",
		"| [second](b/README.md) | query | 2.90 |\n")
	if strings.Contains(got, "old") || strings.Count(got, "(a/README.md)") != 2 ||
		strings.Count(got, "(b/README.md)") != 3 {
		t.Errorf("old figures, or not a table of each recording:\n%s", got)
	}
	one := whole.Groups
	whole.Groups, whole.Hash = append(whole.Groups, result.Group{Conditions: result.Conditions{
		Operation: hashing, Form: result.FormBatch, KeyBytes: "8"}, Subjects: []result.Subject{
		{Kind: result.Implementation, Name: "avx2, FastHash", Least: 1.5},
		{Kind: result.Implementation, Name: "methods, FastHash", Least: 7},
		{Kind: result.Implementation, Name: "avx2, HighwayHash-64", Least: 0.5},
		{Kind: result.Peer, Name: "open hash", Least: 0.4}}}), "FastHash"
	whole.Groups = append(whole.Groups[len(one):], result.Group{Conditions: result.Conditions{
		Operation: hashing, Form: result.FormChain, KeyBytes: "8"}, Subjects: []result.Subject{
		{Kind: result.Implementation, Name: "methods, FastHash", Least: 14},
		{Kind: result.Peer, Name: "open hash", Least: 2.4}}})
	says(t, markdown(hashTable(cells(all[1]))), "| machine | hash function |  | 8 |\n",
		"| second | FastHash | batches, avx2 | 1.50 |\n|  |  | one key at a time | "+
			"7.00 |\n|  | HighwayHash-64 | batches, avx2 | 0.50 |\n|  | open hash | one key at a "+
			"time | 0.40 |\n", "each after the one before | 14.0 |\n")
	if strings.Contains(Blocks(all)["machines"], "second") {
		t.Error("a recording of hashes alone is a machine")
	}
	whole.Groups, whole.Hash = one, ""
	if again, err := Figures(got, Blocks(all)); err != nil || again != got {
		t.Errorf("made again (%v) it is\n%s", err, again)
	}
	if none, err := Figures("<!-- figures: singles -->\n\n| x |\n\n<!-- end of figures -->\n",
		Blocks(all[:1])); err != nil ||
		none != "<!-- figures: singles -->\n<!-- end of figures -->\n" {
		t.Errorf("without figures (%v): %q", err, none)
	}
	for _, bad := range []string{"<!-- figures: other -->\n<!-- end of figures -->\n",
		"<!-- figures: singles -->\n", "<!-- figures: singles"} {
		var e *FiguresError
		if _, err := Figures(bad, Blocks(all)); !errors.As(err, &e) {
			t.Errorf("%q: error %v, want a %T", bad, err, e)
		}
	}
}
