package c

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/require"
)

// python returns a command of Python with a copy of bloomlane.py beside its shared object.
func python(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		require.Skip(tb, "python3", "no python3: .ci/setup installs it")
	}
	const source = "../interop/python/bloomlane"
	object := filepath.Join(folder, "libbloomlane.so")
	if _, err := os.Stat(object); err != nil {
		gcc.compile(tb, source+".c", object, "-shared", "-fPIC")
	}
	module, err := os.ReadFile(source + ".py")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "bloomlane.py"), module, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"-B"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+folder)
	return cmd
}

// startPython starts testdata/driver.py.
func startPython(t *testing.T) *driver {
	t.Helper()
	program, err := os.ReadFile("testdata/driver.py")
	if err != nil {
		t.Fatal(err)
	}
	return begin(t, "python3", python(t, "-c", string(program)))
}

// eachReader runs a test for each compiler, and for Python.
func eachReader(t *testing.T, test func(t *testing.T, d *driver)) {
	each(t, test)
	t.Run("python3", func(t *testing.T) { test(t, startPython(t)) })
}

// As a program the module prints the members, or says what is wrong. Without a key it is asked for
// hashes only.
func TestPython(t *testing.T) {
	run := func(args ...string) string {
		args = append([]string{filepath.Join(folder, "bloomlane.py")}, args...)
		out, _ := python(t, args...).CombinedOutput()
		return string(out)
	}
	path, secret := filepath.Join(t.TempDir(), "f.blm"), filepath.Join(t.TempDir(), "f.key")
	k := everyKey(8)[2]
	f := made(deletable.New(deletable.Config{Members: 100, BitsPerKey: 32, Key: k}))(t)
	if _, err := f.Insert([]byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		k.Secret():              "first\n",
		k.Secret() + "\r\n":     "first\n",
		k.Secret() + "\x00":     "bloomlane.py: not a hash key\n",
		everyKey(9)[2].Secret(): "bloomlane.py: wrong hash key\n",
		"":                      "bloomlane.py: not a hash key\n",
	} {
		if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(path, secret, "first", "second"); got != want {
			t.Errorf("with the key %q: %q, want %q", text, got, want)
		}
	}
	d := startPython(t)
	if got := d.open(contentOf(t, f), nil); got != accepted {
		t.Errorf("without a key: %s", got)
	}
	if got := d.call("present_bytes %x", "first"); got != "no hash key" {
		t.Errorf("a key is asked for without a key: %s", got)
	}
}
