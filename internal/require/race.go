//go:build race

package require

// Race reports whether the race detector is on.
const Race = true
