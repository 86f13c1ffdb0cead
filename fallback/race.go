//go:build race

package fallback

// Race reports whether the race detector is on.
const Race = true
