package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"path"
	"slices"
	"strings"
	"text/template"
)

// The Go code that is the same for every operation, width or instruction set: package internal/dispatch,
// which runs an operation on an implementation, the tables of stubs of package asm, and the tables that
// users of package kernel see.

//go:embed templates/*.tmpl
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.tmpl"))

// form is how package dispatch calls an operation: a template of templates/dispatch.tmpl.
type form string

const (
	oneKey   form = "key"    // (table, nblocks, h)
	keys     form = "keys"   // newBatch's arguments and an output
	fetching form = "fetch"  // what a batch of keys begins with
	tables   form = "tables" // (dst, src, n, fetch)
	masks    form = "masks"  // (block, masks, n, hits)
)

// purego is the name of the implementation in portable Go.
const purego = "purego"

// implementation returns the name of an instruction set as kernel and BLOOMLANE_KERNEL have it.
func (s instructionSet) implementation() string { return strings.ToLower(s.name) }

// architecture is a name that Go has for one, and its instruction sets, the best last.
type architecture struct {
	name string
	sets []instructionSet
}

// architectures are those that have assembly.
var architectures = []architecture{{"amd64", amd64}, {"arm64", arm64}}

// other is the name of the files for all the others, and for the build tag purego.
const other = "other"

// constraint returns the build constraint of a file of an architecture.
func (a architecture) constraint() string {
	if a.name != other {
		return "!purego"
	}
	var names []string
	for _, a := range architectures {
		names = append(names, a.name)
	}
	return "!(" + strings.Join(names, " || ") + ") || purego"
}

// source returns a formatted file of a package.
func source(build, pkg, body string) ([]byte, error) {
	if build != "" {
		build = "//go:build " + build + "\n\n"
	}
	return format.Source(fmt.Appendf(nil, "// %s\n\n%spackage %s\n\n%s", generated, build, pkg, body))
}

// operations returns those of a package of assembly.
func (to folder) operations() (all []operation) {
	for _, file := range to.files {
		all = append(all, file.operations...)
	}
	return all
}

// operations returns those of package asm.
func operations() []operation { return folders[0].operations() }

// id returns the name of an operation on blocks of a shape as a constant.
func (op operation) id(s shape) string {
	return strings.ToLower(op.name[:1]) + op.name[1:] + s.String()
}

// shown is an operation as a template sees it, width is a shape.
type (
	shown struct {
		Name, Form string
		Inlined    bool
		Result     string // of one key
		Output     string // of a batch
		OutputType string
	}
	width struct {
		Bits         int
		Lane         string
		LaneBits     int
		PositionBits int
	}
)

// shown returns what a signature has at its end: the result of one key, the output of a batch.
func (op operation) shown() shown {
	end := op.signature[strings.LastIndex(op.signature, ", ")+2:]
	_, result, _ := strings.Cut(end, ") ")
	output, typed, _ := strings.Cut(end, " *")
	outputType, _, _ := strings.Cut(typed, ")")
	return shown{op.name, string(op.form), op.inlined, result, output, outputType}
}

func (s shape) width() width { return width{s.bits(), s.lane(), s.laneBits, log2(s.laneBits)} }

// renderDispatch returns the functions of package dispatch for an architecture.
func renderDispatch(a architecture) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("import (\n")
	if len(a.sets) > 0 {
		b.WriteString("\"unsafe\"\n\n\"github.com/bloomlane/bloomlane/asm\"\n")
	}
	b.WriteString("\"github.com/bloomlane/bloomlane/fallback\"\n)\n\n")
	if len(a.sets) > 0 {
		var names []string
		for _, set := range a.sets {
			names = append(names, "im == "+set.implementation())
		}
		fmt.Fprintf(&b, "// inAssembly reports whether im runs in assembly: an implementation of another CPU does not.\n"+
			"func (im Implementation) inAssembly() bool { return %s }\n", strings.Join(names, " || "))
	}
	type call struct {
		ID, Function string
		Last         bool
	}
	for _, s := range formats {
		for _, op := range operations() {
			var calls []call
			for i, set := range slices.Backward(a.sets) {
				calls = append(calls, call{set.implementation(), function{op, set, s}.fullName(), i == 0})
			}
			err := templates.ExecuteTemplate(&b, string(op.form), struct {
				shown
				width
				ID   string
				Sets []call
			}{op.shown(), s.width(), op.id(s), calls})
			if err != nil {
				return nil, err
			}
		}
	}
	return source(a.constraint(), "dispatch", b.String())
}

