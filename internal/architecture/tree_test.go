package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/bloomlane/bloomlane"

// root is the root of the checkout.
const root = "../.."

// listed are the answers of the go command by its arguments.
var listed = map[string][]byte{}

// goCommand returns what the go command prints; the same arguments run it once.
func goCommand(t *testing.T, args ...string) []byte {
	t.Helper()
	key := strings.Join(args, " ")
	if out, known := listed[key]; known {
		return out
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", key, err)
	}
	listed[key] = out
	return out
}

// A program that links kernel gets no command line, plots or peers: the root module requires four
// others.
func TestRootRequirements(t *testing.T) {
	allowed := []string{
		"github.com/klauspost/cpuid/v2", "github.com/minio/highwayhash", "golang.org/x/sys",
		"github.com/mmcloughlin/avo",
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(goCommand(t, "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	for _, require := range mod.Require {
		if !require.Indirect && !slices.Contains(allowed, require.Path) {
			t.Errorf("go.mod requires %s, want only %v", require.Path, allowed)
		}
	}
}

// Who takes the kinds with a stable API gets no other.
func TestRootKnowsNoFamily(t *testing.T) {
	for path := range strings.FieldsSeq(string(goCommand(t, "list", "-test", "-deps", "./..."))) {
		if under(path, module+"/filter/family") {
			t.Errorf("the root module depends on %s", path)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || strings.Contains(string(text), module+"/filter/family") {
			t.Errorf("%s has the family (%v)", name, err)
		}
	}
}

// Package kernel depends on this module, the standard library, cpuid and x/sys.
func TestKernelDependencies(t *testing.T) {
	for dep := range strings.FieldsSeq(string(goCommand(t, "list", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}{{end}}", "./kernel"))) {
		if !under(dep, module) && !under(dep, "github.com/klauspost/cpuid/v2") &&
			!under(dep, "golang.org/x/sys") {
			t.Errorf("kernel depends on %s", dep)
		}
	}
}

// Who builds and queries filters in files gets no packet library, no plots and no co-simulation.
func TestCommandDependencies(t *testing.T) {
	deps := strings.Fields(string(goCommand(t, "list", "-deps", "./cmd/bloomlane")))
	for _, dep := range deps {
		for _, other := range []string{"github.com/gopacket", "gonum.org", module + "/hdl/cosim",
			module + "/hdl", module + "/packets", module + "/report/chart"} {
			if under(dep, other) && dep != module+"/hdl/register" { // two methods and a map
				t.Errorf("cmd/bloomlane depends on %s", dep)
			}
		}
	}
	if len(deps) < 50 {
		t.Errorf("only %d packages", len(deps))
	}
}

// floor is a row of the map.
type floor struct {
	number  int      // of the rows above it
	imports []string // what its folders may import of this project
}

// designMap reads the table of DESIGN.md, by folder or pattern of folders.
func designMap(t *testing.T) map[string]floor {
	t.Helper()
	design, err := os.ReadFile(filepath.Join(root, "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(design), "\n## The map\n")
	table, _, _ = strings.Cut(table, "\n## ")
	floors := map[string]floor{}
	for number, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue // no row
		}
		for folder := range strings.SplitSeq(cells[1], ",") {
			folder = strings.Trim(folder, " `")
			if _, twice := floors[folder]; twice {
				t.Errorf("%s is on the map twice", folder)
			}
			floors[folder] = floor{number, strings.FieldsFunc(cells[3],
				func(r rune) bool { return r == ',' || r == ' ' })}
		}
	}
	if len(floors) < 40 {
		t.Fatalf("the map of DESIGN.md has %d folders", len(floors))
	}
	return floors
}

// listedPackage is a package as go list has it.
type listedPackage struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
}

// packagesOf returns the packages of the tree, but for those outside go.work.
func packagesOf(t *testing.T) (all []listedPackage) {
	t.Helper()
	list := json.NewDecoder(bytes.NewReader(goCommand(t, "list",
		"-json=ImportPath,Dir,Imports,TestImports,XTestImports", "./...", "./filter/family/...",
		"./cmd/bloomlane/...", "./report/...", "./packets/...", "./bench/...", "./papers/...",
		"./interop/parquet/...", "./xdp/...")))
	for {
		var p listedPackage
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// checkImport holds an import of a package, both by their import paths, to the map.
func checkImport(t *testing.T, floors map[string]floor, from, to string) {
	t.Helper()
	from = strings.TrimPrefix(from, module+"/")
	to, ours := strings.CutPrefix(to, module+"/")
	own, known := nearest(floors, from)
	switch other, otherKnown := nearest(floors, to); {
	case !ours:
	case !known || !otherKnown:
		t.Errorf("%s imports %s, and one of them is not on the map", from, to)
	case under(to, "cmd") && !under(from, "cmd"):
		t.Errorf("%s imports %s, which is for that command only", from, to)
	case !slices.ContainsFunc(own.imports, func(a string) bool { return allows(a, to) }):
		t.Errorf("%s imports %s, want only %v", from, to, own.imports)
	case other.number > own.number:
		t.Errorf("%s imports %s, whose row is below its own: want that row above", from, to)
	}
}

// Each package imports what the map allows, from its own row or rows above, and only a command what
// belongs to it.
func TestMap(t *testing.T) {
	floors := designMap(t)
	for folder := range floors {
		if found, err := filepath.Glob(filepath.Join(root, folder)); len(found) == 0 || err != nil {
			t.Errorf("there is no %s (%v)", folder, err)
		}
	}
	for _, p := range packagesOf(t) {
		from := strings.TrimPrefix(p.ImportPath, module+"/")
		if _, known := nearest(floors, from); !known {
			t.Errorf("%s is not on the map", from)
		}
		for _, to := range p.Imports {
			checkImport(t, floors, p.ImportPath, to)
		}
	}
}

// What is in internal imports nothing from kernel up, and nor do its tests. It is for more than one
// folder above it: what is for one is in the internal folder of that one.
func TestInternalIsOneFloor(t *testing.T) {
	const tests = module + "/internal/architecture" // these look at the whole tree
	users := map[string][]string{}
	for _, p := range packagesOf(t) {
		from := p.ImportPath
		folder, _, _ := strings.Cut(strings.TrimPrefix(from, module+"/"), "/")
		internal := folder == "internal" && from != tests
		if internal && users[from] == nil {
			users[from] = []string{}
		}
		for _, to := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if internal && under(to, module) && !under(to, module+"/asm") &&
				!under(to, module+"/fallback") && !under(to, module+"/internal") {
				t.Errorf("%s or its test imports %s, want asm, fallback or internal", from, to)
			}
			if under(to, module+"/internal") && to != from && from != tests &&
				!slices.Contains(users[to], folder) {
				users[to] = append(users[to], folder)
			}
		}
	}
	for path, folders := range users {
		if len(folders) == 0 ||
			len(folders) == 1 && folders[0] != "kernel" && folders[0] != "internal" {
			t.Errorf("%s is for %v only, want it in an internal folder there", path, folders)
		}
	}
	if len(users) < 5 {
		t.Errorf("internal has the packages %v, want more", users)
	}
}

// The Beam SDK's modules are not in go.work, so go list does not see who imports them.
func TestMapOfBeam(t *testing.T) {
	floors := designMap(t)
	files, err := filepath.Glob(filepath.Join(root, "interop/beam", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, spec := range parsed.Imports {
			checkImport(t, floors, module+"/interop/beam", strings.Trim(spec.Path.Value, `"`))
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "interop/beam/go.mod"))
	if err != nil || regexp.MustCompile(`(?m)^replace\b`).Match(text) {
		t.Errorf("interop/beam/go.mod replaces a module (%v)", err)
	}
}

// A module that replaces another cannot be installed by its path and version.
func TestNoReplacedModules(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "*/go.mod"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, filepath.Join(root, "go.mod"),
		filepath.Join(root, "filter/family/go.mod"), filepath.Join(root, "cmd/bloomlane/go.mod"),
		filepath.Join(root, "interop/parquet/go.mod")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`(?m)^replace\b`).Match(text) {
			t.Errorf("%s replaces a module", file)
		}
	}
}

// allows reports whether an entry of the map, which may end in /... as a pattern of packages does,
// allows an import.
func allows(entry, path string) bool {
	folder, all := strings.CutSuffix(entry, "/...")
	return path == entry || all && under(path, folder)
}

// nearest returns what the map has for a package: its own row, or that of a folder around it.
func nearest(floors map[string]floor, path string) (row floor, known bool) {
	for p := path; p != "."; p = filepath.Dir(p) {
		for _, folder := range []string{p, filepath.Join(filepath.Dir(p), "*")} {
			if row, ok := floors[folder]; ok {
				return row, true
			}
		}
	}
	return floor{}, false
}

func under(path, prefix string) bool {
	return path == prefix ||
		strings.HasPrefix(path, prefix+"/")
}

// Only internal/require skips a test, so that BLOOMLANE_REQUIRE can forbid every skip.
func TestSkips(t *testing.T) {
	skip := regexp.MustCompile(`\b(\w+)\.Skip(f|Now)?\(`)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == ".git" {
			return errorOrSkip(err)
		}
		if !strings.HasSuffix(path, ".go") || strings.Contains(filepath.ToSlash(path),
			"internal/require/") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, call := range skip.FindAllSubmatch(text, -1) {
			if string(call[1]) != "require" {
				t.Errorf("%s skips a test by itself: %s", path, call[0])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A test that logs and returns is skipped, and looks like one that passed.
func TestNoSkipsByALog(t *testing.T) {
	for path, text := range textsOf(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			var body []ast.Stmt
			switch node := node.(type) {
			case *ast.BlockStmt:
				body = node.List
			case *ast.CaseClause:
				body = node.Body
			case *ast.CommClause:
				body = node.Body
			}
			if len(body) < 2 {
				return true
			}
			last := body[len(body)-2:]
			end, returns := last[1].(*ast.ReturnStmt)
			if returns && len(end.Results) == 0 && logs(last[0]) {
				t.Errorf("%s: a log and a return: use package require",
					files.Position(end.Pos()))
			}
			return true
		})
	}
}

// logs reports whether a statement is a call of Log or Logf.
func logs(statement ast.Stmt) bool {
	expression, ok := statement.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := expression.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (method.Sel.Name == "Log" || method.Sel.Name == "Logf")
}

func errorOrSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// A folder that declares a kind of filter is in the list of its module: the laws run for the kinds
// that are listed.
func TestKindsAreListed(t *testing.T) {
	declares := regexp.MustCompile(
		`(?m)^(var |\t)(\w+, )*[A-Z]\w* = (base\.(Kind\{|Describe\()|describe\()`)
	for _, tier := range []struct {
		folder, list string
		least        int // folders that declare a kind
	}{{"filter", "filter/kinds/kinds.go", 6}, {"filter/family", "filter/family/family.go", 6}} {
		list, err := os.ReadFile(filepath.Join(root, tier.list))
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(root, tier.folder, "*/*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") || !declares.Match(text) {
				continue
			}
			path := module + "/" + tier.folder + "/" + filepath.Base(filepath.Dir(file))
			found[path] = true
			if !strings.Contains(string(list), `"`+path+`"`) {
				t.Errorf("%s declares a kind that %s does not list", file, tier.list)
			}
		}
		if len(found) < tier.least {
			t.Errorf("%d folders of %s declare a kind, expected %d or more", len(found),
				tier.folder, tier.least)
		}
	}
}
