// Package challenge is no API: it reproduces an exercise (Bippert, Rothrock and Yurish, "Bloom
// Filter Executive Summary") that asks students which deletable filter a firewall should use, and
// gives no results.
//
// Its firewall has three sets: the good sources, the bad sources, and the known bad sequences of
// words. A source of three bad sequences moves from the good set to the bad one. That is the packet
// guard, whose engine runs here on exact sets, and on the exercise's filters: with m = -n ln P /
// (ln 2)^2 bits and k = (m/n) ln 2 hashes, P = 0.001. The engine fills what the exercise leaves
// open: each source is inserted once, which an exact table decides, and the bad set is asked first.
//
// The traces are a real capture, and a synthetic one of sources that come and go. What engines do
// to the good set is done again to each filter that deletes ([variants]), in equal memory: that of
// the exercise's collision array, a bit and a flag. docs/filters-not-built.md has other filters.
//
// README.md has what is found.
package challenge

import (
	"math"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "challenge",
		Title: "Bippert, Rothrock, Yurish: Bloom Filter Executive Summary. An exercise without " +
			"results of its own",
		Values: []func(*trials.Run) claim.Value{
			insertAsPrinted, insertCorrected, guaranteed, wholeHashes, moduloHashes, seeds,
			strikes, countersClear, membersLost, innocentsBlocked, question, collisionArray,
			secondHides, doubleSize, eightVariations,
		},
	}
}

const (
	formula  = "the document's formula"
	none     = "implied 0"
	standard = 1e-3 // the document's P
)

// rateOf is the document's P of n elements in m bits with k hash functions.
func rateOf(m, k, n float64) float64 { return math.Pow(1-math.Pow(1-1/m, k*n), k) }

// perElement is the document's m for one element.
func perElement(p float64) float64 { return -math.Log(p) / (math.Ln2 * math.Ln2) }

// hashesFor is the document's k. It is rounded, as the document does not say how.
func hashesFor(bitsPerElement float64) int {
	return max(1, int(math.Round(bitsPerElement*math.Ln2)))
}

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
