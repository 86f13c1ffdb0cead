//go:build !amd64

package dispatch

// HasAll returns true: no other architecture has instruction sets of which a CPU may lack features.
func HasAll([]string) bool { return true }

// secondLevelBytes returns 0, because arm64 has no instruction to ask with, and portable Go does
// not ask.
func secondLevelBytes() int { return 0 }
