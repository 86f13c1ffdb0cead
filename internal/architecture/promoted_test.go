package architecture

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// go doc and pkg.go.dev list the methods that a package declares, and none that a type has from an
// embedded type of another package. So the comment of each type of filter has a list of those, and
// names no others there. A method stands for its forms: Insert for InsertUint64Batch.
func TestPromotedMethodsAreListed(t *testing.T) {
	folders := map[string]string{}
	var paths []string
	for _, p := range packagesOf(t) {
		if path := p.ImportPath; under(path, module+"/filter") && path != module+"/filter" &&
			path != module+"/filter/base" && !strings.Contains(path, "/internal/") {
			folders[path] = p.Dir
			paths = append(paths, path)
		}
	}
	compiled := exportData(t)
	kinds := 0
	for _, path := range paths {
		pkg, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, documented := range documentedTypes(t, path, folders[path]) {
			object := pkg.Scope().Lookup(documented.Name).(*types.TypeName)
			if object.IsAlias() || types.IsInterface(object.Type()) {
				continue
			}
			methods := map[string]bool{} // and whether they are promoted
			set := types.NewMethodSet(types.NewPointer(object.Type()))
			for i := range set.Len() {
				methods[set.At(i).Obj().Name()] = set.At(i).Obj().Exported()
			}
			if _, is := methods["QueryHash"]; !is {
				continue // no filter
			}
			for _, declared := range documented.Methods {
				methods[declared.Name] = false
			}
			methods["UnmarshalJSON"] = false // nobody calls it by its name: it is an error
			kinds++
			name := strings.TrimPrefix(path, module+"/") + "." + documented.Name
			missing, wrong := unlisted(documented.Doc, methods)
			for _, method := range missing {
				t.Errorf("%s: the list in its comment has no %s", name, method)
			}
			for _, method := range wrong {
				t.Errorf("%s: the list in its comment has %s, which is no method", name, method)
			}
		}
	}
	if kinds < 15 {
		t.Errorf("only %d types of filters", kinds)
	}
}

// documentedTypes returns what go doc shows of the types of a package.
func documentedTypes(t *testing.T, path, folder string) []*doc.Type {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	positions := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(positions, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	shown, err := doc.NewFromFiles(positions, files, path)
	if err != nil {
		t.Fatal(err)
	}
	return shown.Types
}

var (
	form    = regexp.MustCompile(`(.)(String|Uint64)?(Batch|Seq)?$`)
	item    = regexp.MustCompile(`(?m)^  - [a-z]+: (.*(?:\n    .*)*)`)
	capital = regexp.MustCompile(`\[[a-z]+\.[A-Z]\w*\.([A-Z]\w*)\]|\b([A-Z]\w*)\b`)
)

// unlisted returns the promoted ones of methods that the list in a comment misses, and its names
// that are none of the methods.
func unlisted(comment string, methods map[string]bool) (missing, wrong []string) {
	listed := map[string]bool{}
	for _, text := range item.FindAllStringSubmatch(comment, -1) {
		for _, name := range capital.FindAllStringSubmatch(text[1], -1) {
			listed[name[1]+name[2]] = true
		}
	}
	for method, promoted := range methods {
		if promoted && !listed[method] && !listed[form.ReplaceAllString(method, "$1")] {
			missing = append(missing, method)
		}
	}
	for name := range listed {
		if _, is := methods[name]; !is {
			wrong = append(wrong, name)
		}
	}
	slices.Sort(missing)
	slices.Sort(wrong)
	return missing, wrong
}

func TestUnlisted(t *testing.T) {
	methods := map[string]bool{"Insert": true, "InsertUint64Batch": true, "String": true,
		"Close": true, "Merge": false}
	const list = "T holds.\n\n  - keys: [filter.KeyedSet.Insert], for many InsertUint64Batch\n" +
		"  - life: [base.Life.Close],\n    String\n\nMake one with [New].\n"
	missing, wrong := unlisted(list, methods)
	if len(missing)+len(wrong) > 0 {
		t.Errorf("a whole list misses %v and has %v", missing, wrong)
	}
	short := strings.ReplaceAll(list, "Close", "Open")
	missing, wrong = unlisted(short, methods)
	if !slices.Equal(missing, []string{"Close"}) || !slices.Equal(wrong, []string{"Open"}) {
		t.Errorf("a list with Open for Close misses %v and has %v", missing, wrong)
	}
}
