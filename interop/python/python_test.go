package python

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/internal/require"
)

// sipHash is what the module expects of a key.
const sipHash = "a key of SipHash-1-3 (bloomlane build --hash siphash-1-3): sip13: and 32 digits"

// driver is a program that runs the module: a command a line, an answer a line. Damage is the
// number of files that are accepted of those that differ from one in a byte.
const driver = `
import sys
import bloomlane

def read(path):
    with open(path, "rb") as content:
        return content.read()

def damage(path):
    content, accepted = bytearray(read(path)), 0
    for i in list(range(400)) + list(range(400, len(content), 37)):
        content[i] ^= 1 << i % 8
        try:
            bloomlane.open_filter(content)
            accepted += 1
        except bloomlane.FormatError:
            pass
        content[i] ^= 1 << i % 8
    return accepted

f = None
for line in sys.stdin:
    command, *args = line.split()
    try:
        if command == "open":
            f = bloomlane.open_filter(read(args[0]), bloomlane.key(args[1]) if args[1:] else None)
            answer = "opened"
        elif command == "query":
            answer = int(f.query(bytes.fromhex("".join(args))))
        elif command == "hash":
            answer = int(f.query_hash(int(args[0], 16)))
        elif command == "sip":
            answer = bloomlane.siphash13(bloomlane.key(args[0]), bytes.fromhex("".join(args[1:])))
        else:
            answer = damage(args[0])
    except bloomlane.FormatError as error:
        answer = error
    print(answer, flush=True)
`

// interpreter returns a command of Python that finds the module, and writes nothing beside it.
func interpreter(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		require.Skip(t, "python3", "no python3: .ci/setup installs it")
	}
	// go test runs again if a file has changed that the test itself has read
	if _, err := os.ReadFile("bloomlane.py"); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, append([]string{"-B"}, args...)...)
	c.Env = append(os.Environ(), "PYTHONPATH=.")
	return c
}

// start starts the driver. What it returns gives a command to it, and takes the answer.
func start(t *testing.T) (call func(format string, args ...any) string) {
	t.Helper()
	c := interpreter(t, "-c", driver)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	answers := bufio.NewReader(out)
	return func(format string, args ...any) string {
		t.Helper()
		if _, err := fmt.Fprintf(in, format+"\n", args...); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(answer, "\n")
	}
}

// answer is that of the module for a query.
func answer(present bool) string {
	if present {
		return "1"
	}
	return "0"
}

