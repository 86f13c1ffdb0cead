package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// alike are the folders whose numbers decide sizes of filters, or go into files and headers.
var alike = []string{"fallback", "filter", "inpacket", "internal", "interop/parquet", "kernel"}

// unlike are the files and folders in these whose numbers may differ in their last bit between
// CPUs: they decide no size, and go into no file.
var unlike = []string{
	"filter/filtertest/", "filter/kinds/kindstest/", "internal/workload/", // for tests
	"filter/family/dlbf/exact.go", // complex numbers, for a plan by the share of deletable members
}

// named reports whether a path of the checkout is one of these files, or in one of these folders.
func named(path string, names []string) bool {
	for _, name := range names {
		if path == name || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name) {
			return true
		}
	}
	return false
}

// inexact are the functions of package math whose results depend on the CPU.
var inexact = regexp.MustCompile(`^(Exp|Exp2|Expm1|Log|Log10|Log1p|Log2|Pow|Cbrt|Hypot|Gamma|` +
	`Lgamma|Erf\w*|Sin\w*|Cos\w*|Tan\w*|Asin\w*|Acos\w*|Atan\w*|J[01n]|Y[01n])$`)

// Filters of the same members, plan and key are the same on every CPU. So the packages that plan
// them call no function of package math whose last bit depends on the CPU.
func TestNoInexactFunctions(t *testing.T) {
	files := 0
	for _, folder := range alike {
		before := files
		err := filepath.WalkDir(filepath.Join(root, folder), func(
			path string,
			_ os.DirEntry,
			err error,
		) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), root+"/")
			if err != nil || !strings.HasSuffix(name, ".go") ||
				strings.HasSuffix(name, "_test.go") || named(name, unlike) {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files++
			ast.Inspect(file, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, ok := selector.X.(*ast.Ident)
				if ok && (pkg.Name == "math" && inexact.MatchString(selector.Sel.Name) ||
					pkg.Name == "cmplx") {
					t.Errorf("%s:%d: %s.%s differs between CPUs, want that of internal/elementary",
						name, set.Position(n.Pos()).Line, pkg.Name, selector.Sel.Name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if files == before {
			t.Errorf("found no file in %s", folder)
		}
	}
	if files < 100 {
		t.Errorf("found %d files, want hundreds", files)
	}
}

// Nor do they have a product and a sum that the compiler fuses for CPUs that can. In the assembly
// of arm64 these are single instructions.
func TestNoFusedSums(t *testing.T) {
	cmd := exec.Command("go", "build", "-gcflags=-S", "./filter/family/...")
	for _, folder := range alike {
		cmd.Args = append(cmd.Args, "./"+folder+"/...")
	}
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, listing)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	fused := regexp.MustCompile(`\((\S+\.go):(\d+)\)\s+FN?M(?:ADD|SUB)[SD]\s`)
	seen := map[string]bool{}
	explicit := 0
	for _, match := range fused.FindAllSubmatch(listing, -1) {
		path, line := filepath.ToSlash(string(match[1])), string(match[2])
		name, ours := strings.CutPrefix(path, filepath.ToSlash(top)+"/")
		switch {
		case !ours || named(name, unlike) || seen[name+line]:
		case strings.HasPrefix(name, "internal/elementary/"):
			explicit++ // calls of math.FMA, which are the same everywhere
		default:
			seen[name+line] = true
			t.Errorf("%s:%s: a product is fused with a sum, want float64(x*y) + z", name, line)
		}
	}
	if explicit == 0 {
		t.Error("found no call of math.FMA, want those of internal/elementary: is this a listing?")
	}
}
