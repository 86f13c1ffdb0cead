//go:build !amd64 || purego

package kernel

import (
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Assembly for arm64 was not measured, so it is not chosen.

func query512(t Table512, h uint64) bool { return fallback.Query(dispatch.Lanes(t), h) }
func query256(t Table256, h uint64) bool { return fallback.Query(dispatch.Lanes(t), h) }
