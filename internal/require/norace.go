//go:build !race

package filtertest

// raceEnabled reports whether the race detector is on: it makes a sync.Pool forget, so that calls allocate.
const raceEnabled = false
