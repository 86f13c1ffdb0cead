package siphash

// The numbers of rounds: for each word, and at the end. The assembly has its own
// (avogen/siphash.go), and a test of avogen replaces both by those of SipHash-2-4.
const (
	compression  = 1
	finalization = 3
)
