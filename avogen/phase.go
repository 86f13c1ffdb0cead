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
	phaseBlock     = "a block that is not the last"
	phaseWide      = "several blocks at a time"
	phaseFinal     = "the last block"
	phaseShort     = "the only block"
	phaseExpand    = "round keys"
	phaseChoice    = "choice"
)
