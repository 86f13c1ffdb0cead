package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// source is a file of Go that is searched for what a breaker of lines leaves.
type source struct {
	positions *token.FileSet
	lines     []string
	pads      map[int]int // by which gofmt may move the value of a field to the right, by line
	torn      []string
}

func (s *source) line(p token.Pos) int { return s.positions.Position(p).Line }

func (s *source) report(p token.Pos, what string) {
	s.torn = append(s.torn, s.positions.Position(p).String()+": "+what)
}

// docs looks for declarations whose documentation a blank line cuts off.
func (s *source) docs(file *ast.File, decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Doc == nil {
			s.doc(file, decl.Name.Name, decl.Pos())
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if decl.Doc == nil && spec.Doc == nil {
					s.doc(file, spec.Name.Name, spec.Pos())
				}
			case *ast.ValueSpec:
				if decl.Doc == nil && spec.Doc == nil {
					s.doc(file, spec.Names[0].Name, spec.Pos())
				}
			}
		}
	}
}

func (s *source) doc(file *ast.File, name string, declared token.Pos) {
	for _, group := range file.Comments {
		if s.line(group.End()) == s.line(declared)-2 && strings.HasPrefix(group.Text(), name+" ") {
			s.report(declared, "a blank line cuts off the documentation of "+name)
		}
	}
}

// signature looks for parameters that share the lines of a broken list, and for broken results.
func (s *source) signature(f *ast.FuncType) {
	if results := f.Results; results != nil && s.line(results.Pos()) != s.line(results.End()) {
		s.report(results.Pos(), "results on more than one line")
	}
	if s.line(f.Params.Opening) == s.line(f.Params.Closing) || len(f.Params.List) < 2 {
		return
	}
	for _, field := range f.Params.List {
		if s.line(field.Pos()) != s.line(field.End()) {
			return // a type in braces
		}
	}
	last := s.line(f.Params.Opening)
	for _, field := range f.Params.List {
		if s.line(field.Pos()) == last {
			s.report(field.Pos(), "a broken list of parameters has one a line")
		}
		last = s.line(field.End())
	}
}

// literals looks for two literals that are one.
func (s *source) literals(sum *ast.BinaryExpr) {
	before := sum.X
	if chain, is := before.(*ast.BinaryExpr); is && chain.Op == token.ADD {
		before = chain.Y
	}
	left, leftIs := before.(*ast.BasicLit)
	right, rightIs := sum.Y.(*ast.BasicLit)
	if !leftIs || !rightIs || sum.Op != token.ADD ||
		left.Value[0] != '"' || right.Value[0] != '"' || strings.HasSuffix(left.Value, `\n"`) {
		return
	}
	if s.line(left.Pos()) == s.line(right.Pos()) {
		s.report(right.Pos(), "two literals on one line")
		return
	}
	first := strings.TrimRight(s.lines[s.line(left.Pos())-1], " +")
	after := s.lines[s.line(right.Pos())-1][s.positions.Position(right.End()).Column-1:]
	if comma := strings.Index(after, ","); comma >= 0 {
		after = after[:comma+1]
	}
	width := utf8.RuneCountInString(first+right.Value+after) - len(`""`)
	if width+3*strings.Count(first, "\t")+s.pads[s.line(left.Pos())] <= columns {
		s.report(right.Pos(), "a literal that fits on one line is split")
	}
}

// fields looks for a field that begins where one of several lines ends.
func (s *source) fields(literal *ast.CompositeLit) {
	for i := 1; i < len(literal.Elts); i++ {
		last, isField := literal.Elts[i-1].(*ast.KeyValueExpr)
		if !isField || s.line(last.Pos()) == s.line(last.End()) {
			continue
		}
		if _, concatenated := last.Value.(*ast.BinaryExpr); concatenated &&
			s.line(last.End()) == s.line(literal.Elts[i].Pos()) {
			s.report(literal.Elts[i].Pos(), "a field on the last line of another")
		}
	}
}

// align notes how far gofmt would move the values of fields if each had one line: below the value
// of the longest key.
func (s *source) align(literal *ast.CompositeLit) {
	longest := 0
	for _, element := range literal.Elts {
		if field, is := element.(*ast.KeyValueExpr); is {
			longest = max(longest, int(field.Colon-field.Key.Pos()))
		}
	}
	for _, element := range literal.Elts {
		if field, is := element.(*ast.KeyValueExpr); is {
			pad := longest + len(": ") - int(field.Value.Pos()-field.Key.Pos())
			s.pads[s.line(field.Pos())] = max(0, pad)
		}
	}
}

// Signatures, literals and lists are whole, or broken where a reader expects it.
func TestTorn(t *testing.T) {
	checked := 0
	for path, src := range textsOf(t, ".go") {
		if strings.HasPrefix(src, "// Code generated ") {
			continue
		}
		checked++
		for _, place := range torn(t, path, src) {
			t.Error(place)
		}
	}
	if checked < 500 {
		t.Errorf("only %d files", checked)
	}
}

// torn returns the torn places of a file.
func torn(t *testing.T, path, src string) []string {
	t.Helper()
	s := &source{
		positions: token.NewFileSet(),
		lines:     strings.Split(src, "\n"),
		pads:      map[int]int{},
	}
	file, err := parser.ParseFile(s.positions, path, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		s.docs(file, decl)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			s.signature(n)
		case *ast.BinaryExpr:
			s.literals(n)
		case *ast.CompositeLit:
			s.align(n)
			s.fields(n)
		}
		return true
	})
	return s.torn
}

// Each kind of tear is found.
func TestTears(t *testing.T) {
	long := strings.Repeat("a", 84) // a value that has room for a word more
	tests := []struct{ name, text, says string }{
		{"documentation", "// F does.\n\nfunc F() {}\n", "cuts off the documentation of F"},
		{"documentation of a type", "// T is.\n\ntype T int\n", "cuts off the documentation of T"},
		{"documentation of a variable", "// V is.\n\nvar V int\n",
			"cuts off the documentation of V"},
		{"documentation in a group", "const (\n\t// C is.\n\n\tC = 1\n)\n",
			"cuts off the documentation of C"},
		{"results", "func f() (int,\n\terror) { return 0, nil }\n", "results on more than one"},
		{"parameters", "func f(a int,\n\tb int) {}\n", "one a line"},
		{"two literals", `var s = "one " + "two"` + "\n", "two literals on one line"},
		{"a split literal", "var s = \"one \" +\n\t\"two\"\n", "is split"},
		{"a split value", "var v = t{\n\tA: \"" + long + " \" +\n\t\t\"one\",\n}\n", "is split"},
		{"a value that is aligned",
			"var v = t{\n\tA: \"" + long + " \" +\n\t\t\"one\",\n\tLonger: 1,\n}\n", ""},
		{"fields", "var v = t{A: \"one\\n\" +\n\t\"two\", B: 1}\n", "a field on the last line"},
		{"whole", "// F does.\nfunc F(\n\ta int,\n\tb int,\n) (int, error)\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := strings.Join(torn(t, "a.go", "package a\n\n"+test.text), "\n")
			if !strings.Contains(found, test.says) || (test.says == "") != (found == "") {
				t.Errorf("found %q, want %q", found, test.says)
			}
		})
	}
}
