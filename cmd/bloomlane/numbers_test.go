package main

import (
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// Counts and rates on the command line are the numbers that they stand for.
func TestNumbersOfCommands(t *testing.T) {
	s := newShell(t)
	s.Line(exitYes, "", "plan --members 1000000 --rate 0.01 --turnovers 5")
	plan := s.Stdout
	for _, flags := range []string{"--members 1e6 --rate 1%", "--members 1M --rate 1e-2",
		"--members=1000k --rate=1.0%"} {
		if s.Line(exitYes, "", "plan --turnovers 5 "+flags); s.Stdout != plan {
			t.Errorf("%s: another plan:\n%s", flags, s.Stdout)
		}
	}
	s.Write("f.key", commandtest.FixedKey)
	s.Line(exitYes, numbers(0, 10), "build -o @f --members 1e4 --rate 0.1%")
	built := s.Read("f")
	s.Line(exitYes, numbers(0, 10), "build -o @f --replace --members 10k --rate 0.001")
	if s.Read("f") != built {
		t.Error("another filter")
	}
}

// What is wrong with a flag is said in words.
func TestWordsOfFlags(t *testing.T) {
	s := newShell(t)
	s.Refuse("", "", [][2]string{
		{"info f --json=perhaps", `--json is "perhaps", expected true or false`},
		{"build -o @f --rate little",
			`--rate is "little", expected a share, such as 0.01, 1e-6 or 1%`},
		{"build -o @f --rate 1e-999999", "--rate is 0"},
		{"build -o @f --lock-timeout soon",
			`--lock-timeout is "soon", expected a time, such as 500ms, 10s or 1m30s`},
		{"vectors make --seed -1", `--seed is "-1", expected a whole number, at least 0`},
		{"plan --block-bits 1e3", `--block-bits is "1e3", expected a whole number`},
		{"build -o @f --=x", "found --=x, expected a flag of bloomlane build "},
	})
}
