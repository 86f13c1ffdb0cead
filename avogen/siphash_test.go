package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// TestOtherRounds runs the tests of internal/siphash on SipHash-2-4, whose vectors its authors
// published: on the functions that the description gives with these numbers of rounds, for every
// instruction set of this CPU and of one that is emulated.
func TestOtherRounds(t *testing.T) {
	const emulator = "qemu-aarch64-static"
	r := rounds{compression: 2, finalization: 4}
	replaced := otherRounds(t, r)
	t.Run(runtime.GOARCH, func(t *testing.T) { testOverlaid(t, r, replaced, runtime.GOARCH) })
	t.Run("emulated arm64", func(t *testing.T) {
		if _, err := exec.LookPath(emulator); err != nil {
			require.Skip(t, "emulator", err.Error()+": .ci/setup installs it")
		}
		testOverlaid(t, r, replaced, "arm64", "-exec", emulator)
	})
}

// otherRounds returns the files of the hash with other numbers of rounds, by the paths of those
// that they replace.
func otherRounds(t *testing.T, r rounds) map[string]string {
	t.Helper()
	f := file{"siphash", siphash(r)}
	amd64, _, _, err := renderAMD64(f, "asm")
	if err != nil {
		t.Fatal(err)
	}
	arm64, _, err := renderARM64(f, "asm")
	if err != nil {
		t.Fatal(err)
	}
	const constants = "internal/siphash/rounds.go"
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(constants)))
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{
		"compression": r.compression, "finalization": r.finalization,
	} {
		constant := regexp.MustCompile(`(?m)^(\s` + name + `\s+= )\d+$`)
		if !constant.Match(text) {
			t.Fatalf("%s has no constant %s", constants, name)
		}
		text = constant.ReplaceAll(text, []byte("${1}"+string(rune('0'+n))))
	}
	replaced, folder := map[string]string{}, t.TempDir()
	for path, content := range map[string][]byte{
		"asm/siphash_amd64.s": amd64, "asm/siphash_arm64.s": arm64, constants: text,
	} {
		was, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		if before, err := os.ReadFile(was); err != nil || bytes.Equal(before, content) {
			t.Fatalf("%s is the same with other rounds (%v)", path, err)
		}
		replaced[was] = filepath.Join(folder, filepath.Base(path))
		if err := os.WriteFile(replaced[was], content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return replaced
}

// testOverlaid runs the tests of internal/siphash with some files replaced.
func testOverlaid(
	t *testing.T,
	r rounds,
	replaced map[string]string,
	arch string,
	flags ...string,
) {
	t.Helper()
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(path, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	test := exec.CommandContext(t.Context(), "go", append(append([]string{"test", "-short", "-v",
		"-run", "Vectors|Reference|Fixed|Mixed", "-overlay", path}, flags...),
		"./internal/siphash")...)
	test.Dir = root
	test.Env = append(os.Environ(), "GOARCH="+arch, "BLOOMLANE_REQUIRE=")
	out, err := test.CombinedOutput()
	name := fmt.Sprintf("SipHash-%d-%d\n", r.compression, r.finalization)
	if err != nil || !bytes.Contains(out, []byte(name)) {
		t.Errorf("no %q, or %v:\n%s", name, err, out)
	}
}
