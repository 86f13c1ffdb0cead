package dispatch

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every generated function names its own operation and width and no other, calls assembly of every
// instruction set once, and each under the condition that names it. A wrong name may give the same
// results, so that only the source shows it.
func TestOperations(t *testing.T) {
	var (
		declared  = regexp.MustCompile(`^(?:\((?:im )?Implementation\) )?(\w+?)(?:Call)?\(`)
		mentioned = regexp.MustCompile(
			`\bfallback\.(\w+)\(|"(\w+)"|\bchosen\[(\w+)\]|\bchosen\[\w+\]\.(\w+)\(|\bim\.(\w+)Call\(`)
		shaped    = regexp.MustCompile(`^(\w+?)(512|256|split|)$`)
		called    = regexp.MustCompile(`\basm\.(\w+?)(AVX512|AVX2|NEON)\(`)
		condition = regexp.MustCompile(
			`(?:im == |case )(\w+)(?: \{|:)\n\t+(?:return )?asm\.\w+?(AVX512|AVX2|NEON)\(`)
	)
	for file, sets := range map[string][]string{
		"operations.go":  nil,
		"calls_amd64.go": {"AVX512", "AVX2"}, // the best first
		"calls_arm64.go": {"NEON"},
		"calls_other.go": nil,
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		calling := 0
		for _, function := range strings.Split(string(source), "\nfunc ")[1:] {
			name := declared.FindStringSubmatch(function)[1]
			if name == "inAssembly" {
				continue
			}
			parts := shaped.FindStringSubmatch(strings.ToLower(name))
			operation, width := parts[1], parts[2]
			sets := sets
			if operation == "prefetch" { // of one key, by the set that all have the instructions of
				operation, sets = "fetch", sets[max(0, len(sets)-1):]
			}
			for _, mention := range mentioned.FindAllStringSubmatch(function, -1) {
				got := strings.ToLower(strings.Join(mention[1:], ""))
				if mention[2] == "QueryInsertBatch" { // the name that users know it by
					got = "insertbatch"
				}
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
				want := sets
				if strings.HasPrefix(operation, "hash") || operation == "sample" {
					want = []string{"AVX512"}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s calls %v, want %v", file, name, got, want)
				}
			}
			conditions := condition.FindAllStringSubmatch(function, -1)
			if len(conditions) < len(got)-1 { // the last set needs none
				t.Errorf("%s: %s calls %d sets under %d conditions", file, name, len(got),
					len(conditions))
			}
			for _, c := range conditions {
				if c[1] != strings.ToLower(c[2]) {
					t.Errorf("%s: %s calls %s for %s", file, name, c[2], c[1])
				}
			}
		}
		want := 0
		for _, operations := range []reflect.Value{
			reflect.ValueOf(purego.Operations512()), reflect.ValueOf(purego.Operations256()),
			reflect.ValueOf(purego.OperationsSplit()),
		} {
			want += 2 // fetch and prefetch
			for i := range operations.NumField() {
				if !operations.Field(i).IsNil() {
					want++
				}
			}
		}
		switch len(sets) {
		case 0:
			want = 0
		case 2:
			want += 3 // hashes of two widths, and a sample
		}
		if calling != want {
			t.Errorf("%s: %d functions call assembly, want %d", file, calling, want)
		}
	}
}
