//go:build !linux

package command

// systemLimits returns none: only those of Linux are known here.
func systemLimits(string, int64) []limit { return nil }
