package dispatch

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every generated function names its own operation and width and no other, calls assembly of every instruction
// set once, and each under the condition that names it. A wrong name may give the same results, so that only
// the source shows it.
func TestOperations(t *testing.T) {
	var (
		declared  = regexp.MustCompile(`^(?:\(im Implementation\) )?(\w+?)(?:Call)?\(`)
		mentioned = regexp.MustCompile(`\bfallback\.(\w+)\(|"(\w+)"|\bchosen\[(\w+)\]|\bchosen\[\w+\]\.(\w+)\(|\bim\.(\w+)Call\(`)
		called    = regexp.MustCompile(`\basm\.(\w+?\d{3})([A-Z0-9]+)\(`)
		condition = regexp.MustCompile(`(?:im == |case )(\w+)(?: \{|:)\n\t+(?:return )?asm\.\w+?\d{3}([A-Z0-9]+)\(`)
	)
	for file, sets := range map[string][]string{
		"operations_amd64.go": {"AVX512", "AVX2"}, // the best first
		"operations_arm64.go": {"NEON"},
		"operations_other.go": nil,
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		calling, conditions := 0, 0
		for _, function := range strings.Split(string(source), "\nfunc ")[1:] {
			name := declared.FindStringSubmatch(function)[1]
			if name == "inAssembly" {
				continue
			}
			operation, width := strings.ToLower(name[:len(name)-3]), name[len(name)-3:]
			for _, mention := range mentioned.FindAllStringSubmatch(function, -1) {
				got := strings.ToLower(strings.Join(mention[1:], ""))
				if got != operation && got != operation+width && got != "fetch"+width {
					t.Errorf("%s: %s names %s", file, name, mention[0])
				}
			}
			var got []string
			for _, call := range called.FindAllStringSubmatch(function, -1) {
				if strings.ToLower(call[1]) != operation+width {
					t.Errorf("%s: %s calls %s", file, name, call[0])
				}
				got = append(got, call[2])
			}
			if got != nil {
				calling++
				if !slices.Equal(got, sets) {
					t.Errorf("%s: %s calls %v, want %v", file, name, got, sets)
				}
			}
			for _, c := range condition.FindAllStringSubmatch(function, -1) {
				conditions++
				if c[1] != strings.ToLower(c[2]) {
					t.Errorf("%s: %s calls %s for %s", file, name, c[2], c[1])
				}
			}
		}
		// Nine operations at both widths. Those of three on one key have a condition for each set, the others
		// for all but the last.
		wantCalling, wantConditions := 0, 0
		if len(sets) > 0 {
			wantCalling, wantConditions = 18, 6*len(sets)+12*(len(sets)-1)
		}
		if calling != wantCalling || conditions != wantConditions {
			t.Errorf("%s: %d functions call assembly, under %d conditions; want %d, %d",
				file, calling, conditions, wantCalling, wantConditions)
		}
	}
}
