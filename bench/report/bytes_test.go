package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// Hashes stand beside ours with who has a secret, and what is faster is called so; keys of bytes
// are not mixed with hashes, for which there are the same peers.
func TestKeysOfBytes(t *testing.T) {
	run := synthetic()
	text := page(t, run)
	says(t, text,
		"| avx512 | yes | 3.00 | 4.00 | 5.00 |",
		"| slow hash | yes | 30.0 (10.0x) | 40.0 (10.0x) | 50.0 (10.0x) |",
		"| open hash | no | 2.10 (0.70x LOST) | 2.80 (0.70x LOST) | 3.50 (0.70x LOST) |",
		"| 16 | 2 GiB | 7.00 | 1.20 | 15.1 | 23.2 (1.45x) | 16.0 |",
		// Ours in two forms beside two peers, in two operations at two sizes.
		"| with as many bits per key, with keys of bytes | 4 | 0 | 12 | deletable in query to "+
			"quick_peer; deletable-single in query to slow peer, quick_peer; deletable in insert",
		"| with as many bits per key | 36 | 18 | 18 |",
		"| quick_peer\\* | example.org/quick v1.2.3 | quickhash |",
		"| slow hash | example.org/slow | slowhash, under a secret |")
	_, bytes, _ := strings.Cut(text, "## Keys of bytes, beside peers with as many bits per key")
	bytes, _, _ = strings.Cut(bytes, "\n## ")
	_, hashes, _ := strings.Cut(text, "## Beside peers with as many bits per key")
	hashes, _, _ = strings.Cut(hashes, "\n## ")
	for name, part := range map[string][2]string{"bytes": {bytes, "deletable"},
		"hashes": {hashes, "bloomlane-512"}} {
		other := map[string]string{"bytes": "bloomlane", "hashes": "| deletable"}[name]
		if !strings.Contains(part[0], "| "+part[1]+" |") || strings.Contains(part[0], other) {
			t.Errorf("the tables of %s lack %s, or have %s", name, part[1], other)
		}
	}
	// A run without keys of bytes says nothing of them.
	keep(run, func(g result.Group) bool { return g.KeyBytes == "" },
		func(result.Subject) bool { return true })
	for i := range run.Libraries {
		run.Libraries[i].Hash = ""
	}
	if text := page(t, run); strings.Contains(text, "eys of bytes") ||
		strings.Contains(text, "secret") {
		t.Error("there is more of keys of bytes than was measured")
	}
	for name, p := range Pictures(run) {
		if strings.HasPrefix(name, "bytes") != (p == nil) {
			t.Errorf("%s is there: %v", name, p != nil)
		}
	}
}

// Keys of other lengths and strings have tables of their own, as chains of hashes and calls of few
// keys have, and are in no comparison.
func TestOtherKeys(t *testing.T) {
	run := synthetic()
	before := page(t, run)
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
	text := page(t, run)
	says(t, text,
		"| filter | 32: query (mixed) | 16 in strings: query (mixed) | 32: insert |",
		"| 16 MiB | query (mixed) | 7.00 | 6.00 |", "**Hashes of keys of bytes, each after "+
			"the one before**")
	for _, line := range []string{"| with as many bits per key |", "| with as many bits per key, " +
		"with keys of bytes |"} {
		_, after, _ := strings.Cut(text, line)
		after, _, _ = strings.Cut(after, "\n")
		says(t, before, line+after)
	}
}

// The parts of a stack are what keys take, whatever the noise; a stack that lacks a step is none.
func TestStacks(t *testing.T) {
	for _, test := range []struct {
		steps []float64 // hash, hash and index, ready hashes, keys
		want  costs
	}{
		{[]float64{4, 5, 16, 20}, costs{hash: 4, index: 1, memory: 15, ready: 16, keys: 20}},
		{[]float64{5, 4.5, 16, 20}, costs{hash: 5, index: 0, memory: 15, ready: 16, keys: 20}},
		{[]float64{4, 6, 5, 5.5}, costs{hash: 4, index: 1.5, memory: 0, ready: 5, keys: 5.5}},
		{[]float64{6, 7, 5, 5.5}, costs{hash: 5.5, index: 0, memory: 0, ready: 5, keys: 5.5}},
		{[]float64{4, 5, 0, 20}, costs{}},
		{[]float64{4, 5, 16}, costs{}},
	} {
		g := result.Group{Conditions: result.Conditions{Form: result.FormStack}}
		names := []string{result.StepHash, result.StepIndex, result.StepReady, result.StepKeys}
		for i, ns := range test.steps {
			g.Subjects = append(g.Subjects,
				result.Subject{Kind: result.Implementation, Name: names[i], Least: ns})
		}
		test.want.Conditions = g.Conditions
		got := stacks([]result.Group{g})
		if complete := test.want.keys > 0; complete != (len(got) == 1) || complete &&
			!slices.Equal(got, []costs{test.want}) {
			t.Errorf("%v: %+v, want %+v", test.steps, got, test.want)
		}
	}
}

// A stack is as high as what it is of, and beside it stands the bar of ready hashes.
func TestStackPanel(t *testing.T) {
	p := stackPanel(synthetic().Groups)
	if p.Y.Min != 0 || math.Abs(p.Y.Max-23.25) > 1e-9 || p.X.Min > -0.1 || p.X.Max < 3.1 {
		t.Errorf("axes from %v to %v and from %v to %v, want 0 to 23.25 and four bars", p.Y.Min,
			p.Y.Max, p.X.Min, p.X.Max)
	}
}
