package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// particles are words that say nothing of what they name. Such a name lives a few lines at most.
var particles = map[string]bool{"of": true, "at": true, "by": true, "on": true, "with": true,
	"beside": true, "again": true, "told": true, "few": true, "asked": true}

// lifespan is the number of lines that a particle lives after its declaration.
const lifespan = 3

// Names are nouns or verbs. Exported ones are decided by the API.
func TestNames(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			switch entry.Name() {
			case ".git", ".build":
				return fs.SkipDir
			}
		}
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		line := func(pos token.Pos) int { return files.Position(pos).Line }
		report := func(name *ast.Ident) {
			if particles[name.Name] {
				t.Errorf("%s:%d: %s names nothing", path, line(name.Pos()), name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				report(n.Name)
			case *ast.StructType:
				for _, field := range n.Fields.List {
					for _, name := range field.Names {
						report(name)
					}
				}
			case *ast.Ident:
				checked++
				if n.Obj != nil && line(n.Pos()) > line(n.Obj.Pos())+lifespan {
					report(n)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100_000 {
		t.Errorf("only %d names", checked)
	}
}
