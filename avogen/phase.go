package main

// A machine writes one of these where a part of a function begins, for the reader of the generated
// file. An operation lists those that its function has.
const (
	phaseAddress   = "block address"
	phasePrefetch  = "prefetch"
	phaseMask      = "mask"
	phaseTest      = "test"
	phaseFold      = "fold"
	phaseStore     = "store"
	phaseFree      = "free bits"
	phaseAvalanche = "avalanche"
	phaseEnd       = "a round of the end"
	phaseLast      = "the last, of lanes 0 and 1, and the sum of lane 0"
	phaseWhole     = "a whole packet"
	phaseRest      = "the rest of each key, and what is made of it"
	phaseSized     = "the last packet, and its size"
	phaseEnds      = "where each key is, and its last bytes"
	phaseWord      = "a word of each key"
	phaseLastWord  = "the last word, with the size"
	phaseChoice    = "choice"
	phaseSum       = "what the hash needs of the last round"
)
