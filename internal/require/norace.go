//go:build !race

package require

// Race reports whether the race detector is on. It makes a sync.Pool forget, so that calls allocate.
const Race = false
