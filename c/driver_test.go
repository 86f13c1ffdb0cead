package c

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/internal/require"
)

// strict are the flags of C99 in which nothing is left to be warned of.
var strict = []string{"-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow",
	"-Werror", "-O2"}

// compiler is a compiler of C, with the sanitizers that it has.
type compiler struct {
	feature  string   // of package require
	commands []string // the first that is there is used
	flags    []string
}

// The sanitizer of addresses needs a library, which comes with gcc. Traps need none. A program that
// is not hosted has no AES instructions.
var (
	gcc = compiler{"cc", []string{"gcc", "cc"},
		[]string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}}
	clang = compiler{"clang", []string{"clang", "clang-19"},
		[]string{"-fsanitize=undefined", "-fsanitize-trap=undefined"}}
	portable = compiler{"cc", gcc.commands, append([]string{"-ffreestanding"}, gcc.flags...)}
)

// compile runs the compiler on a source. The test is skipped if the compiler compiles nothing with
// these flags.
func (c compiler) compile(tb testing.TB, source, output string, flags ...string) {
	tb.Helper()
	command := ""
	for _, name := range c.commands {
		if path, err := exec.LookPath(name); err == nil {
			command = path
			break
		}
	}
	if command == "" {
		require.Skip(tb, c.feature, fmt.Sprintf("no %s: .ci/setup installs it",
			strings.Join(c.commands, " or ")))
	}
	for _, name := range []string{source, "bloomlane.h"} {
		// go test runs again if a file has changed that the test itself has read
		if _, err := os.ReadFile(name); err != nil {
			tb.Fatal(err)
		}
	}
	args := slices.Concat(strict, flags, []string{"-o", output})
	cmd := exec.Command(command, append(args, source)...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	smallest := exec.Command(command, append(args, "-x", "c", "-")...)
	smallest.Stdin = strings.NewReader("int main(void) { return 0; }\n")
	if reason, err := smallest.CombinedOutput(); err != nil {
		require.Skip(tb, c.feature, fmt.Sprintf("%v: %.300s", smallest, reason))
	}
	tb.Fatalf("%v: %v\n%s", cmd, err, out)
}

// drivers are the compiled drivers, by the feature of their compiler and its flags.
var (
	drivers = map[string]string{}
	folder  string
)

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "bloomlane-c-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder) // of the system's temporary files
	os.Exit(code)
}

// driver is a running testdata/driver.c, or driver.py.
type driver struct {
	reader string // the feature of its compiler, or python3
	tb     testing.TB
	in     io.WriteCloser
	out    *bufio.Reader
	errors *bytes.Buffer
	cmd    *exec.Cmd
}

// start starts the driver that a compiler makes.
func start(tb testing.TB, c compiler) *driver {
	tb.Helper()
	name := fmt.Sprint(c.feature, c.flags)
	path, built := drivers[name]
	if !built {
		path = filepath.Join(folder, fmt.Sprint("driver-", len(drivers)))
		flags := slices.Clone(c.flags)
		if testing.Short() {
			flags = append(flags, "-O0") // in a tenth of the time
		}
		c.compile(tb, "testdata/driver.c", path, flags...)
		drivers[name] = path
	}
	return begin(tb, c.feature, exec.Command(path))
}

// begin starts the program of a driver.
func begin(tb testing.TB, reader string, cmd *exec.Cmd) *driver {
	tb.Helper()
	d := &driver{reader: reader, tb: tb, errors: &bytes.Buffer{}, cmd: cmd}
	d.cmd.Stderr = d.errors
	var err error
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	d.out = bufio.NewReader(out)
	if err := d.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = d.in.Close() // which ends the driver
		if err := d.cmd.Wait(); err != nil {
			tb.Errorf("the driver ends with %v:\n%s", err, d.errors)
		}
	})
	return d
}

// each runs a test for each compiler, and a short one for the first.
func each(t *testing.T, test func(t *testing.T, d *driver)) {
	for _, c := range []compiler{gcc, clang} {
		if testing.Short() && c.feature != gcc.feature {
			break
		}
		t.Run(c.feature, func(t *testing.T) { test(t, start(t, c)) })
	}
}

// patience is how long a driver may take to answer.
const patience = 2 * time.Minute

// call sends a command, and returns the answer.
func (d *driver) call(format string, args ...any) string {
	d.tb.Helper()
	command := fmt.Sprintf(format, args...)
	if _, err := io.WriteString(d.in, command+"\n"); err != nil {
		d.tb.Fatalf("%.200s: %v", command, err)
	}
	late := time.AfterFunc(patience, func() { _ = d.cmd.Process.Kill() })
	answer, err := d.out.ReadString('\n')
	if !late.Stop() {
		d.tb.Fatalf("%.200s: no answer in %v", command, patience)
	} else if err != nil {
		d.tb.Fatalf("%.200s: %v", command, err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// numbers returns the hexadecimal numbers of an answer.
func (d *driver) numbers(answer string) []uint64 {
	d.tb.Helper()
	var all []uint64
	for word := range strings.FieldsSeq(answer) {
		number, err := strconv.ParseUint(word, 16, 64)
		if err != nil {
			d.tb.Fatal(err)
		}
		all = append(all, number)
	}
	return all
}

// number returns the number that a command answers.
func (d *driver) number(format string, args ...any) uint64 {
	d.tb.Helper()
	all := d.numbers(d.call(format, args...))
	if len(all) != 1 {
		d.tb.Fatalf("%s answers %x, want a number", format, all)
	}
	return all[0]
}

// text returns bytes as an argument of a command.
func text(b []byte) string {
	if len(b) == 0 {
		return "-"
	}
	return fmt.Sprintf("%x", b)
}
