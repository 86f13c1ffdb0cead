//go:build (amd64 || arm64) && !purego

package kernel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// Of what this CPU can run all but purego runs in assembly. No result tells, only the time.
func TestInAssembly(t *testing.T) {
	for _, im := range Implementations() {
		if got := inAssembly(im); got != (im != purego) {
			t.Errorf("%v: in assembly %v", im, got)
		}
	}
}

// Every stub of the dispatch calls its own operation of every instruction set once, and that of the set
// which its condition names. A wrong one gives the same results, so that only its source shows it.
func TestDispatch(t *testing.T) {
	for file, sets := range map[string][]string{
		"dispatch_amd64.go": {"AVX2", "AVX512"},
		"dispatch_arm64.go": {"NEON"},
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		stubs := 0
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || !strings.HasSuffix(function.Name.Name, "512") && !strings.HasSuffix(function.Name.Name, "256") {
				continue
			}
			stubs++
			operation := assemblyName(function.Name.Name)
			var want []string
			for _, set := range sets {
				want = append(want, operation+set)
			}
			if got := assemblyCalls(function.Body); !slices.Equal(got, want) {
				t.Errorf("%s: %s calls %v, want %v", file, function.Name, got, want)
			}
			ast.Inspect(function.Body, func(n ast.Node) bool {
				var condition, body ast.Node
				switch n := n.(type) {
				case *ast.IfStmt:
					condition, body = n.Cond, n.Body
				case *ast.CaseClause:
					condition, body = n.List[0], &ast.BlockStmt{List: n.Body}
				default:
					return true
				}
				for _, set := range sets {
					got := assemblyCalls(body)
					if names(condition, strings.ToLower(set)) && !slices.Equal(got, []string{operation + set}) {
						t.Errorf("%s: %s calls %v for %s", file, function.Name, got, set)
					}
				}
				return true
			})
		}
		if stubs != 18 {
			t.Errorf("%s: %d stubs, want nine at both widths", file, stubs)
		}
	}
}

// assemblyName returns the name in package asm, without the set, of what a stub calls.
func assemblyName(stub string) string {
	operation, width := stub[:len(stub)-3], stub[len(stub)-3:]
	call, isCall := strings.CutSuffix(operation, "Call")
	name := strings.ToUpper(call[:1]) + call[1:]
	if isCall && name != "Fetch" && name != "Merge" {
		name += "Batch"
	}
	return name + width
}

// assemblyCalls returns what is called of package asm below n, sorted.
func assemblyCalls(n ast.Node) []string {
	var calls []string
	ast.Inspect(n, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok && names(selector.X, "asm") {
			calls = append(calls, selector.Sel.Name)
		}
		return true
	})
	slices.Sort(calls)
	return calls
}

// names reports whether an identifier below n has the name.
func names(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		identifier, ok := n.(*ast.Ident)
		found = found || ok && identifier.Name == name
		return true
	})
	return found
}
