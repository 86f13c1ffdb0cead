// Package c is no API: it holds bloomlane.h, the format in C99, to the definition in Go. Its tests
// compile the header by the compilers of this machine. README.md is for those who include it.
package c
