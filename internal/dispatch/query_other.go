//go:build !amd64 || purego

package dispatch

import "github.com/bloomlane/bloomlane/fallback"

// Query512 is fallback.Query. Assembly for arm64 was not measured, so it is not chosen.
func Query512(table [][8]uint64, h uint64) bool { return fallback.Query(table, h) }

// Query256 is fallback.Query.
func Query256(table [][8]uint32, h uint64) bool { return fallback.Query(table, h) }
