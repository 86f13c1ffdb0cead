package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// The figures of a recipe are the least of what its benchmarks printed. A recording that lacks one,
// or its machine, commit or day, is refused.
func TestRecipes(t *testing.T) {
	committed, err := os.ReadFile("../results/recipes/pebble.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := string(committed)
	folder := t.TempDir()
	write := func(text string) (map[string]string, error) {
		t.Helper()
		err := os.WriteFile(filepath.Join(folder, "pebble.txt"), []byte(text), 0o666)
		if err != nil {
			t.Fatal(err)
		}
		return Recipes(folder)
	}
	least := "BenchmarkFilters/query/blocked/100000/present-2 10 1.25 ns/op\n"
	blocks, err := write(text + least + strings.Replace(least, "1.25", "9000", 1))
	if err != nil || blocks["billion"] != "" {
		t.Fatalf("block of no recording %q, error %v", blocks["billion"], err)
	}
	says(t, blocks["pebble"], "| query of a filter in the cache, key present / absent | 1.25 / ",
		", by `make pebble-times`.\n")
	lacks := []string{"cpu: ", "commit: ", "date: ", "BenchmarkFilters/build/Pebble-2"}
	for _, line := range lacks {
		var malformed *result.FormatError
		if _, err := write(strings.ReplaceAll(text, line, "none")); !errors.As(err, &malformed) {
			t.Errorf("without %q: %v, want a *result.FormatError", line, err)
		}
	}
}
