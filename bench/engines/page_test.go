package engines

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// Each command of docs/parquet.md is run, one block after another in one folder, and prints what
// the page says.
func TestPage(t *testing.T) {
	startDuckDB(t)
	page, err := os.ReadFile("../../docs/parquet.md")
	check(t, err)
	from, err := filepath.Abs(modules)
	check(t, err)
	folder := t.TempDir()
	path := fmt.Sprintf("PATH=%s%c%s", filepath.Dir(bloomlane(t)), os.PathListSeparator,
		os.Getenv("PATH"))
	blocks := regexp.MustCompile(
		"(?s)```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?").FindAllStringSubmatch(string(page), -1)
	if n := strings.Count(string(page), "```sh\n"); n != len(blocks) || n < 6 {
		t.Fatalf("%d blocks of %d", len(blocks), n)
	}
	for _, block := range blocks {
		script := strings.Replace(block[1], "npm install @duckdb/node-api\n",
			"ln -s '"+from+"' node_modules\n", 1)
		cmd := commandtest.Process(t, "sh", "-c", script)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), path)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() != 1 { // the answer may be no
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		if lines(string(out)) != lines(block[2]) {
			t.Errorf("%s\nprints\n%s\nand the page says\n%s", script, out, block[2])
		}
	}
}

// lines returns the lines of a text in an order: standard output and errors come in any.
func lines(text string) string {
	all := strings.Split(text, "\n")
	slices.Sort(all)
	return strings.Join(all, "\n")
}
