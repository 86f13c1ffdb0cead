package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
	"github.com/bloomlane/bloomlane/report/kernels"
)

// A record is the report that --json prints, and says what made it. It replaces neither a filter
// nor a key, which cannot be made again.
func TestRecords(t *testing.T) {
	shapes := kernels.Shapes
	kernels.Shapes = []kernels.Shape{{Bytes: 1 << 16, Keys: 4096, Rounds: 1}}
	defer func() { kernels.Shapes = shapes }()

	s := newShell(t)
	const line = "kernels --speed"
	s.Line(exitYes, "", line+" --record @record")
	var record command.Record
	if err := json.Unmarshal([]byte(s.Read("record")), &record); err != nil {
		t.Fatal(err)
	}
	if record.Command != "kernels" || record.CommandLine() != "bloomlane "+line ||
		record.Made.IsZero() || !strings.HasPrefix(record.Program, "bloomlane ") ||
		record.Machine == "" || record.Failure != "" || len(record.Result) == 0 {
		t.Errorf("%+v", record)
	}
	s.Write("f", file.Magic+"    ")
	s.Write("f.key", commandtest.FixedKey)
	s.Refuse("", "kernels --record ", [][2]string{
		{"-", "--record is -, expected a file"},
		{"@none/r.json", "--record: stat @none: no such file"},
		{"@f", ": @f is a filter, expected another file"},
		{"@f.key", ": @f.key is a hash key, expected another file"},
	})
}

// Two outputs that are one file would lose one of the two, and an output that is an input loses
// that. It does not matter by which names, and whether the file is there.
func TestOneFileIsNotTwo(t *testing.T) {
	s := fruit(t)
	s.Write("words", "1\n")
	s.Write("k", commandtest.FixedKey)
	if err := errors.Join(os.Symlink(".", s.Path("same")),
		os.Symlink("vectors512.jsonl", s.Path("vectors256.jsonl"))); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", "", [][2]string{
		{"vectors make --folder @same", "vectors256.jsonl and @same/vectors512.jsonl are one file"},
		{"build @k -o @words --lifetime=@@words --turnovers 1 --rate 0.1 --force",
			"--out is @words, which is also an input"},
		{"add @f --keys @f", "@f is both the filter and the keys, expected two files"},
		{"delete @f --keys @words --keys @same/f", "@f is both the filter and the keys"},
		{"rebuild @f --keys @f", "@f is both the filter and the keys"},
		{"query @f --keys @words --keys @f.key", "@f.key is both the hash key and the keys"},
		{"add @f --keys @same/f.key", "@same/f.key is both the hash key and the keys"},
		{"delete @f --key @k --keys @k", "@k is both the hash key and the keys"},
		{"rebuild @f --keys @f.key", "@f.key is both the hash key and the keys"},
		{"build @words @f.key -o @f --replace", "@f.key is both the hash key and the keys"},
		{"build @k -o @new --key @k", "@k is both the hash key and the keys"},
	})
}
