package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/internal/require"
)

// vectorsRun runs "bloomlane vectors" with args and returns what it printed and its exit code.
func vectorsRun(args ...string) (stdout, stderr string, code int) {
	var out, messages bytes.Buffer
	code = run(append([]string{"vectors"}, args...), strings.NewReader(""), &out, &messages)
	return out.String(), messages.String(), code
}

func TestVectors(t *testing.T) {
	folder := t.TempDir()
	if out, messages, code := vectorsRun("make", "-o", folder); code != exitYes {
		t.Fatalf("make: %d %s %s", code, out, messages)
	}
	file256, file512 := filepath.Join(folder, "vectors256.jsonl"), filepath.Join(folder, "vectors512.jsonl")
	for _, file := range []string{file256, file512} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(content, []byte("\n")); n != 10_000 {
			t.Errorf("%s has %d records, want 10,000", file, n)
		}
	}

	out, messages, code := vectorsRun("check", "--impl", "all", "--json", file256, file512)
	if code != exitYes {
		t.Fatalf("check: %d %s", code, messages)
	}
	var checked struct{ Runs []checkedRun }
	if err := json.Unmarshal([]byte(out), &checked); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	for _, run := range checked.Runs {
		if !run.Agrees || run.Records != 10_000 {
			t.Errorf("%+v", run)
		}
	}

	content, err := os.ReadFile(file512)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, content string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	wrong := write("wrong", strings.Replace(string(content), `"result":"retained"`, `"result":"deleted"`, 1))
	malformed := write("malformed", string(content)[1:])
	empty, blank := write("empty", ""), write("blank", "\n\n")
	tests := []struct {
		name   string
		args   []string
		code   int
		expect string // in stdout for 0 and 1, in stderr for 2
	}{
		{"one implementation", []string{"check", "--impl", "purego", file512}, exitYes, "purego in batches agrees on 10000 records"},
		{"a difference", []string{"check", wrong}, exitNo, "the file has deleted, purego has retained"},
		{"malformed", []string{"check", malformed}, exitBad, "line 1"},
		{"no record", []string{"check", file512, empty}, exitBad, empty + ": found no record, expected at least one"},
		{"blank lines", []string{"check", blank}, exitBad, blank + ": vectors: line 1: "},
		{"no records to make", []string{"make", "-o", folder, "-n", "0"}, exitBad, "--records is 0, expected at least 1"},
		{"no such implementation", []string{"check", "--impl", "mmx", file512}, exitBad, `--impl is "mmx", expected one of all`},
		{"no file", []string{"check", filepath.Join(folder, "none")}, exitBad, "none"},
		{"no argument", []string{"check"}, exitBad, "requires at least 1 arg"},
		{"no such block", []string{"make", "-o", folder, "--block-bits", "128"}, exitBad, "--block-bits is 128, expected 256 or 512"},
		{"no blocks", []string{"make", "-o", folder, "--blocks", "0"}, exitBad, "0 blocks"},
		{"no folder", []string{"make", "-o", filepath.Join(folder, "none")}, exitBad, "none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, messages, code := vectorsRun(test.args...)
			text := out
			if test.code == exitBad {
				text = messages
			}
			if code != test.code || !strings.Contains(text, test.expect) {
				t.Errorf("%v: exit code %d, stdout %q, stderr %q; want %d, %q", test.args, code, out, messages, test.code, test.expect)
			}
		})
	}
}

// The Verilog agrees, with its own statuses and in both forms, and a difference is shown as that of
// any other implementation.
func TestVectorsRTL(t *testing.T) {
	if err := cosim.Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
	folder := t.TempDir()
	if out, messages, code := vectorsRun("make", "-o", folder, "-n", "1000", "--blocks", "25"); code != exitYes {
		t.Fatalf("make: %d %s %s", code, out, messages)
	}
	for _, name := range []string{"vectors256.jsonl", "vectors512.jsonl"} {
		file := filepath.Join(folder, name)
		out, messages, code := vectorsRun("check", "--impl", "rtl", file)
		want := file + ": rtl agrees on 1000 records\n" + file + ": rtl in batches agrees on 1000 records\n"
		if code != exitYes || out != want {
			t.Errorf("exit code %d, stdout %q, stderr %q; want 0, %q", code, out, messages, want)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.Replace(content, []byte(`"result":"retained"`), []byte(`"result":"deleted"`), 1)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, messages, code = vectorsRun("check", "--impl", "rtl", file)
		if code != exitNo || !strings.Contains(out, "the file has deleted, rtl in batches has retained") {
			t.Errorf("exit code %d, stdout %q, stderr %q; want 1 and the difference", code, out, messages)
		}
	}
}

// Without Verilator the answer says how to get it; what --impl names by all does not need it.
func TestVectorsWithoutVerilator(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	if out, messages, code := vectorsRun("make", "-o", folder, "-n", "10"); code != exitYes {
		t.Fatalf("make: %d %s %s", code, out, messages)
	}
	file := filepath.Join(folder, "vectors256.jsonl")
	out, messages, code := vectorsRun("check", "--impl", "rtl", file)
	if code != exitBad || out != "" || !strings.Contains(messages, "verilator is not installed: "+cosim.Install) {
		t.Errorf("exit code %d, stdout %q, stderr %q; want 2 and how to install it", code, out, messages)
	}
	if _, messages, code := vectorsRun("check", file); code != exitYes {
		t.Errorf("--impl all: exit code %d, stderr %q", code, messages)
	}
}
