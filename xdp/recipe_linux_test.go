package xdp

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The program of docs/recipes/xdp.md drops the packets of its list, and after SIGHUP those of the
// next one. A list that cannot be read changes nothing.
func TestRecipe(t *testing.T) {
	page, err := os.ReadFile("../docs/recipes/xdp.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```go\n")
	program, _, _ = strings.Cut(program, "```\n")
	folder := t.TempDir()
	source, binary := filepath.Join(folder, "main.go"), filepath.Join(folder, "blocklist")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	isolate(t)
	from, to := newPort(t, far, unix.ETH_P_ALL), newPort(t, near, unix.ETH_P_ALL)
	list := filepath.Join(folder, "deny.txt")
	write := func(text string) {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("192.0.2.66\n192.0.2.7\n::ffff:192.0.2.66\n")
	c := exec.Command(binary, near, list)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	said := bufio.NewReader(out)
	denied := func(says, addresses string) {
		t.Helper()
		if line, err := said.ReadString('\n'); !strings.Contains(line, says) {
			t.Fatalf("it says %q (%v), want %s", line, err, says)
		}
		for _, a := range []string{"192.0.2.66", "192.0.2.7", "192.0.2.8"} {
			want := strings.Contains(addresses+" ", a+" ")
			if got := denies(from, to, a); got != want {
				t.Errorf("%s is denied: %v, want %v", a, got, want)
			}
		}
	}
	denied("<nil>", "192.0.2.66 192.0.2.7")
	for _, step := range []struct{ list, says, denied string }{
		{"192.0.2.7\n192.0.2.8\n", "<nil>", "192.0.2.7 192.0.2.8"},
		{"192.0.2.66\n192.0.2\n", "ParseAddr", "192.0.2.7 192.0.2.8"},
		{"", "<nil>", ""},
	} {
		write(step.list)
		if err := c.Process.Signal(unix.SIGHUP); err != nil {
			t.Fatal(err)
		}
		denied(step.says, step.denied)
	}
}
