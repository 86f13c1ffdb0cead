package architecture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// uses is a test per way to use assembly.
var uses = map[string]string{
	"kernel.NewTable512(1)":        "kernel",
	"_ = kernel.Active()":          "kernel",
	"_ = kernel.Implementations()": "kernel",
	"key.New()":                    "filter/key",
}

// The go command gives no answer of another implementation from its cache: a test that uses
// assembly depends on BLOOMLANE_KERNEL. The tests lie in a module of their own.
func TestTheCacheKnowsTheVariable(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	write("go.mod", "module example.com/uses\n\ngo 1.26.0\n")
	write("go.work", fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%q\n)\n", root))
	packages := 0
	for use, imported := range uses {
		text := "package use\n\nimport \"testing\"\nimport %q\n\nfunc TestUse(*testing.T) { %s }\n"
		write(fmt.Sprintf("use%d/use_test.go", packages),
			fmt.Sprintf(text, module+"/"+imported, use))
		packages++
	}
	run := func(name string) (cached int) {
		t.Helper()
		cmd := exec.Command("go", "test", "-vet=off", "./...")
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "BLOOMLANE_KERNEL="+name, "GOFLAGS=", "GOWORK=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.Count(string(out), "(cached)")
	}
	run("purego")
	if cached := run("purego"); cached != packages {
		t.Errorf("%d of %d answers are from the cache", cached, packages)
	}
	if cached := run(""); cached != 0 {
		t.Errorf("%d of %d answers are those of another implementation", cached, packages)
	}
}
