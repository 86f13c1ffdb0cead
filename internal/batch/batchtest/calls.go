package batchtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// Calls tests that every function of a package with Call in its name runs its own functions of
// package asm of every instruction set, and that of the set which its condition names. A wrong one
// gives the same results, so that only its source shows it.
func Calls(t *testing.T, all map[string][]string) {
	for file, sets := range map[string][]string{
		"calls_amd64.go": {"AVX512", "AVX2"},
		"calls_arm64.go": {"NEON"},
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		functions := 0
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || !strings.HasSuffix(function.Name.Name, "Call") {
				continue
			}
			functions++
			if !strings.Contains(function.Doc.Text()+directives(function.Doc), "go:noinline") {
				t.Errorf("%s: %s may be inlined", file, function.Name)
			}
			var want []string
			for _, set := range sets {
				for _, name := range all[function.Name.Name] {
					want = append(want, name+set)
				}
			}
			if got := assemblyCalls(function.Body); !slices.Equal(got, want) {
				t.Errorf("%s: %s calls %v, want %v", file, function.Name, got, want)
			}
			ast.Inspect(function.Body, func(n ast.Node) bool {
				if branch, ok := n.(*ast.IfStmt); ok {
					if got := assemblyCalls(branch.Body); !slices.Equal(got, want[:len(got)]) ||
						!named512(branch.Cond) {
						t.Errorf("%s: %s calls %v in its branch", file, function.Name, got)
					}
				}
				return true
			})
		}
		if functions != len(all) {
			t.Errorf("%s: %d functions, want %d", file, functions, len(all))
		}
	}
}

// directives returns the directives of a comment, which Text leaves out.
func directives(doc *ast.CommentGroup) (text string) {
	if doc != nil {
		for _, line := range doc.List {
			text += line.Text
		}
	}
	return text
}

// assemblyCalls returns what of package asm is named below n, in this order.
func assemblyCalls(n ast.Node) (calls []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := selector.X.(*ast.Ident); ok && id.Name == "asm" {
				calls = append(calls, selector.Sel.Name)
			}
		}
		return true
	})
	return calls
}

// named512 reports whether a condition is that AVX-512 runs.
func named512(condition ast.Expr) bool {
	comparison, ok := condition.(*ast.BinaryExpr)
	if !ok || comparison.Op != token.EQL {
		return false
	}
	id, ok := comparison.Y.(*ast.Ident)
	return ok && id.Name == "avx512"
}
