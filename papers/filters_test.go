package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/family"
	"github.com/bloomlane/bloomlane/filter/kinds"
)

// notBuilt is the filters that the documents name and that have neither a kind nor a model here.
var notBuilt = map[string][]string{
	"letter": {"d-left counting", "optimal replacement", "variable-length signatures"},
	"garden": {"Bloomier", "Golomb-coded sets", "compressed", "distance-sensitive",
		"dynamic", "scalable"},
	"retouched": {
		"anti-Bloom", "attenuated", "compressed", "d-left counting", "distance-sensitive",
		"dynamic", "extended",
		"generalized", "multi-attribute", "multi-predicate", "parallel, one per length",
		"space-code", "split",
		"time-decaying", "time-out", "weighted",
	},
	"elastic": {
		"Par-BF", "approximate state machines", "dynamic", "dynamic array (DBA)",
		"locality-sensitive",
		"multi-predicate", "optimal replacement", "optimized dynamic", "scalable", "shifting",
	},
	"none": {"ternary"}, // the issue of this page named it
}

// The page has each of them, with the documents that name it, and no kind.
func TestFiltersNotBuilt(t *testing.T) {
	page, err := os.ReadFile("../docs/filters-not-built.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	names := []string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || cells[0] == "| filter" ||
			cells[0] == "| ---" {
			continue
		}
		name := strings.TrimPrefix(cells[0], "| ")
		names = append(names, name)
		if _, built := slices.Concat(kinds.All(), family.All()).Of(name); built {
			t.Errorf("%s is built", name)
		}
		for by := range strings.SplitSeq(cells[1], "; ") {
			document, _, _ := strings.Cut(strings.NewReplacer(",", " ", ":", " ").Replace(by), " ")
			listed[document] = append(listed[document], name)
		}
	}
	if !slices.IsSortedFunc(names, func(x, y string) int {
		return strings.Compare(strings.ToLower(x), strings.ToLower(y))
	}) {
		t.Errorf("not in order: %q", names)
	}
	for document, want := range notBuilt {
		slices.Sort(listed[document])
		if !slices.Equal(listed[document], want) {
			t.Errorf("%s names %q, and the page has %q", document, want, listed[document])
		}
	}
	if len(listed) != len(notBuilt) {
		t.Errorf("%d documents: %v", len(listed), listed)
	}
}
