//go:build !race

package fallback

// Race reports whether the race detector is on. It has to see atomic loads and stores of the lanes
// that are replaced beside readers, and it makes a sync.Pool forget, so that calls allocate.
const Race = false
