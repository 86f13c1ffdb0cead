package main

import "strings"

// contract is what a caller has to know of an operation, on blocks of any shape and in any
// instruction set: a type of functions in the generated package. A stub names it. In its signature
// {block} stands for a pointer to a block.
type contract struct {
	name      string
	signature string
	// what a function does, which begins behind the name, and what it asks of its arguments, but
	// for what doc.go of package asm says of all
	doc string
}

// Generic reports whether the type has the type of a lane as its parameter.
func (c contract) Generic() bool { return strings.Contains(c.signature, "{block}") }

// Name is the name of the type, and Type what a table has of it.
func (c contract) Name() string { return c.name }

func (c contract) Type() string {
	if c.Generic() {
		return c.name + "[T]"
	}
	return c.name
}

// Signature is that of the type, for lanes of type T.
func (c contract) Signature() string { return strings.ReplaceAll(c.signature, "{block}", "*[8]T") }

// Comment is the comment of the type, in lines of at most 100 columns.
func (c contract) Comment() string {
	var lines []string
	for i, paragraph := range strings.Split(c.name+" "+c.doc, "\n\n") {
		if i > 0 {
			lines = append(lines, "//")
		}
		line := "//"
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+1+len(word) > 100 {
				lines = append(lines, line)
				line = "//"
			}
			line += " " + word
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// hitsSignature is the signature of a batch whose answers are bits.
const hitsSignature = "func(table {block}, nblocks int, hashes *uint64, n, fetch, distance int, " +
	"hits *uint64) int"
