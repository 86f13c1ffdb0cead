package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// Hashes stand beside ours, with who has a secret, and what is faster is called so; keys of bytes
// are not mixed with hashes, for which there are the same peers.
func TestKeysOfBytes(t *testing.T) {
	run := synthetic()
	text := page(t, run)
	says(t, text,
		"|  | batches, purego | 36.0 | 48.0 | 60.0 |",
		"| slow hash | one key at a time | 30.0 | 40.0 | 50.0 |",
		"| 16 | 2 GiB | 7.00 | 8.20 | 16.0 | 23.2 |",
		"| quick_peer\\* | example.org/quick v1.2.3 | quickhash |",
		"| slow hash | example.org/slow | slowhash, under a secret |")
	// Ours in two forms beside two peers, in two operations at two sizes.
	says(t, peersOf(run), "| with as many bits per key, with keys of bytes | 4 | 0 | 12 | "+
		"deletable in query to quick_peer; deletable-single in query to slow peer, quick_peer; "+
		"deletable in insert", "| with as many bits per key | 36 | 18 | 18 |")
	_, bytes, _ := strings.Cut(text, "**Filters with as many bits per key, with keys of bytes**")
	bytes, _, _ = strings.Cut(bytes, "\n**")
	_, hashes, _ := strings.Cut(text, "**Filters with as many bits per key**")
	hashes, _, _ = strings.Cut(hashes, "\n**")
	for name, part := range map[string][2]string{"bytes": {bytes, "deletable"},
		"hashes": {hashes, "bloomlane-512"}} {
		other := map[string]string{"bytes": "bloomlane", "hashes": "| deletable"}[name]
		if !strings.Contains(part[0], "| "+part[1]+" |") || strings.Contains(part[0], other) {
			t.Errorf("the tables of %s lack %s, or have %s", name, part[1], other)
		}
	}
	// A run without keys of bytes has no tables of them.
	keep(run, func(g result.Group) bool { return g.KeyBytes == "" },
		func(result.Subject) bool { return true })
	if text := page(t, run); strings.Contains(text, "with keys of bytes") ||
		strings.Contains(text, "**Hashes") || strings.Contains(text, "a query of keys") {
		t.Error("there is more of keys of bytes than was measured")
	}
}

// Chains of hashes and calls of few keys of bytes have rows of their own. Keys of other lengths and
// strings are in no comparison.
func TestOtherKeys(t *testing.T) {
	run := synthetic()
	before := peersOf(run)
	like := func(g result.Group, keyBytes string) {
		if g.Operation == "build" {
			return
		}
		g.KeyBytes = keyBytes
		run.Groups = append(run.Groups, g)
	}
	for _, g := range slices.Clone(run.Groups) {
		switch {
		case g.KeyBytes == besideBytes && g.Against == result.AtEqualBits:
			like(g, "32")
			if g.Operation == "query" {
				like(g, besideBytes+result.InStrings)
				g.Against, g.Form = "", result.FormCalls
				g.Subjects = []result.Subject{
					{Kind: result.Implementation, Name: result.Methods, Batch: 1, Least: 7},
					{Kind: result.Implementation, Name: result.BatchMethods, Batch: 16, Least: 6}}
				like(g, besideBytes)
			}
		case g.Operation == hashing:
			g.Form = result.FormChain
			like(g, g.KeyBytes)
		}
	}
	says(t, page(t, run), "| 16 bytes |  | 16 MiB | query (mixed) | – | – | – | 7.00 | 6.00 |",
		" | each after the one before |")
	if after := peersOf(run); after != before {
		t.Errorf("comparisons of other keys:\n%s\nwere\n%s", after, before)
	}
}
