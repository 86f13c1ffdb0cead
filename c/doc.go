// Package c is no API: it holds bloomlane.h, the format in C99, to the definition in Go. Its tests
// compile the header by the compilers of this machine. README.md is for those who include it.
package c

import _ "embed" // of the header

// Header is bloomlane.h.
//
//go:embed bloomlane.h
var Header string
