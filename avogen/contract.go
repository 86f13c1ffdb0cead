package main

import (
	doc "go/doc/comment"
	"strings"
)

// contract is what a caller has to know of an operation, on blocks of any shape and in any
// instruction set: a type of functions in the generated package. A stub names it.
type contract struct {
	name  string
	takes parameters
	gives goType // "" for nothing
	// what a function does, which begins behind the name, and what it asks of its arguments, but
	// for what doc.go of package asm says of all
	doc string
}

// takesBatch is what every batch of keys takes.
var takesBatch = parameters{{"table", goBlock}, {"nblocks", goInt},
	{"hashes", goWords}, {"n", goInt}, {"fetch", goInt}, {"distance", goInt}}

// Name is the name of the type, and Type what a table has of it.
func (c contract) Name() string { return c.name }

func (c contract) Type() string {
	if c.Generic() {
		return c.name + "[T]"
	}
	return c.name
}

// Generic reports whether the type has the type of a lane as its parameter.
func (c contract) Generic() bool { return c.takes[0].typed == goBlock }

// Signature is that of the type, for lanes of type T, and signature for lanes of any type.
func (c contract) Signature() string { return c.signature("T") }

func (c contract) signature(lane string) string {
	return strings.TrimSpace("func(" + c.takes.declaration(lane) + ") " + string(c.gives))
}

// Comment is the comment of the type.
func (c contract) Comment() string { return comment(c.name + " " + c.doc) }

// comment returns a text as a comment in lines of at most 100 columns.
func comment(text string) string {
	parser := doc.Parser{LookupSym: func(_, _ string) bool { return false }} // links stay as they are
	printer := doc.Printer{TextPrefix: "// ", TextWidth: 97}
	return strings.TrimSuffix(string(printer.Text(parser.Parse(text))), "\n")
}
