package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// terminal returns a terminal to write to, and what has arrived there when it is closed.
func terminal(t *testing.T) (*os.File, func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		require.Skip(t, "terminals", "no terminal can be opened here: "+err.Error())
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	arrived := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // it ends with an error when nobody has the other end open
		arrived <- strings.ReplaceAll(string(text), "\r\n", "\n")
	}()
	return slave, func() string {
		_ = slave.Close()
		return <-arrived
	}
}

// A key, a name of a file and what a file has reach a terminal without control characters. Keys
// reach a pipe as they are.
func TestTerminalGetsNoControlCharacters(t *testing.T) {
	const key, shown = "app\x1b]0;le\x07\x9b\u009b\u202e", `app\033]0;le\a\233\302\233\342\200\256`
	s := newShell(t)
	name := s.Path("f\x1b[2J\nbloomlane: all is well")
	escaped := strings.NewReplacer("\x1b", `\033`, "\n", `\n`).Replace(name)
	s.Write("key", commandtest.FixedKey)
	s.Run(exitYes, key+"\n", "build", "-o", name, "--key", "@key")
	for _, test := range []struct {
		code          int
		stdin         string
		args          []string
		stdout, stder string // on a terminal
	}{
		{exitYes, "", []string{"query", name, key}, "present\t" + shown + "\n", ""},
		{exitYes, key + "\n", []string{"query", name}, "present\t" + shown + "\n", ""},
		{exitYes, "", []string{"query", name, key, "--json"}, `"key_hex"`, ""},
		{exitYes, "", []string{"add", name, key}, "present\t" + shown + "\n", ""},
		{exitYes, "", []string{"delete", name, key}, "retained\t" + shown + "\n", ""},
		{exitYes, "", []string{"info", name}, "filter           " + escaped + ", file", ""},
		{exitNo, "", []string{"query", name, "\x1bp"}, "absent\t\\033p\n", "1 of 1 key is absent"},
		{exitBad, "", []string{"info", name + ".none"}, "", escaped + ".none: no such file"},
		{exitBad, "", []string{"add", name + ".none", "x", "--key", s.Path("key")}, "",
			escaped + ".none: no such file"},
		{exitYes, "a\r\n", []string{"build", "-o", name + "2"}, escaped + "2\nkind",
			"warning: standard input:1: found"},
	} {
		args := append(test.args, "--key", s.Path("key"))
		if test.args[0] == "info" {
			args = test.args
		}
		stdout, out := terminal(t)
		stderr, messages := terminal(t)
		code := run(args, strings.NewReader(test.stdin), stdout, stderr)
		text, message := out(), messages()
		if code != test.code || !strings.Contains(text, test.stdout) ||
			!strings.Contains(message, test.stder) {
			t.Errorf("%q: exit code %d, %q and %q, want %d, %q and %q", args, code, text, message,
				test.code, test.stdout, test.stder)
		}
		for _, r := range text + message { // a bar has carriage returns
			if !unicode.IsGraphic(r) && r != '\n' && r != '\t' && r != '\r' {
				t.Errorf("%q: %q has %q", args, text+message, r)
				break
			}
		}
		if strings.Contains("\n"+text+message, "\nbloomlane: all is well") {
			t.Errorf("%q: the name of a file forges a message: %q", args, text+message)
		}
	}
	s.Run(exitYes, "", "query", name, key, "--key", "@key")
	s.Says("present\t" + key + "\n")
}
