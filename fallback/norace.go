//go:build !race

package fallback

// Race reports whether the race detector is on. It needs atomic loads and stores of lanes that are
// replaced beside readers. It also makes a sync.Pool drop values, so that calls allocate.
const Race = false
