package main

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// A record is the report that --json prints, and says what made it. A page is made of records.
func TestRecords(t *testing.T) {
	s := traces(t)
	const line = "guard @loopback.pcap --audit" + demoKey
	s.Line(exitYes, "", line+" --record @guard.json")
	var record command.Record
	if err := json.Unmarshal([]byte(s.Read("guard.json")), &record); err != nil {
		t.Fatal(err)
	}
	first := strings.Fields(strings.ReplaceAll("packets "+line, "@", s.Path("")+"/"))
	if record.Command != "guard" || len(record.Line) != len(first) ||
		record.Line[1] != "guard" || record.Made.IsZero() ||
		!strings.HasPrefix(record.Program, "packets ") ||
		!strings.Contains(record.Program, ", go") || record.Machine == "" || record.Failure != "" {
		t.Errorf("%+v", record)
	}
	for _, word := range record.Line {
		if strings.Contains(string(word), "record") {
			t.Errorf("the record's line has %s", word)
		}
	}
	var kept guard.Report
	printed := reported[guard.Report](s, exitYes, "", line)
	// Times, and the measured memory of Go's maps, differ from run to run.
	printed.Seconds, printed.Exact, printed.History.Bytes = 0, 0, 0
	if err := json.Unmarshal(record.Result, &kept); err != nil {
		t.Fatal(err)
	}
	kept.Seconds, kept.Exact, kept.History.Bytes = 0, 0, 0
	if !reflect.DeepEqual(printed, &kept) {
		t.Error("the record's report is not what --json prints")
	}
	s.Line(exitYes, "", "page -o @index.html @guard.json")
	if !strings.Contains(s.Stdout, "page of 1 record: "+s.Path("index.html")) {
		t.Errorf("page prints %s", s.Stdout)
	}
	html := s.Read("index.html")
	for _, want := range []string{"loopback", "24, with 14,080 words"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	s.Line(exitYes, "", "page --quiet -o - @guard.json")
	if !strings.Contains(s.Stdout, "<!DOCTYPE html>") {
		t.Errorf("on standard output: %.60s", s.Stdout)
	}
	if result := reported[paged](s, exitYes, s.Read("guard.json"), "page - -o @i"); *result !=
		(paged{command.Path(s.Path("i")), 1}) {
		t.Errorf("%+v", result)
	}
}

// Bad input leaves the old page and the old record, and nothing beside them.
func TestPageRefuses(t *testing.T) {
	s := newShell(t)
	s.Line(exitYes, "", "guard --synthetic 3 --record @guard.json")
	s.Write("index.html", "an old page")
	s.Write("words", "hello")
	s.Write("info.json", `{"command": "info", "result": {}}`)
	s.Refuse("", "page -o @index.html ", [][2]string{
		{"@none.json", "@none.json: no such file"},
		{"@guard.json @none.json", "@none.json: no such file"},
		{"@guard.json @words", "@words: invalid character 'h' looking for beginning of value, " +
			"expected a record of agreement, guard, deny or kernels"},
		{"@info.json", `@info.json: found the command "info"`},
		{"@index.html", "--output is @index.html, which is also an input"},
		{"- -", "standard input is both record 1 and record 2"},
		{"", "found 0 arguments, expected packets "},
	})
	s.Refuse("", "page @guard.json ", [][2]string{
		{"", "expected --output, which packets page needs"},
		{"-o @none/index.html", "--output: stat @none: no such file"},
	})
	s.Refuse("", "guard --synthetic 3 ", [][2]string{
		{"--record -", "--record is -, expected a file"},
		{"--record @none/r.json", "--record: stat @none: no such file"},
	})
	s.Refuse("", "guard @words ", [][2]string{
		{"--record @words", "--record is @words, which is also an input"},
	})
}

// Two outputs that are one file would lose one of the two, and an output that is an input loses
// that. It does not matter by which names, and whether the file is there.
func TestOneFileIsNotTwo(t *testing.T) {
	s := newShell(t)
	s.Write("words", "1\n")
	s.Write("k", commandtest.FixedKey)
	if err := errors.Join(os.Symlink("new", s.Path("link")), os.Symlink(".", s.Path("same")),
		os.Symlink("words", s.Path("old"))); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", "guard --synthetic 3 ", [][2]string{
		{"--verdicts @new --answers @new", "--verdicts and --answers are both @new, expected two"},
		{"--verdicts @new --answers @link", "--verdicts and --answers are both @link"},
		{"--answers @new --record @same/new", "--answers and --record are both @same/new"},
		{"--verdicts @link --record @same/link", "--verdicts and --record are both @same/link"},
		{"--verdicts @words --record @old", "--verdicts and --record are both @old"},
		{"--key @k --verdicts @k", "--verdicts is @k, which is also an input"},
		{"--never-block @words --answers @old", "--answers is @old, which is also an input"},
	})
	s.Line(exitYes, "", "guard --synthetic 1 --verdicts @1 --answers @2 --record @3 --seed 3")
}

// What damage cut is recorded, with what is wrong.
func TestRecordOfDamage(t *testing.T) {
	s := newShell(t)
	s.Write("packets", "c0a80001 00000001\nc0a80001\n")
	s.Line(exitBad, "", "guard --packets @packets --record @r.json")
	var record command.Record
	if err := json.Unmarshal([]byte(s.Read("r.json")), &record); err != nil ||
		!strings.Contains(record.Failure, "line 2: found 1 fields") {
		t.Errorf("%v, failure %q", err, record.Failure)
	}
}
