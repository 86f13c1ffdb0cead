package denylist

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/internal/require"
)

var update = flag.Bool("update", false, "make deny.o from its source")

// The object has the instructions and the maps that clang makes of the source.
func TestObject(t *testing.T) {
	output := filepath.Join(t.TempDir(), "deny.o")
	for _, command := range [][]string{
		{"clang-19", "-target", "bpf", "-mcpu=v3", "-std=gnu11", "-ffreestanding", "-O2", "-g",
			"-Wall", "-Wextra", "-Werror", "-fdebug-compilation-dir=.", "-c", "c/deny.c",
			"-o", output},
		{"llvm-strip", "-g", output},
	} {
		path, err := exec.LookPath(command[0])
		if err != nil {
			require.Skip(t, "clang", "no "+command[0]+": .ci/setup installs it")
		}
		if out, err := exec.Command(path, command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	read := func(path string) (object []byte, text string) {
		object, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{} // which fmt prints in order
		for name, program := range spec.Programs {
			texts[name] = fmt.Sprint(program.Instructions)
		}
		for name, m := range spec.Maps {
			texts[name] = fmt.Sprint(m)
		}
		return object, fmt.Sprint(texts)
	}
	// go test runs again if one of these has changed, because the test itself reads them
	for _, name := range []string{"c/deny.c", "../../xdp/program/packet.h",
		"../../xdp/program/kernel.h"} {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	object, made := read(output)
	if *update {
		if err := os.WriteFile("deny.o", object, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, committed := read("deny.o"); made != committed {
		t.Error("deny.o is not what clang makes of c/deny.c: make it again, by -update")
	}
}
