package architecture

import (
	"encoding/json"
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

func goCommand(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// Whoever links a kernel gets no command line, plots or peers: the root module requires four others.
func TestRootRequirements(t *testing.T) {
	allowed := []string{
		"github.com/klauspost/cpuid/v2", "github.com/minio/highwayhash", "golang.org/x/sys", "github.com/mmcloughlin/avo",
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

// Package kernel depends on ours, the standard library, cpuid and x/sys.
func TestKernelDependencies(t *testing.T) {
	for dep := range strings.FieldsSeq(string(goCommand(t, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./kernel"))) {
		if !under(dep, module) && !under(dep, "github.com/klauspost/cpuid/v2") && !under(dep, "golang.org/x/sys") {
			t.Errorf("kernel depends on %s", dep)
		}
	}
}

// The arrows of the map. A package, or a folder of them, may import of ours just what stands here.
var imports = map[string][]string{
	"fallback":       {},
	"asm":            {"fallback"},
	"avogen":         {"fallback"},
	"kernel":         {"asm", "fallback", "internal/dispatch"},
	"kernel/vectors": {"fallback", "internal/dispatch", "kernel"},
	// A kind that has no row of its own.
	"filter/*":              {"kernel", "internal/expected", "internal/probe", "filter", "filter/key", "filter/file", "filter/planning"},
	"filter":                {"kernel", "filter/key", "filter/file", "filter/planning"},
	"filter/key":            {},
	"filter/file":           {"internal/atomicfile"},
	"filter/kinds":          {"filter/..."},
	"filter/filtertest":     {"filter", "filter/key", "filter/file", "internal/workload"},
	"filter/deletable":      {"fallback", "kernel", "internal/expected", "filter", "filter/key", "filter/file", "filter/planning"},
	"filter/planning":       {"fallback", "internal/expected"},
	"filter/inpacket":       {"fallback", "kernel", "filter/key"},
	"filter/rolling":        {"fallback", "kernel", "filter", "filter/key", "filter/file", "filter/deletable", "filter/planning", "internal/expected"},
	"filter/toeplitz":       {},
	"filter/parquet":        {"fallback", "internal/dispatch", "kernel"},
	"hdl":                   {},
	"cosim":                 {"fallback", "kernel/vectors", "hdl", "filter/toeplitz"},
	"internal/dispatch":     {"asm", "fallback"},
	"internal/require":      {},
	"internal/atomicfile":   {},
	"internal/expected":     {},
	"internal/probe":        {},
	"internal/workload":     {"filter/planning"},
	"internal/architecture": {},
	"hdl/synth":             {},
	"cmd/bloomlane": {"kernel", "kernel/vectors", "filter/...", "cosim", "internal/atomicfile", "internal/workload", "cmd/bloomlane/guard", "cmd/bloomlane/inband",
		"cmd/bloomlane/capture", "cmd/bloomlane/plan", "cmd/bloomlane/flows", "cmd/bloomlane/quantity"},
	"cmd/bloomlane/plan":     {"filter/...", "cmd/bloomlane/chart", "cmd/bloomlane/quantity"},
	"cmd/bloomlane/flows":    {"filter/...", "cmd/bloomlane/capture", "cmd/bloomlane/chart", "cmd/bloomlane/quantity"},
	"cmd/bloomlane/chart":    {},
	"cmd/bloomlane/guard":    {"internal/dispatch", "filter/...", "cmd/bloomlane/capture", "cmd/bloomlane/quantity"},
	"cmd/bloomlane/inband":   {"kernel", "filter/...", "cosim", "cmd/bloomlane/quantity"},
	"cmd/bloomlane/quantity": {},
	"cmd/bloomlane/capture":  {},
	"bench":                  {"bench/measure", "bench/accuracy", "bench/report", "bench/result", "bench/peer/library", "kernel"},
	"bench/measure":          {"asm", "fallback", "internal/dispatch", "kernel", "bench/floor", "bench/peer", "bench/result", "internal/workload"},
	"bench/floor":            {},
	"bench/model":            {"fallback"},
	"bench/report":           {"bench/result", "internal/atomicfile"},
	"bench/peer":             {"kernel", "fallback", "filter", "filter/planning"},
	"bench/peer/library":     {"bench/peer", "filter", "internal/expected"},
	"bench/accuracy":         {"bench/peer", "bench/result", "internal/workload"},
	"bench/churn":            {"bench/peer", "bench/peer/library", "filter/...", "kernel", "internal/workload"},
	"bench/result":           {},
	"bench/splitblock":       {},
	"bench/encodings": {"bench/encodings/encoding", "bench/measure", "bench/peer", "bench/report", "bench/result",
		"fallback", "kernel", "filter/...", "internal/atomicfile", "internal/workload"},
	"bench/encodings/encoding": {"fallback"},

	"filter/planning/simulation": {"fallback", "kernel", "filter/planning", "internal/workload"},
}

func TestImports(t *testing.T) {
	packages := goCommand(t, "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...", "./cmd/bloomlane/...", "./bench/...")
	for line := range strings.Lines(string(packages)) {
		fields := strings.Fields(line)
		from := strings.TrimPrefix(fields[0], module+"/")
		allowed, known := imports[nearest(from)]
		if !known {
			t.Errorf("%s is not on the map", from)
			continue
		}
		for _, to := range fields[1:] {
			to, ours := strings.CutPrefix(to, module+"/")
			if ours && !slices.ContainsFunc(allowed, func(a string) bool { return allows(a, to) }) {
				t.Errorf("%s imports %s, want only %v", from, to, allowed)
			}
		}
	}
}

// allows reports whether an entry of the map, which may end in /... as a pattern of packages does, allows an
// import.
func allows(entry, path string) bool {
	folder, all := strings.CutSuffix(entry, "/...")
	return path == entry || all && under(path, folder)
}

// nearest returns the entry of the map for a package: its own, or that of a folder around it.
func nearest(path string) string {
	for p := path; p != "."; p = filepath.Dir(p) {
		for _, entry := range []string{p, filepath.Join(filepath.Dir(p), "*")} {
			if _, ok := imports[entry]; ok {
				return entry
			}
		}
	}
	return path
}

func under(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

// Only internal/require skips a test, so that BLOOMLANE_REQUIRE can forbid every skip.
func TestSkips(t *testing.T) {
	skip := regexp.MustCompile(`\b(t|b|f|tb)\.Skip(f|Now)?\(`)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == ".git" {
			return errorOrSkip(err)
		}
		if !strings.HasSuffix(path, ".go") || strings.Contains(filepath.ToSlash(path), "internal/require/") {
			return nil
		}
		text, err := os.ReadFile(path)
		if at := skip.FindIndex(text); at != nil {
			t.Errorf("%s skips a test by itself: %s", path, text[at[0]:at[1]])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func errorOrSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}
