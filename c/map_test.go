package c

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// The header of the hardware's registers compiles without a warning, also where it is included
// twice, and has all windows and registers of the map, at their addresses.
func TestMap(t *testing.T) {
	names := []string{"BLM_ID_VALUE", "BLM_VERSION_VALUE"}
	values := []int{register.IDValue, register.VersionValue}
	for _, w := range register.Windows {
		names, values = append(names, "BLM_"+w.Name+"_WINDOW"), append(values, w.Offset)
		for _, r := range w.Registers {
			names, values = append(names, "BLM_AT_"+r.Name), append(values, w.Offset+r.Offset)
		}
	}
	const header = "bloomlane_map.h"
	text, err := os.ReadFile(header) // go test runs again if it has changed
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(string(text), "\n#define BLM_"), len(names); got != want {
		t.Errorf("%s has %d names, want %d", header, got, want)
	}
	program := strings.Repeat("#include \""+header+"\"\n", 2) +
		"#include <stdio.h>\nint main(void) {\n"
	want := ""
	for i, name := range names {
		program += fmt.Sprintf("\tprintf(\"%s %%x\\n\", (unsigned)%s);\n", name, name)
		want += fmt.Sprintf("%s %x\n", name, values[i])
	}
	source, binary := filepath.Join(t.TempDir(), "map.c"), filepath.Join(t.TempDir(), "map")
	if err := os.WriteFile(source, []byte(program+"\treturn 0;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gcc.compile(t, source, binary, "-I.")
	if got, err := exec.Command(binary).Output(); err != nil || string(got) != want {
		t.Errorf("%v:\n%s, want\n%s", err, got, want)
	}
}
