package xdp

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/internal/require"
)

var update = flag.Bool("update", false, "write program/program.o as clang makes it")

// compiled are the objects of this run by their sources.
var compiled = map[string][]byte{}

// prepared returns a file of the folder that .ci/kernel makes for a machine without Go and clang, or ""
// on others.
func prepared(name string) string {
	folder := os.Getenv("BLOOMLANE_PREPARED")
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, name)
}

// compile compiles a source for BPF with the clang of .ci/setup, and returns the object. Its types
// stay, and what debuggers read goes.
func compile(tb testing.TB, source string) []byte {
	tb.Helper()
	if path := prepared(filepath.Base(source) + ".o"); path != "" {
		made, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		return made
	}
	for _, name := range []string{source, "../c/bloomlane.h", "program/kernel.h",
		"program/packet.h", "program/ranges.h"} {
		// go test runs again if a file has changed that the test itself has read
		if _, err := os.ReadFile(name); err != nil {
			tb.Fatal(err)
		}
	}
	if compiled[source] != nil {
		return compiled[source]
	}
	output := filepath.Join(tb.TempDir(), "object.o")
	for _, command := range [][]string{
		{"clang-19", "-target", "bpf", "-mcpu=v3", "-std=gnu11", "-ffreestanding", "-O2", "-g",
			"-Wall", "-Wextra", "-Werror", "-fdebug-compilation-dir=.", "-c", source, "-o", output},
		{"llvm-strip", "-g", output},
	} {
		path, err := exec.LookPath(command[0])
		if err != nil {
			require.Skip(tb, "clang", "no "+command[0]+": .ci/setup installs it")
		}
		if out, err := exec.Command(path, command[1:]...).CombinedOutput(); err != nil {
			tb.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	made, err := os.ReadFile(output)
	if err != nil {
		tb.Fatal(err)
	}
	compiled[source] = made
	return made
}

func specOf(tb testing.TB, object []byte) *ebpf.CollectionSpec {
	tb.Helper()
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		tb.Fatal(err)
	}
	return spec
}

// The object is what clang makes of the source: byte for byte, or, of another version of clang,
// instruction by instruction.
func TestObject(t *testing.T) {
	const path = "program/program.o"
	made := compile(t, "program/program.c")
	if *update {
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(made, committed) {
		return
	}
	fresh, old := specOf(t, made), specOf(t, committed)
	for name, program := range fresh.Programs {
		if old.Programs[name] == nil || !slices.Equal(instructions(program),
			instructions(old.Programs[name])) {
			t.Errorf("%s has not the instructions of %s: run the test with -update", path, name)
		}
	}
	for name, m := range fresh.Maps {
		if old.Maps[name] == nil || m.String() != old.Maps[name].String() {
			t.Errorf("%s has not the map %v", path, m)
		}
	}
	if len(fresh.Programs) != len(old.Programs) || len(fresh.Maps) != len(old.Maps) {
		t.Errorf("%s has %d programs and %d maps, want %d and %d", path, len(old.Programs),
			len(old.Maps), len(fresh.Programs), len(fresh.Maps))
	}
}

func instructions(p *ebpf.ProgramSpec) []string {
	var all []string
	for _, instruction := range p.Instructions {
		all = append(all, fmt.Sprint(instruction))
	}
	return all
}