// renderNames returns the names of implementations and operations, which are the same everywhere.
func renderNames() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("import \"github.com/bloomlane/bloomlane/fallback\"\n\n")
	names := []string{purego}
	for _, a := range architectures {
		for _, set := range a.sets {
			names = append(names, set.implementation())
		}
	}
	b.WriteString("// The implementations, also those of other CPUs, so that a name means the same everywhere. Of those\n" +
		"// that a CPU has the last is the best. The zero Implementation runs on all.\nconst (\n")
	for i, name := range names {
		fmt.Fprintf(&b, "%s Implementation = %d\n", name, i)
	}
	b.WriteString(")\n\nvar implementationNames = [...]string{\n")
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %q,\n", name, name)
	}
	b.WriteString("}\n\n// operation is one that an implementation is chosen for.\ntype operation int\n\nconst (\n")
	kind := " operation = iota"
	for _, s := range formats {
		for _, op := range operations() {
			if op.form != fetching && !op.inlined {
				fmt.Fprintf(&b, "%s%s\n", op.id(s), kind)
				kind = ""
			}
		}
	}
	b.WriteString("\noperations\n)\n")
	var data struct {
		Operations []shown
		Widths     []width
	}
	for _, op := range operations() {
		data.Operations = append(data.Operations, op.shown())
	}
	for _, s := range formats {
		data.Widths = append(data.Widths, s.width())
	}
	if err := templates.ExecuteTemplate(&b, "operations", data); err != nil {
		return nil, err
	}
	return source("", "dispatch", b.String())
}

// renderFunctions returns the types of the tables of functions of a folder.
func (to folder) renderFunctions() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Functions are the functions of one instruction set for blocks of one width.\n" +
		"type Functions[T uint32 | uint64] struct {\n")
	for _, op := range to.operations() {
		fmt.Fprintf(&b, "%s %s\n", op.name, strings.ReplaceAll(op.signature, "{block}", "*[8]T"))
	}
	b.WriteString(`}

// Set is an instruction set. Whoever calls a function through it lets its arguments escape: it is for tests,
// for benchmarks, and for what asks the CPU.
type Set struct {
	Name     string   // of the implementation that package kernel makes of it
	Features []string // that a CPU and its operating system must have, as github.com/klauspost/cpuid/v2 names them
`)
	for _, s := range formats {
		fmt.Fprintf(&b, "W%s Functions[%s]\n", s, s.lane())
	}
	b.WriteString("}\n")
	return source("", path.Base(to.path), b.String())
}

// renderSets returns the tables of functions of a folder for an architecture.
func (to folder) renderSets(a architecture) ([]byte, error) {
	pkg := path.Base(to.path)
	if len(a.sets) == 0 {
		return source(a.constraint(), pkg, "// Sets is empty: this program has no assembly.\nvar Sets []Set\n")
	}
	var b bytes.Buffer
	b.WriteString("// Sets are the instruction sets that this program has, the best last.\nvar Sets = []Set{\n")
	for _, set := range a.sets {
		fmt.Fprintf(&b, "{\nName: %q,\n", set.implementation())
		if !set.everywhere {
			fmt.Fprintf(&b, "Features: %#v,\n", set.features)
		}
		for _, s := range formats {
			fmt.Fprintf(&b, "W%s: Functions[%s]{\n", s, s.lane())
			for _, op := range to.operations() {
				fmt.Fprintf(&b, "%s: %s,\n", op.name, function{op, set, s}.fullName())
			}
			b.WriteString("},\n")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return source(a.constraint(), pkg, b.String())
}

// renderTable returns the block and the table of package kernel for a width.
func renderTable(s shape, place string) ([]byte, error) {
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, "table.tmpl", struct {
		width
		Generated, Place string
	}{s.width(), generated, place})
	if err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// renderGo adds the generated Go code.
func renderGo(files map[string][]byte) error {
	type goFile struct {
		path   string
		render func() ([]byte, error)
	}
	all := []goFile{
		{"internal/dispatch/names.go", renderNames},
		{"kernel/table512.go", func() ([]byte, error) { return renderTable(formats[0], "one cache line of a table") }},
		{"kernel/table256.go", func() ([]byte, error) {
			return renderTable(formats[1], "a packet header, or half a cache line of a table")
		}},
	}
	for _, to := range folders {
		all = append(all, goFile{to.path + "/sets.go", to.renderFunctions})
	}
	for _, a := range append(slices.Clone(architectures), architecture{name: other}) {
		for _, to := range folders {
			all = append(all, goFile{to.path + "/sets_" + a.name + ".go", func() ([]byte, error) { return to.renderSets(a) }})
		}
		all = append(all,
			goFile{"internal/dispatch/operations_" + a.name + ".go", func() ([]byte, error) { return renderDispatch(a) }})
	}
	for _, f := range all {
		content, err := f.render()
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		files[f.path] = content
	}
	return nil
}
