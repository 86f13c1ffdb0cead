// Package architecture holds the tree against its map: what may import what, what the modules may
// require, and where a test may be skipped. It has tests only.
package architecture
