package main

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
	"github.com/bloomlane/bloomlane/report/plan"
)

// A record is the report that --json prints, and says what made it. The text is printed as without
// a record. A page is made of records.
func TestRecords(t *testing.T) {
	s := traces(t)
	var records []string
	for name, test := range map[string]struct {
		line string
		code int
	}{
		"guard": {"guard @loopback.pcap --audit" + demoKey, exitYes},
		"plan":  {"plan --members 10000 --bytes 20000 --rate 0.001 --turnovers 3", exitNo},
	} {
		s.Line(test.code, "", test.line+" --record @"+name+".json")
		text := s.Stdout
		records = append(records, " @"+name+".json")
		var record command.Record
		if err := json.Unmarshal([]byte(s.Read(name+".json")), &record); err != nil {
			t.Fatal(err)
		}
		first := strings.Fields(strings.ReplaceAll("packets "+test.line, "@", s.Path("")+"/"))
		if record.Command != name || len(record.Line) != len(first) ||
			record.Line[1] != name || record.Made.IsZero() ||
			!strings.HasPrefix(record.Program, "packets ") ||
			!strings.Contains(record.Program, ", go") || record.Machine == "" ||
			(record.Failure == "") != (test.code == exitYes) ||
			!strings.Contains(s.Stderr, record.Failure) {
			t.Errorf("%+v", record)
		}
		for _, word := range record.Line {
			if strings.Contains(word, "record") {
				t.Errorf("the record's line has %s", word)
			}
		}
		// Times differ from run to run.
		switch name {
		case "plan":
			reports(s, test.code, test.line, text, record, new(plan.Report), new(plan.Report))
		}
	}
	s.Line(exitYes, "", "page -o @index.html"+strings.Join(records, ""))
	if !strings.Contains(s.Stdout, "page of 2 records: "+s.Path("index.html")) {
		t.Errorf("page prints %s", s.Stdout)
	}
	html := s.Read("index.html")
	for _, want := range []string{"test_loopback", "24 packets with 14,080 words", "10,000 members",
		"no table keeps the rate 0.001"} {
		if !strings.Contains(html, strings.ReplaceAll(want, "test_", "")) {
			t.Errorf("the page has no %q", want)
		}
	}
	s.Line(exitYes, "", "page --quiet -o -"+records[0])
	if !strings.Contains(s.Stdout, "<!DOCTYPE html>") {
		t.Errorf("on standard output: %.60s", s.Stdout)
	}
	if result := reported[paged](s, exitYes, s.Read("plan.json"), "page - -o @i"); *result !=
		(paged{s.Path("i"), 1}) {
		t.Errorf("%+v", result)
	}
}

// reports checks that a command line prints the same text without a record, and that the record
// has the result that --json prints.
func reports(s *shell, code int, line, text string, record command.Record, printed, kept any) {
	s.T.Helper()
	s.Line(code, "", line)
	if s.Stdout != text {
		s.T.Errorf("%s prints\n%s\nand beside a record\n%s", line, s.Stdout, text)
	}
	s.Line(code, "", line+" --json")
	s.JSON(printed)
	if err := json.Unmarshal(record.Result, kept); err != nil || !reflect.DeepEqual(printed, kept) {
		s.T.Errorf("%s: %v, or the record's report is not what --json prints", line, err)
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
			"expected a record of agreement, guard, deny, plan or kernels"},
		{"@info.json", `@info.json: found the command "info"`},
		{"@index.html", "--output is @index.html, which is also an input"},
		{"- -", "standard input is both record 1 and record 2"},
		{"", "found 0 arguments, expected packets "},
	})
	s.Refuse("", "page @guard.json ", [][2]string{
		{"", "expected --output, which packets page needs"},
		{"-o @none/index.html", "--output: stat @none: no such file"},
	})
	s.Refuse("", "plan --members 10 --rate 0.1 ", [][2]string{
		{"--record -", "--record is -, expected a file"},
		{"--record @none/r.json", "--record: stat @none: no such file"},
		{"--lifetime=@@words --record @words", "--record is @words, which is also an input"},
		{"--plot @index.html --record @index.html", "--plot and --record are both @index.html"},
		{"--plot @words --lifetime=@@words", "--plot is @words, which is also an input"},
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
	s.Refuse("", "", [][2]string{
		{"plan --members 9 --rate 0.1 --plot @new --record @link", "--plot and --record are both"},
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