// Committed files of the four kinds have in Python the answers that they have in Go: for hashes,
// and under a key of SipHash-1-3 for keys. The files of other kinds, versions and keys are refused.
func TestCommittedFiles(t *testing.T) {
	call := start(t)
	paths, err := filepath.Glob("../../filter/kinds/testdata/corpus/*.blm")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	const read = "deletable plain blocked cuckoo"
	rng := rand.New(rand.NewPCG(41, 1))
	members, opened := 0, 0
	for _, path := range paths {
		kind, _, _ := strings.Cut(filepath.Base(path), "-")
		got, want := call("open %s", path), "opened"
		if !slices.Contains(strings.Fields(read), kind) {
			want = "expected one of the kinds " + strings.ReplaceAll(read, " ", ", ")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if got != "opened" {
			continue
		}
		opened++
		f, _, err := kinds.All().Open(path, key.Unknown())
		if err != nil {
			t.Fatal(err)
		}
		for range 500 {
			h := rng.Uint64()
			if got, want := call("hash %x", h), answer(f.QueryHash(h)); got != want {
				t.Fatalf("%s: %#x is present: %s, want %s", path, h, got, want)
			}
		}
		k := keytest.Sip(7, 7)
		if f, _, err = kinds.All().Open(path, k); err != nil {
			const want = "expected a filter under " + sipHash
			if got := call("open %s %s", path, k.Secret()); got != want {
				t.Errorf("%s, of another key: %s, want %s", path, got, want)
			}
			continue
		}
		members += queries(t, call, path, f)
	}
	if opened != 20 || members != 4*40 {
		t.Errorf("%d files are opened, and %d members found, want 20 and 160", opened, members)
	}
	content, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []byte{2, 4} {
		content[8] = version
		path := filepath.Join(t.TempDir(), "other.blm")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := call("open %s", path); got != "expected version 3" {
			t.Errorf("version %d: %s", version, got)
		}
	}
}

// queries compares the answers for keys, and returns how many of the members are found.
func queries(
	t *testing.T,
	call func(format string, args ...any) string,
	path string,
	f filter.Stored,
) (members int) {
	t.Helper()
	k := f.Key()
	if got := call("open %s %s", path, k.Secret()); got != "opened" {
		t.Fatalf("%s: %s", path, got)
	}
	for i := range uint64(1000) {
		eight := make([]byte, 8) // as numbers are hashed
		for n := range eight {
			eight[n] = byte(i >> (8 * n))
		}
		got, want := call("query %x", eight), answer(f.QueryHash(k.HashUint64(i)))
		if got != want {
			t.Fatalf("%s: %d is present: %s, want %s", path, i, got, want)
		}
		if i < 40 && got == "1" {
			members++
		}
	}
	return members
}

// Keys of any length have the hash that they have in Go.
func TestSipHash(t *testing.T) {
	call := start(t)
	random := rand.NewChaCha8([32]byte{41})
	data := make([]byte, 300)
	for n := range data {
		k := keytest.Sip(byte(n), 9, 200)
		_, _ = random.Read(data)
		got, want := call("sip %s %x", k.Secret(), data[:n]), fmt.Sprint(k.Hash(data[:n]))
		if got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
	for _, text := range []string{"sip13:", "sip13:" + strings.Repeat("0", 31), key.New().Secret(),
		"sip13:" + strings.Repeat("g", 32), strings.Repeat("0", 64)} {
		if got := call("sip %s", text); got != "expected "+sipHash {
			t.Errorf("the key %s: %s", text, got)
		}
	}
}

// A filter under another hash than SipHash-1-3 has its answers for hashes. With a key, or where a
// key is asked for, the module says how to build one that it reads.
func TestOtherHashes(t *testing.T) {
	call := start(t)
	path := filepath.Join(t.TempDir(), "f.blm")
	kind, _ := kinds.All().Of("deletable")
	for _, k := range []key.Key{keytest.PMAC(7, 7), keytest.Key(7, 7)} {
		f, err := kind.New(filter.Sizing{Members: 100, Rate: 0.1, Key: k})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(100) {
			if _, err := f.InsertHash(k.HashUint64(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		if got := call("open %s", path); got != "opened" {
			t.Fatalf("under a %v: %s", k, got)
		}
		for i := range uint64(1000) {
			h := k.HashUint64(i)
			if got, want := call("hash %x", h), answer(f.QueryHash(h)); got != want {
				t.Errorf("under a %v, %#x is present: %s, want %s", k, h, got, want)
			}
		}
		if got := call("query 00"); got != "expected "+sipHash {
			t.Errorf("a key is asked for: %s", got)
		}
		if got := call("open %s %s", path, k.Secret()); got != "expected "+sipHash {
			t.Errorf("with its key, a %v: %s", k, got)
		}
		if got := call("open %s %s", path, keytest.Sip(7, 7).Secret()); got !=
			"expected a filter under "+sipHash {
			t.Errorf("under a %v, with a key of SipHash-1-3: %s", k, got)
		}
	}
	f, err := kind.New(filter.Sizing{Members: 100, Rate: 0.1, Key: keytest.Sip(7, 7)})
	if err == nil {
		err = f.Save(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := call("open %s %s", path, keytest.Sip(7, 8).Secret()); got !=
		"expected the filter's key" {
		t.Errorf("with another key: %s", got)
	}
}

// A file that differs in a byte is refused, wherever the byte is. So is one that is cut, and one
// whose checksums are right and whose numbers do not fit its sections.
func TestDamage(t *testing.T) {
	call := start(t)
	folder := t.TempDir()
	open := func(content []byte) string {
		path := filepath.Join(folder, "f.blm")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return call("open %s", path)
	}
	for _, kind := range []string{
		"deletable-3", "deletable-4", "plain-4", "blocked-3", "cuckoo-4",
	} {
		path := "../../filter/kinds/testdata/corpus/" + kind + ".blm"
		if got := call("damage %s", path); got != "0" {
			t.Errorf("%s: %s damaged files are accepted", kind, got)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 63, 4095, 4096, len(content) - 1} {
			if got := open(content[:n]); !strings.HasPrefix(got, "expected ") {
				t.Errorf("%s, %d bytes: %s", kind, n, got)
			}
		}
		c, err := file.Read(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		c.Sections[0].Words = c.Sections[0].Words[1:]
		if content, err = c.Append(nil); err != nil {
			t.Fatal(err)
		}
		if got := open(content); got != "expected numbers that fit each other" {
			t.Errorf("%s, a word less: %s", kind, got)
		}
	}
}

// As a program the module prints the words that are present, or says what is wrong.
func TestProgram(t *testing.T) {
	kind, _ := kinds.All().Of("cuckoo")
	f, err := kind.New(filter.Sizing{Members: 100, Rate: 1e-6, Key: keytest.Sip(8)})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"first", "second"} {
		if _, err := f.InsertHash(f.Key().Hash([]byte(word))); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	path, secret := filepath.Join(folder, "words.blm"), filepath.Join(folder, "words.key")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	if err := key.WriteFile(secret, f.Key()); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		out, err := interpreter(t, append([]string{"bloomlane.py"}, args...)...).CombinedOutput()
		return fmt.Sprint(string(out), err)
	}
	if got := run(path, secret, "first", "third", "second"); got != "first\nsecond\n<nil>" {
		t.Errorf("it prints %s", got)
	}
	const want = "bloomlane.py: expected " + sipHash + "\nexit status 1"
	if got := run(path, secret+".none"); !strings.Contains(got, "No such file") {
		t.Errorf("without a key file it prints %s", got)
	}
	if err := os.WriteFile(secret, []byte("none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(path, secret, "first"); got != want {
		t.Errorf("with what is no key it prints %s", got)
	}
}
