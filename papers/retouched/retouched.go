// Package retouched is no API: it reproduces Donnet, Baynat and Friedman, "Retouched Bloom Filters:
// Allowing Networked Applications to Trade Off Selected False Positives Against False Negatives",
// CoNEXT 2006, in its extended version.
//
// README.md has what is found. Filters are those of package filter/family/retouched,
// and a network by a rule (see internet) stands for the one of the case study. The figures have no
// readable values, so that those that are published are those of tables and sentences.
package retouched

import (
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What section IV-C simulates.
const (
	universe = 2_000_000
	members  = 10_000
	bits     = 100_000
	hashes   = 5
	runs     = 15
)

// times is how many trials there are: a short run takes a third of the paper's.
func times(run *trials.Run) int {
	if run.Short {
		return runs / 3
	}
	return runs
}

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "retouched",
		Title: "Donnet, Baynat, Friedman: Retouched Bloom Filters: Allowing Networked " +
			"Applications to Trade Off Selected False Positives Against False Negatives. CoNEXT " +
			"2006, extended",
		Values: []func(*trials.Run) claim.Value{
			equation5, equation7, figure3, equation16, overallError,
			tableI.value, tableII.value, tableIII.value, tableIV.value, sums,
			figure5, figure6, decrease, reliably,
			lemmas("Lemmas 1 to 4: steps", standardSteps),
			improvement("Figure 8: χ of improved Minimum FN", minimumFN),
			improvement("Figure 9: χ of improved Maximum FP", maximumFP),
			improvement("Figure 10: χ of improved Ratio", ratio), increase,
			figure11, improvedLemma(0, "it holds if it is known where an element is in its "+
				"lists: else a list of k|A|/m elements, or all m lists, are gone through for each "+
				"member that is lost", byHandle, bySearch, byScan),
			improvedLemma(1, "it holds if it is known where an element is in its lists: else a "+
				"list of k|B|/(p1 m) keys, or all m lists, are gone through for each key that is "+
				"removed", byHandle, bySearch, byScan),
			improvedLemma(2, "line 12 of algorithm 7 goes through all m cells for each bit that "+
				"is cleared: the lemma is that of an algorithm without it", byHandle, eachRatio),
			lemmas("Lemmas 5 to 8 and 12 to 14: bits", allBits),
			compression, stopSets("Figure 13: success", false,
				ofTraces(hashes, success), ofTraces(1, success)), figure14,
			stopSets("Figure 15: stopping short", false,
				ofTraces(hashes, stopsShort), ofTraces(1, stopsShort)),
			stopSets("Figure 16: topology missed of what a list reaches", false,
				panel{"nodes", hashes, missed(nodes)}, panel{"links", hashes, missed(links)}),
			stopSets("Figure 17: collisions", false,
				ofTraces(hashes, collisions), ofTraces(1, collisions)),
			whichK, figure18, sumsTo1, contradictions, figure19,
			stopSets("Figure 20: success by improved Ratio", true, ofTraces(hashes, success)),
			stopSets("Figure 21: stopping short by improved Ratio", true,
				ofTraces(hashes, stopsShort)),
			stopSets("Figure 22: collisions by improved Ratio", true,
				ofTraces(hashes, collisions)), tableV, skitter,
			timeOutBuckets, timeOutReset, dynamicFilters,
		},
	}
}
