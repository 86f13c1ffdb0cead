package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/plan"
)

func TestPlanCommand(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lifetimes := write("lifetimes", "3\n 1.5\n40\n")
	words := write("words", "3\nlong\n")
	empty := write("empty", "")
	picture := filepath.Join(folder, "plan.svg")
	for _, test := range []struct {
		name string
		args string
		code int
		want string // in stdout for 0, in stderr otherwise
	}{
		{"rate", "--members 10000 --rate 0.01 --turnovers 1", exitYes, "deletable"},
		{"bytes", "--members 10000 --bytes 20000 --turnovers 1 --lifetime random", exitYes, "16.0 bits a key"},
		{"narrow blocks", "--members 10000 --bytes 20000 --width 256", exitYes, "625 blocks"},
		{"heavy tail", "--members 10000 --rate 0.1 --turnovers 1 --lifetime pareto:1.5", exitYes, "lifetime pareto:1.5"},
		{"mixture", "--members 10000 --rate 0.1 --turnovers 1 --lifetime mixture:0.9:0.1", exitYes, "lifetime mixture:0.9:0.1"},
		{"lifetimes of a file", "--members 10000 --rate 0.1 --turnovers 1 --lifetime @" + lifetimes, exitYes, "lifetime observed:3"},
		{"verify", "--members 5000 --bytes 10000 --turnovers 0.5 --verify", exitYes, "23 of 23 points agree"},
		{"plot", "--members 5000 --bytes 10000 --turnovers 1 --plot " + picture, exitYes, "5,000 members"},
		{"no such table", "--members 10000 --bytes 20000 --rate 0.001 --turnovers 3", exitNo, "no table keeps the rate 0.001 for 3 turnovers: the largest one, 312 blocks of 512 bits, ends with 0."},
		{"no members", "--rate 0.01", exitBad, `required flag(s) "members" not set`},
		{"zero members", "--rate 0.01 --members 0", exitBad, "plan: --members is 0, expected at least 1"},
		{"nothing asked for", "--members 10", exitBad, "at least one of the flags in the group [rate bytes] is required"},
		{"zero rate", "--members 10 --rate 0", exitBad, "--rate is 0, expected it or --bytes above 0"},
		{"rate 1", "--members 10 --rate 1", exitBad, "--rate is 1, expected"},
		{"rate NaN", "--members 10 --rate NaN", exitBad, "--rate is NaN, expected"},
		{"turnovers NaN", "--members 10 --rate 0.1 --turnovers NaN", exitBad, "--turnovers is NaN, expected"},
		{"too many members", "--members 99999999999999999999 --rate 0.1", exitBad, "value out of range"},
		{"width", "--members 10 --rate 0.1 --width 64", exitBad, "--width is 64, expected 512 or 256"},
		{"lifetime", "--members 10 --rate 0.1 --lifetime newest", exitBad, "--lifetime is newest, expected oldest"},
		{"lifetime without a mean", "--members 10 --rate 0.1 --lifetime pareto:1", exitBad, "a Pareto shape above 1"},
		{"no such file", "--members 10 --rate 0.1 --lifetime @" + filepath.Join(folder, "none"), exitBad, "none"},
		{"a file of words", "--members 10 --rate 0.1 --lifetime @" + words, exitBad, "line 2: expected a number"},
		{"an empty file", "--members 10 --rate 0.1 --lifetime @" + empty, exitBad, "at least one sample"},
		{"nothing to simulate", "--members 10 --rate 0.1 --verify --verify-members 0", exitBad, "--verify-members is 0"},
		{"no folder", "--members 10 --rate 0.1 --plot " + filepath.Join(folder, "none", "plan.svg"), exitBad, "none"},
		{"an argument", "--members 10 --rate 0.1 more", exitBad, "more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(append([]string{"plan"}, strings.Fields(test.args)...), strings.NewReader(""), &stdout, &stderr)
			text := stderr.String()
			if test.code == exitYes {
				text = stdout.String()
			}
			if code != test.code || !strings.Contains(text, test.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, %q", code, stdout.String(), stderr.String(), test.code, test.want)
			}
		})
	}
	if drawn, err := os.ReadFile(picture); err != nil || !bytes.Contains(drawn, []byte("<svg")) {
		t.Errorf("the picture: %v", err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 4 {
		t.Errorf("the folder has %v (%v), want three inputs and the picture", files, err)
	}
}

// Where no table keeps the rate, the report is that of the best.
func TestPlanOfTheBest(t *testing.T) {
	args := []string{"plan", "--members", "10000", "--rate", "0.001", "--bytes", "20000", "--turnovers", "3"}
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitNo || !strings.Contains(stdout.String(), "does NOT keep the rate") {
		t.Errorf("exit code %d, stdout %q", code, stdout.String())
	}
	stdout.Reset()
	code := run(append(args, "--json"), strings.NewReader(""), &stdout, &stderr)
	var report plan.Report
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || code != exitNo || report.Keeps || report.Blocks != 312 || report.End.Rate <= 0.001 {
		t.Errorf("exit code %d, %+v (%v)", code, report, err)
	}
}

func TestPlanJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := []string{"plan", "--members", "10000", "--rate", "0.05", "--turnovers", "2", "--verify", "--verify-members", "4000", "--json"}
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitYes {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var report plan.Report
	decoder := json.NewDecoder(&stdout)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&report); err != nil {
		t.Fatal(err)
	}
	if !report.Keeps || report.End.Rate > 0.05 || report.End.Rate < 0.04 || report.End.Simulated == nil || report.Verified.Off != 0 || report.Bytes != 64*report.Blocks {
		t.Errorf("%+v", report)
	}
}
