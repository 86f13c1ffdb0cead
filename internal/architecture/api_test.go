package architecture

import (
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The API of the packages that docs/packages.md promises is the one that docs/api.txt records, but
// for the changes that CHANGELOG.md lists: lines that begin with "+ " or "- ". With -update, which
// is for releases, docs/api.txt becomes what it is.
func TestAPI(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var packages []string
	for _, row := range promised.FindAllStringSubmatch(read("docs/packages.md"), -1) {
		packages = append(packages, row[1])
	}
	if len(packages) < 10 {
		t.Fatalf("only %v are promised", packages)
	}
	api := apiOf(t, packages)
	if *update {
		text := strings.Join(slices.Sorted(maps.Keys(api)), "\n") + "\n"
		err := os.WriteFile(filepath.Join(root, "docs/api.txt"), []byte(text), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{}
	for line := range strings.Lines(read("docs/api.txt")) {
		want[strings.TrimSuffix(line, "\n")] = true
	}
	_, unreleased, _ := strings.Cut(read("CHANGELOG.md"), "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	for _, change := range changed.FindAllStringSubmatch(unreleased, -1) {
		if added := change[1] == "+"; added == want[change[2]] {
			t.Errorf("CHANGELOG.md has %q, which is no change of docs/api.txt", change[0])
		}
		want[change[2]] = change[1] == "+"
	}
	for line := range api {
		if !want[line] {
			t.Errorf("not in docs/api.txt, nor an addition in CHANGELOG.md:\n+ %s", line)
		}
		delete(want, line)
	}
	for line, is := range want {
		if is {
			t.Errorf("in docs/api.txt, and no removal in CHANGELOG.md:\n- %s", line)
		}
	}
}

var (
	update   = flag.Bool("update", false, "make docs/api.txt the API as it is")
	promised = regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` .*\\| yes \\|$")
	changed  = regexp.MustCompile(`(?m)^([+-]) ([a-z0-9/]+: .*)$`)
)

// apiOf returns the exported API of packages, a line for each name, field and method, also of the
// methods that come from what a type embeds.
func apiOf(t *testing.T, packages []string) map[string]bool {
	compiled := exportData(t)
	api := map[string]bool{}
	for _, name := range packages {
		pkg, err := compiled.Import(module + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		in := func(p *types.Package) string {
			if p == pkg {
				return ""
			}
			return p.Name()
		}
		add := func(format string, args ...any) {
			api[name+": "+fmt.Sprintf(format, args...)] = true
		}
		for _, symbol := range pkg.Scope().Names() {
			object := pkg.Scope().Lookup(symbol)
			if !object.Exported() {
				continue
			}
			switch o := object.(type) {
			case *types.TypeName:
				describe(o, in, add)
			case *types.Const:
				add("const %s = %s", symbol, o.Val())
			case *types.Func:
				add("func %s%s", symbol, signature(o.Type(), in))
			default:
				add("%s", types.ObjectString(object, in))
			}
		}
	}
	return api
}

// exportData imports the packages whose API is tested and what they import, as they are compiled.
func exportData(t *testing.T) types.Importer {
	t.Helper()
	exports := map[string]string{}
	for line := range strings.Lines(string(goCommand(t, "list", "-export", "-deps", "-f",
		"{{.ImportPath}} {{.Export}}", "./kernel/...", "./filter/...", "./filter/family/..."))) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
}

// describe adds the lines of a type.
func describe(decl *types.TypeName, in types.Qualifier, add func(format string, args ...any)) {
	if decl.IsAlias() {
		add("%s", types.ObjectString(decl, in))
		return
	}
	switch under := decl.Type().Underlying().(type) {
	case *types.Struct:
		add("type %s struct", decl.Name())
		for field := range under.Fields() {
			if field.Exported() {
				add("type %s struct, %s %s", decl.Name(), field.Name(),
					types.TypeString(field.Type(), in))
			}
		}
	case *types.Interface:
		add("type %s interface", decl.Name())
		for method := range under.Methods() {
			add("type %s interface, %s%s", decl.Name(), method.Name(), signature(method.Type(), in))
		}
		return
	default:
		add("type %s %s", decl.Name(), types.TypeString(under, in))
	}
	methods := types.NewMethodSet(types.NewPointer(decl.Type()))
	values := types.NewMethodSet(decl.Type())
	for i := range methods.Len() {
		method := methods.At(i).Obj()
		if !method.Exported() {
			continue
		}
		receiver := "*"
		if values.Lookup(method.Pkg(), method.Name()) != nil {
			receiver = ""
		}
		add("method (%s%s) %s%s", receiver, decl.Name(), method.Name(),
			signature(methods.At(i).Type(), in))
	}
}

// signature returns the types of the parameters and results, without their names, which may change.
func signature(t types.Type, in types.Qualifier) string {
	unnamed := func(tuple *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range tuple.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	s := t.(*types.Signature)
	var bounds []string
	for p := range s.TypeParams().TypeParams() {
		bounds = append(bounds, p.String()+" "+types.TypeString(p.Constraint(), in))
	}
	text := ""
	if len(bounds) > 0 {
		text = "[" + strings.Join(bounds, ", ") + "]"
	}
	plain := types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()),
		s.Variadic())
	return text + strings.TrimPrefix(types.TypeString(plain, in), "func")
}
