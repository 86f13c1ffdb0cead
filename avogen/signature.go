package main

import (
	"fmt"
	"strings"

	"github.com/bloomlane/bloomlane/fallback"
)

// goType is the type of a parameter or a result. T stands for the type of a lane.
type goType string

// The types of the functions that are generated.
const (
	goUint64 goType = "uint64"
	goUint32 goType = "uint32"
	goUint8  goType = "uint8"
	goInt    goType = "int"
	goBool   goType = "bool"
	goBlock  goType = "*[8]T"
	goTable  goType = "[][8]T"
	goWords         = "*" + goUint64
	goBytes  goType = "*byte"
)

// slice and pointer return the types of several values of a type, in Go and in assembly.
func (t goType) slice() goType   { return "[]" + t }
func (t goType) pointer() goType { return "*" + t }

// lanes returns the type for lanes of a type.
func (t goType) lanes(lane string) goType {
	return goType(strings.ReplaceAll(string(t), fmt.Sprintf("[%d]T", fallback.Lanes),
		fmt.Sprintf("[%d]%s", fallback.Lanes, lane)))
}

// parameter is one of a function.
type parameter struct {
	name  string
	typed goType
}

// parameters are those of a function, in their order.
type parameters []parameter

// append returns the parameters and some more.
func (p parameters) append(more ...parameter) parameters {
	return append(p[:len(p):len(p)], more...)
}

// declaration returns the parameters for lanes of a type, as a function declares them.
func (p parameters) declaration(lane string) string {
	var b strings.Builder
	for i, x := range p {
		b.WriteString(x.name)
		if i+1 < len(p) && p[i+1].typed == x.typed {
			b.WriteString(", ")
			continue
		}
		b.WriteString(" " + string(x.typed.lanes(lane)))
		if i+1 < len(p) {
			b.WriteString(", ")
		}
	}
	return b.String()
}

// names returns the names of the parameters, as a call passes them on.
func (p parameters) names() string {
	var names []string
	for _, x := range p {
		names = append(names, x.name)
	}
	return strings.Join(names, ", ")
}
