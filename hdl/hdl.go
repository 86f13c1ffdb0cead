// Package hdl holds the synthesizable Verilog of the block format, for programs that simulate it or
// write it out for a project of their own.
package hdl

import (
	"embed"
	"io/fs"
)

//go:embed rtl/*.v rtl/*.vh
var files embed.FS

// RTL has the sources: one module a file, which is named after it, and the headers that they
// include. It has no folders.
var RTL = sub(files, "rtl")

func sub(parent fs.FS, folder string) fs.FS {
	child, err := fs.Sub(parent, folder)
	if err != nil {
		panic(err) // of a name that is no path
	}
	return child
}
