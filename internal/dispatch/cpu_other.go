//go:build !amd64

package dispatch

// hasAll returns true: no other architecture has instruction sets of which a CPU may lack features.
func hasAll([]string) bool { return true }

// secondLevelBytes returns 0, because arm64 has no instruction to ask with, and portable Go does
// not ask.
func secondLevelBytes() int { return 0 }
