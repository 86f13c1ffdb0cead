package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
	"github.com/bloomlane/bloomlane/report/kernels"
)

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args  string
		code  int
		wants string // of stdout or stderr
	}{
		{"", exitYes, "Usage:"},
		{"--help", exitYes, "1  The command ran and the answer is no"},
		{"--help", exitYes, "errata: go run ./papers."},
		{"build --help", exitYes, "--bits-per-key"},
		{"help build", exitYes, "--bits-per-key"},
		{"help import parquet", exitYes, "--own"},
		{"help", exitYes, "Usage:"},
		{"help bild", exitBad, "found bild, expected a command such as build (bloomlane --help "},
		{"help build fast", exitBad, "found build fast, expected a command (bloomlane --help "},
		{"bild", exitBad, "found bild, expected a command such as build (bloomlane --help lists"},
		{"nothing", exitBad, "found nothing, expected a command (bloomlane --help lists them)\n"},
		{"--jsno", exitBad, "found --jsno, expected a flag of bloomlane (bloomlane --help "},
		{"info -x", exitBad, "found -x, expected a flag of bloomlane info (bloomlane info --help "},
		{"info", exitBad, "found 0 arguments, expected bloomlane info FILE [flags]\n"},
		{"info a b", exitBad, "found 2 arguments, expected bloomlane info FILE [flags]\n"},
		{"kernels avx2", exitBad, "found the argument avx2, expected none"},
	} {
		s := newShell(t)
		s.Run(test.code, "", strings.Fields(test.args)...)
		if text := s.Stdout + s.Stderr; !strings.Contains(text, test.wants) {
			t.Errorf("%q: %s, want %s", test.args, text, test.wants)
		}
		if test.code != exitYes && s.Stdout != "" {
			t.Errorf("%q: a result on stdout: %s", test.args, s.Stdout)
		}
	}
}

func TestInfo(t *testing.T) {
	s := fruit(t)
	if err := os.Remove(s.Path("f.key")); err != nil { // info needs no key
		t.Fatal(err)
	}
	s.Run(exitYes, "", "info", "@f")
	for _, want := range []string{"file version 4", "3, planned for 3", "64 bytes, 1 block\n",
		"21, 4.69 % of the data bits", "\npages            "} {
		if !strings.Contains(s.Stdout, want) {
			t.Errorf("%s does not say %q", s.Stdout, want)
		}
	}
	if result := s.info("@f"); result.Members != 3 || result.Blocks != 1 || result.Regions != 64 ||
		result.Fingerprint != "cd69a2a163082481" || result.Rate <= 0 {
		t.Errorf("%+v", result)
	}
}

// What is told of the pages of a table.
func TestPages(t *testing.T) {
	for want, p := range map[string]*pages{
		"unknown":                 nil,
		"88.8 % huge, in memory":  {Huge: 0.888},
		"100 % huge, mapped file": {Huge: 1, Mapped: true},
		"small (in memory: the system has no huge pages)": {Why: "the system has no huge pages"},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
	s := newShell(t)
	s.Run(exitYes, "apple\n", "build", "-o", "@f")
	if p := s.info("@f").Pages; p != nil && (p.Huge != 0 || p.Why != "too little for huge pages") {
		t.Errorf("a table of one block: %+v", p)
	}
}

func TestKernels(t *testing.T) {
	s := newShell(t)
	result := reported[kernels.Report](s, exitYes, "", "kernels")
	if result.Active != kernel.Active().String() ||
		len(result.Implementations) != len(kernel.Implementations()) || result.CPU == "" ||
		result.Why == "" || result.Features == nil || len(result.Proofs.Changed) > 0 {
		t.Errorf("%+v", result)
	}
	s.Run(exitYes, "", "kernels")
	if !strings.Contains(s.Stdout, "active           "+result.Active+": ") {
		t.Errorf("%s does not say what is active", s.Stdout)
	}
}

// full is a writer that has no room, such as a disk.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

// A result that cannot be written is an error, not success.
func TestResultsThatCannotBeWritten(t *testing.T) {
	s := fruit(t)
	s.parquet("p", 0, 1)
	for _, line := range []string{
		"import parquet @p --column id -o @g", "import parquet @p --column id --own -o @h",
		"import parquet @p --column id --own -o -",
		"export parquet @p --column user", "prune @p --column id -- 7000",
		"prune @p --column id --json -- 7000",
		"build -o @g", "query @f apple", "delete @f apple", "info @f", "kernels", "version",
		"vectors make -n 1 -o " + s.Folder,
		"build -o @g --json", "query @f pear --json", "delete @f pear --json", "info @f --json",
		"kernels --json", "--help", "help", "help build", "build --help", "vectors", "",
		"completion bash", "completion zsh", "completion fish",
	} {
		var stderr strings.Builder
		args := strings.Fields(strings.ReplaceAll(line, "@", s.Folder+string(filepath.Separator)))
		if code := run(args, strings.NewReader("apple\n"), full{}, &stderr); code != exitBad ||
			!strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("%s: exit code %d, want %d; stderr %s", line, code, exitBad, &stderr)
		}
	}
}

// FuzzQuery asks for keys of any bytes: the text has a line for each line that is not empty, and
// the JSON is valid.
func FuzzQuery(f *testing.F) {
	for _, input := range []string{"apple\npear", "\xff\n\n\x00\r\n", "\"\\\u2028\n", ""} {
		f.Add([]byte(input))
	}
	folder := f.TempDir()
	path := filepath.Join(folder, "f")
	if code := run([]string{"build", "-o", path}, strings.NewReader("apple\n"), io.Discard,
		os.Stderr); code != exitYes {
		f.Fatal(code)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var text, object, stderr strings.Builder
		code := run([]string{"query", path}, strings.NewReader(string(input)), &text, &stderr)
		if strings.Contains(stderr.String(), " data, expected lines") { // of another program
			return
		}
		if code == exitBad && len(input) < maxKeyBytes {
			t.Fatal(stderr.String())
		}
		keys := 0
		for _, line := range strings.Split(string(input), "\n") {
			if line != "" {
				keys++
			}
		}
		if got := strings.Count(text.String(), "\n"); got != keys && len(input) < maxKeyBytes {
			t.Errorf("%d answers, want %d", got, keys)
		}
		run([]string{"query", path, "--json"}, strings.NewReader(string(input)), &object, &stderr)
		var result struct{ Keys []struct{ Answer string } }
		if err := json.Unmarshal([]byte(object.String()), &result); err != nil ||
			len(result.Keys) != keys && len(input) < maxKeyBytes {
			t.Errorf("%v: %d answers in JSON, want %d", err, len(result.Keys), keys)
		}
	})
}

// The help of each command, and its flags, are as those of every program.
func TestHelp(t *testing.T) { commandtest.Help(t, newRootCommand()) }
