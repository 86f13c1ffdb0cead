package main

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/format"
	"path"
	"slices"
	"strings"
	"text/template"
)

// This file fills in the templates of the Go code that is the same for every operation, width or
// instruction set: package internal/dispatch, which runs an operation on an implementation, the
// tables of stubs of package asm, and the tables that users of package kernel see.

//go:embed templates/*.tmpl
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.tmpl"))

// architecture is a name that Go has for one, and its instruction sets, the best last.
type architecture struct {
	name          string
	sets, ciphers []instructionSet
}

// architectures are those that have assembly.
var architectures = []architecture{{"amd64", amd64, amd64Ciphers}, {"arm64", arm64, arm64Ciphers}}

// other is the name of the files for all the others, and for the build tag purego.
const other = "other"

// constraint returns the build constraint of a file of an architecture.
func (a architecture) constraint() string {
	if a.name != other {
		return "!purego"
	}
	return "!(" + strings.Join(goFile{}.Architectures(), " || ") + ") || purego"
}

// What templates see.
type (
	goOperation struct {
		contract
		form
		method string
		public string
		Chosen bool // package dispatch chooses an implementation for it
	}
	goShape struct {
		Bits, LaneBits, PositionBits int
		Lane                         string
		Suffix, Definition           string // of functions of asm and dispatch, and of fallback
		Operations                   []goOperation
	}
	goSet struct {
		Name, Suffix string // of the implementation, and of functions
		Features     []string
		Last         bool
	}
	goCall struct { // an operation on blocks of a shape
		goOperation
		goShape
		ID   string
		Sets []goSet // the best first
	}
	goFile struct {
		Package, Constraint string
		Contracts           []contract
		Operations          []goOperation
		Shapes              []goShape
		Sets, Ciphers       []goSet
		Calls, OnValues     []goCall // these are among those, and on no blocks
	}
)

func newGoOperation(op operation) goOperation {
	public := cmp.Or(op.public, op.contract.name)
	return goOperation{op.contract, op.form, op.method, public,
		op.form.dispatched() && !op.byHand}
}

// Form is the name of the operation's form, Output that of a batch's output, and At where in it a
// call begins.
func (op goOperation) Form() string   { return op.form.name }
func (op goOperation) Output() string { return op.form.output }
func (op goOperation) At() string     { return op.form.place }

// Method is what the operation's method takes, for lanes of type T, and Result what it returns.
func (op goOperation) Method() string { return op.form.method.declaration("T") }
func (op goOperation) Result() string { return string(op.form.result) }

// Described reports whether package kernel has a method for users, and MethodComment is its comment
// for one size of blocks. In a description {table} stands for the type of the table.
func (op goOperation) Described() bool { return op.method != "" }

func (op goOperation) MethodComment(bits int) string {
	text := strings.ReplaceAll(op.method, "{table}", fmt.Sprintf("Table%d", bits))
	return comment(op.public + " " + text)
}

// Public is the name of that method, which messages say too.
func (op goOperation) Public() string { return op.public }

// Method is the same for the lanes of the shape, and Arguments the names alone. Call is what a call
// takes, and Pass what it hands on to assembly.
func (c goCall) Method() string    { return c.form.method.declaration(c.Lane) }
func (c goCall) Arguments() string { return c.form.method.names() }
func (c goCall) Call() string      { return c.form.call.declaration(c.Lane) }
func (c goCall) Pass() string      { return c.form.pass }

// Lacks reports whether an operation has no assembly in the file's instruction sets.
func (f goFile) Lacks() bool {
	return slices.ContainsFunc(f.Calls, func(c goCall) bool { return len(c.Sets) == 0 })
}

// Architectures are the names of those that have assembly.
func (goFile) Architectures() (names []string) {
	for _, a := range architectures {
		names = append(names, a.name)
	}
	return names
}

// operations returns those of all files.
func (to *folder) operations() (all []operation) {
	for _, file := range to.files {
		all = append(all, file.operations...)
	}
	return all
}

// newGoFile returns what a file of a folder's operations is made of, for the instruction sets
// given.
func newGoFile(to *folder, constraint string, sets []instructionSet) goFile {
	f := goFile{Package: path.Base(to.path), Constraint: constraint}
	for _, op := range to.operations() {
		if len(f.Contracts) == 0 || f.Contracts[len(f.Contracts)-1].name != op.contract.name {
			f.Contracts = append(f.Contracts, op.contract)
		}
		if !op.form.alone() && !op.form.is(apart) && !op.onValues() {
			f.Operations = append(f.Operations, newGoOperation(op))
		}
	}
	f.Sets = newGoSets(sets)
	for _, s := range append(slices.Clone(blocks), values) {
		shape := goShape{Bits: s.bits(), LaneBits: s.laneBits, PositionBits: log2(s.laneBits),
			Lane: s.lane(), Suffix: s.String()}
		if s.keying != nil {
			shape.Definition = s.keying.name
		}
		for _, op := range to.operations() {
			if !slices.Contains(op.shapes, s) || op.form.alone() {
				continue
			}
			has := newGoSets(slices.DeleteFunc(slices.Clone(sets),
				func(set instructionSet) bool { return !op.runsOn(set) }))
			slices.Reverse(has)
			name := op.contract.name
			call := goCall{newGoOperation(op), shape,
				strings.ToLower(name[:1]) + name[1:] + s.String(), has}
			f.Calls = append(f.Calls, call)
			if op.onValues() {
				f.OnValues = append(f.OnValues, call)
			} else {
				shape.Operations = append(shape.Operations, call.goOperation)
			}
		}
		if len(shape.Operations) > 0 {
			f.Shapes = append(f.Shapes, shape)
		}
	}
	return f
}

// newGoSets returns the sets, the best last, of which a call needs no condition for the first.
func newGoSets(sets []instructionSet) (all []goSet) {
	for i, set := range sets {
		s := goSet{strings.ToLower(set.name), set.name, set.features, i == 0}
		if set.everywhere {
			s.Features = nil
		}
		all = append(all, s)
	}
	return all
}

// renderGo adds the generated Go code.
func renderGo(files map[string][]byte) error {
	var failed error
	add := func(path, template string, data any) {
		b := bytes.NewBufferString("// " + generated + "\n\n")
		err := templates.ExecuteTemplate(b, template, data)
		if err == nil {
			files[path], err = format.Source(b.Bytes())
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", path, err)
		}
	}
	var sets []instructionSet
	for _, a := range architectures {
		sets = append(sets, a.sets...)
	}
	all := newGoFile(asmFolder, "", sets)
	add("internal/dispatch/names.go", "names.tmpl", all)
	add("internal/dispatch/operations.go", "operations.tmpl", all)
	add("asm/definitions_test.go", "definitions.tmpl", all)
	for _, shape := range all.Shapes {
		if shape.Definition != "" {
			continue // whose table is by hand
		}
		add(fmt.Sprintf("kernel/table%d.go", shape.Bits), "table.tmpl", shape)
	}
	for _, to := range folders {
		add(to.path+"/sets.go", "functions.tmpl", newGoFile(to, "", nil))
	}
	for _, a := range append(slices.Clone(architectures), architecture{name: other}) {
		for _, to := range folders {
			sets := newGoFile(to, a.constraint(), a.sets)
			if to == asmFolder {
				sets.Ciphers = newGoSets(a.ciphers)
			}
			add(to.path+"/sets_"+a.name+".go", "sets.tmpl", sets)
		}
		add("internal/dispatch/calls_"+a.name+".go", "calls.tmpl",
			newGoFile(asmFolder, a.constraint(), a.sets))
	}
	return failed
}
