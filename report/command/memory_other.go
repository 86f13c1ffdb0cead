//go:build !linux

package command

import "io/fs"

// systemLimits returns none: only those of Linux are known here.
func systemLimits(fs.FS, int64) []limit { return nil }
