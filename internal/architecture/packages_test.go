package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/packages.md names every package for users, and none that is not there.
func TestPackages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/packages.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	files := 0
	for _, pattern := range []string{"filter/*", "filter/family/*", "kernel/*", "interop/*",
		"inpacket", "hdl/register", "hdl/table", "hdl/toeplitz"} {
		found, err := filepath.Glob(filepath.Join(root, pattern, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			folder, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			if files++; !strings.Contains(page, "`"+filepath.ToSlash(folder)+"`") {
				t.Errorf("docs/packages.md has no %s", folder)
			}
		}
	}
	if files < 40 {
		t.Errorf("%d files of packages, want more", files)
	}
	for _, name := range regexp.MustCompile("`([a-z]+(?:/[a-z0-9]+)*)`").FindAllStringSubmatch(page,
		-1) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name[1]))); err != nil {
			t.Errorf("docs/packages.md has %s: %v", name[1], err)
		}
	}
}
