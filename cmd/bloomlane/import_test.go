package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	parquetgo "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/interop/parquet"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// event is a row of the Parquet files of these tests.
type event struct {
	ID   int64  `parquet:"id"`
	User string `parquet:"user"`
	Day  int32  `parquet:"day,date,dict"`
	At   struct {
		X *float64 `parquet:"x,optional"`
	} `parquet:"at"`
	Paid bool `parquet:"paid"`
}

// parquet writes a file of row groups of 100 events, from an id on. Users come twice, and a day has
// 20 events. The columns id, day and at.x have filters.
func (s *shell) parquet(name string, start, groups int) {
	s.T.Helper()
	var b bytes.Buffer
	w := parquetgo.NewGenericWriter[event](&b,
		parquetgo.BloomFilters(parquetgo.SplitBlockFilter(16, "id"),
			parquetgo.SplitBlockFilter(16, "day"), parquetgo.SplitBlockFilter(16, "at", "x")))
	for range groups {
		for range 100 {
			e := event{ID: int64(start), User: fmt.Sprint("user ", start/2),
				Day: int32(start / 20)}
			if start%2 == 0 {
				e.At.X = new(float64(start) / 4)
			}
			if _, err := w.Write([]event{e}); err != nil {
				s.T.Fatal(err)
			}
			start++
		}
		if err := w.Flush(); err != nil {
			s.T.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		s.T.Fatal(err)
	}
	s.Write(name, b.String())
}

// lines returns the texts of some numbers, a line each.
func lines(format string, start, end int, of func(i int) any) string {
	var text strings.Builder
	for i := start; i < end; i++ {
		fmt.Fprintf(&text, format+"\n", of(i))
	}
	return text.String()
}

// A filter of a column is bit for bit the one that build makes of the values as lines, of every
// kind that build makes and of several files.
func TestImportIsBuild(t *testing.T) {
	s := newShell(t)
	s.Write("key", commandtest.FixedKey)
	s.parquet("a.parquet", 0, 3)
	s.parquet("b.parquet", 300, 1)
	for _, test := range []struct{ column, text string }{
		{"id", lines("%d", 0, 400, func(i int) any { return i })},
		{"user", lines("user %d", 0, 400, func(i int) any { return i / 2 })},
		{"day", lines("1970-01-%02d", 0, 400, func(i int) any { return i/20 + 1 })},
		{"at.x", lines("%v", 0, 200, func(i int) any { return float64(i) / 2 })},
	} {
		for _, kind := range allKinds {
			if !builds(kind) {
				continue
			}
			flags := " --key @key --force --members 500 --kind " + kind.Name
			s.Line(exitYes, "",
				"import parquet @a.parquet @b.parquet --column "+test.column+" -o @imported"+flags)
			printed := s.Stdout
			s.Line(exitYes, test.text, "build -o @built"+flags)
			if s.Read("imported") != s.Read("built") {
				t.Errorf("%s: the %s filter is another", test.column, kind.Name)
			}
			if want := strings.ReplaceAll(s.Stdout, "built", "imported"); printed != want {
				t.Errorf("%s: import says\n%s\nand build\n%s", test.column, printed, want)
			}
		}
	}
	s.Line(exitNo, "", "query @imported --key @key 0.5 0.75")
	s.Says("present\t0.5\nabsent\t0.75\n")
}

func TestImportRefuses(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 1)
	s.Write("text", "id\n1\n2 and so on\n")
	s.Write("cut.parquet", s.Read("a.parquet")[:1000])
	s.Refuse("", "import ", [][2]string{
		{"parquet", "found 0 arguments, expected bloomlane import parquet FILE... "},
		{"parquet @a.parquet -o @f", "expected --column, which bloomlane import parquet needs"},
		{"parquet @a.parquet --column id", "expected --out, "},
		{"parquet @a.parquet --column ID -o @f",
			`@a.parquet: parquet: no such column: found "ID", expected one of id, user, day, at.x, paid`},
		{"parquet @a.parquet --column paid -o @f", "paid is BOOLEAN, expected numbers, dates"},
		{"parquet @text --column id -o @f",
			`@text: parquet: not a Parquet file: it begins "id\n1"`},
		{"parquet @cut.parquet --column id -o @f", "@cut.parquet: parquet: damaged"},
		{"parquet @none --column id -o @f", "no such file"},
		{"parquet - --column id -o @f", "a Parquet file is read from its end"},
		{"parquet @a.parquet --column id -o @a.parquet", "which is also an input"},
		{"parquet @a.parquet --column id -o @text", "is there, and is no filter"},
		{"parquet @a.parquet --column id -o @f --kind retouched", "not built from keys"},
		{"parquet @a.parquet --column id -o @f --rate 2", "--rate is 2"},
		{"parquet @a.parquet @cut.parquet --column id -o @f --own",
			"found 2 files and --own, expected one"},
		{"parquet @a.parquet --column id -o @f --own --kind plain",
			"found --own and --kind, expected one of the two"},
		{"parquet @a.parquet --column id -o @f --own --key @k", "found --own and --key"},
		{"parquet @a.parquet --column user -o @f --own",
			"@a.parquet has no filters of column user"},
		{"parquet @a.parquet --column id -o @a.parquet --own --force", "which is also an input"},
		{"parquet @a.parquet --column id -o @text --own", "is there, and is no filter"},
		{"parquet - --column id -o @f --own", "a Parquet file is read from its end"},
		{"csv @text", "found csv, expected a command (bloomlane import --help lists them)"},
	})
}

// The file's own filters, taken into a file without the values, answer prune as the file does.
func TestImportOwn(t *testing.T) {
	s := newShell(t)
	if err := os.Mkdir(s.Path("sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.parquet("a.parquet", 0, 3)
	own := reported[ownResult](s, exitYes, "",
		"import parquet @a.parquet --column id --own -o @sub/id.parquet")
	if *own != (ownResult{s.named("sub/id.parquet"), s.named("a.parquet"), "id", "int64", 3, 3}) {
		t.Errorf("%+v", own)
	}
	s.Line(exitYes, "", "import parquet @a.parquet --column id --own --force -o @sub/id.parquet")
	s.Says("filters  " + s.Path("sub/id.parquet") +
		", 3 of 3 row groups\ncolumn   id, int64\nvalues   " + s.Path("a.parquet") + "\n")
	s.Line(exitYes, "", "prune @a.parquet --column id -- 150")
	want := s.Stdout
	if want != lines("skip", 0, 0,
		nil)+fmt.Sprintf("skip\t%[1]s\t0\nread\t%[1]s\t1\nskip\t%[1]s\t2\n", s.Path("a.parquet")) {
		t.Error(want)
	}
	s.Line(exitYes, "", "prune @sub/id.parquet --column id -- 150")
	s.Says(want)
	if small, whole := len(s.Read("sub/id.parquet")), len(s.Read("a.parquet")); small > whole/2 {
		t.Errorf("%d bytes of %d", small, whole)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"import", "parquet", s.Path("a.parquet"), "--column", "id", "--own", "-o", "-"}
	code := run(args, strings.NewReader(""), &stdout, &stderr)
	if f, err := parquet.Open(bytes.NewReader(stdout.Bytes()), int64(stdout.Len())); err != nil ||
		code != exitYes || f.Data(0) != s.Path("a.parquet") || !strings.HasPrefix(stderr.String(),
		"filters  standard output, 3 of 3 row groups\n") {
		t.Errorf("on standard output: exit code %d, %s (%v)", code, &stderr, err)
	}
}

// Taken once more, and read from another folder than they are written to, the filters are still of
// the same values.
func TestImportOwnAgain(t *testing.T) {
	s := newShell(t)
	for _, folder := range []string{"sub", "other"} {
		if err := os.Mkdir(s.Path(folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.parquet("a.parquet", 0, 1)
	s.Line(exitYes, "", "import parquet @a.parquet --column id --own -o @sub/id.parquet")
	s.Line(exitYes, "", "import parquet @sub/id.parquet --column id --own -o @id.parquet")
	var stdout bytes.Buffer
	args := []string{"import", "parquet", s.Path("a.parquet"), "--column", "id", "--own", "-o", "-"}
	if code := run(args, strings.NewReader(""), &stdout, io.Discard); code != exitYes {
		t.Fatal(code)
	}
	s.Write("other/absolute.parquet", stdout.String())
	for _, file := range []string{"id.parquet", "other/absolute.parquet"} {
		s.Line(exitYes, "", "prune @"+file+" --column id -- 99999")
		s.Says(lines("skip", 0, 0, nil) + "skip\t" + s.Path("a.parquet") + "\t0\n")
	}
}

// Values are not imported from a file that has none.
func TestImportOfOwn(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 1)
	s.Line(exitYes, "", "import parquet @a.parquet --column id --own -o @id.parquet")
	s.Refuse("", "import ", [][2]string{
		{"parquet @id.parquet --column id -o @f",
			"the values are in other files: those of row group 0 are in a.parquet"},
	})
}

// The filters of a file do not replace the file with its values, nor any other file with values,
// nor a filter of another form without --replace.
func TestImportOwnKeepsValues(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 2)
	s.parquet("b.parquet", 0, 1)
	s.Line(exitYes, "", "import parquet @a.parquet --column id --own -o @id.parquet")
	s.Line(exitYes, "1\n", "build -o @f --key @k")
	s.Write("cut.parquet", s.Read("a.parquet")[:1000])
	if err := os.Symlink("a.parquet", s.Path("link")); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", "import parquet @id.parquet --column id --own ", [][2]string{
		{"--force -o @a.parquet", "--out is @a.parquet, which has the values of @id.parquet"},
		{"--force -o @link", "--out is @link, which has the values of @id.parquet"},
		{"--force -o @b.parquet", "--out: @b.parquet has values, expected a new file or one of " +
			"filters only"},
		{"--force -o @cut.parquet", "--out: @cut.parquet: parquet: damaged"},
		{"-o @a.parquet", "which has the values"},
		{"-o @f", "--out: @f is a filter already: expected a new file (--replace replaces it"},
	})
	s.Line(exitYes, "", "import parquet @b.parquet --column id --own --force -o @id.parquet")
	s.Line(exitYes, "", "import parquet @b.parquet --column id --own --replace -o @f")
	s.Line(exitYes, "", "prune @f --column id -- 7000")
	s.Says("skip\t" + s.Path("b.parquet") + "\t0\n")
}

// A path that a file names cannot be taken for a line of an answer, and a terminal obeys nothing of
// it.
func TestPruneNamesPaths(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 1)
	file := []byte(s.Read("a.parquet"))
	f, err := parquet.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Column("id")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x\nskip\tother.parquet\t0": `"@x\nskip\tother.parquet\t0"`,
		"\x1b[2Jx":                  `"@\x1b[2Jx"`,
		"\u202ex\u0085":             `"@\u202ex\u0085"`,
		"größe \"x\" a\\b.parquet":  "@größe \"x\" a\\b.parquet",
		"a\xff":                     `"@a\xff"`,
	} {
		var summary bytes.Buffer
		if _, err := parquet.WriteSummary(&summary, c, name); err != nil {
			t.Fatal(err)
		}
		s.Write("id.parquet", summary.String())
		s.Line(exitYes, "", "prune @id.parquet --column id -- 7000")
		s.Says("skip\t" + strings.ReplaceAll(want, "@", s.Path("")+"/") + "\t0\n")
		s.Line(exitYes, "", "prune @id.parquet --column id --json -- 7000")
		var result pruneResult
		s.JSON(&result)
		if got := result.Groups[0].File; got != s.named(name) {
			t.Errorf("%q, want %q", got, name)
		}
		s.Line(exitYes, "",
			"import parquet @id.parquet --column id --own --force -o @again.parquet")
		if line := strings.Split(s.Stdout, "\n")[2]; line !=
			"values   "+strings.ReplaceAll(want, "@", s.Path("")+"/") {
			t.Errorf("%q, want the path %s", line, want)
		}
	}
}

func TestPrune(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 2)
	s.parquet("b.parquet", 1000, 2)
	s.parquet("none.parquet", 0, 0)
	a, b := s.Path("a.parquet"), s.Path("b.parquet")
	for _, test := range []struct {
		line, stdin string
		code        int
		answers     string // of a's two row groups and b's
		note        string
	}{
		{"--column id -- 1050", "", exitYes, "skip skip read skip",
			"3 of 4 row groups need not be read, with 300 of 400 rows"},
		{"--column id -- 1050 7", "", exitYes, "read skip read skip", "2 of 4 row groups"},
		{"--column id -- -5", "", exitYes, "skip skip skip skip", "4 of 4 row groups"},
		{"--column id -- -", "7\n8\n", exitYes, "read skip skip skip", "3 of 4"},
		{"--column id", "7\n\n8\n", exitYes, "read skip skip skip", "3 of 4"},
		{"--column id --keys @ids", "", exitYes, "skip read skip skip", "3 of 4"},
		{"--column id -- 0 100 1000 1100", "", exitNo, "read read read read", ""},
		{"--column at.x -- 0.5 -0", "", exitYes, "read skip skip skip", ""},
		{"--column at.x -- NaN", "", exitNo, "read read read read", ""},
		{"--column day -- 1970-01-06 1970-02-20", "", exitYes, "skip read read skip", "2 of 4"},
		{"--column user -- nobody", "", exitNo, "unfiltered unfiltered unfiltered unfiltered", ""},
	} {
		s.Write("ids", "150\n199\n")
		s.Line(test.code, test.stdin, "prune @a.parquet @b.parquet @none.parquet "+test.line)
		answers := strings.Fields(test.answers)
		want := fmt.Sprintf("%s\t%s\t0\n%s\t%s\t1\n%s\t%s\t0\n%s\t%s\t1\n", answers[0], a,
			answers[1], a, answers[2], b, answers[3], b)
		s.Says(want)
		if test.code == exitNo {
			if s.Stderr != "bloomlane: no row group of 4 can be left out: the answer is no\n" {
				t.Errorf("%s: %s", test.line, s.Stderr)
			}
		} else {
			s.Noted(test.note)
		}
	}
	s.Line(exitYes, "", "prune @a.parquet --column id --json -- 3 4 500")
	var result pruneResult
	s.JSON(&result)
	want := pruneResult{"id", 3, []prunedGroup{{command.Path(a), 0, 100, "read", 2},
		{command.Path(a), 1, 100, "skip", 0}}, 1, 1, 0, 200, 100, nil}
	if fmt.Sprint(result) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", result, want)
	}
	s.Line(exitNo, "", "prune @none.parquet --column id -- 1")
	s.Says("")
	s.Line(exitNo, "", "prune @none.parquet --column id --json -- 1")
	if !strings.Contains(s.Stdout, `"row_groups": []`) {
		t.Error(s.Stdout)
	}
}

func TestPruneRefuses(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 1)
	damaged := []byte(s.Read("a.parquet"))
	f, err := parquet.Open(bytes.NewReader(damaged), int64(len(damaged)))
	if err != nil {
		t.Fatal(err)
	}
	id, err := f.Column("id")
	if err != nil {
		t.Fatal(err)
	}
	filter, err := id.Filter(0)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(damaged, filter.AppendBytes(nil))
	s.Write("empty", "\n")
	s.Write("damaged.parquet",
		string(slices.Concat(damaged[:at-15], make([]byte, 15), damaged[at:])))
	s.Refuse("7\n", "prune ", [][2]string{
		{"", "found 0 arguments, expected bloomlane prune FILE... "},
		{"@a.parquet -- 7", "expected --column, "},
		{"--column id -- 7", "found no files before --"},
		{"@a.parquet --column id --", "found no keys behind --"},
		{"@a.parquet --column id --keys @empty", "found no keys, expected one at least"},
		{"@a.parquet --column id --keys - -- 7",
			"found 1 key argument and --keys, expected one of the two"},
		{"@a.parquet --column id -- 7 -", "found the key argument - among others"},
		{"@a.parquet --column id --keys - --keys -", "standard input is both"},
		{"@a.parquet --column id -- 7.0",
			`@a.parquet: parquet: no value of the column: id: found "7.0", expected a value of type int64`},
		{"@a.parquet --column day -- 7", `day: found "7", expected a date such as 2006-01-02`},
		{"@a.parquet --column paid -- true", "paid is BOOLEAN"},
		{"@a.parquet --column no -- 7", `found "no", expected one of id, user, day, at.x, paid`},
		{"@none --column id -- 7", "no such file"},
		{"@damaged.parquet --column id -- 7", "@damaged.parquet: "},
		{"- --column id -- 7", "a Parquet file is read from its end"},
	})
}

// Files that cannot be read have a message each and no lines, and hide no answer for the others.
func TestPruneOfFilesThatFail(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 1)
	s.parquet("b.parquet", 1000, 2)
	file := []byte(s.Read("b.parquet"))
	f, err := parquet.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	id, err := f.Column("id")
	if err != nil {
		t.Fatal(err)
	}
	filter, err := id.Filter(1)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(file, filter.AppendBytes(nil)) // that of the last row group
	clear(file[at-15 : at])
	s.Write("damaged.parquet", string(file))
	s.Write("text", "text")
	s.Line(exitBad, "", "prune @text @a.parquet @damaged.parquet @none @b.parquet --column id -- 7")
	s.Says(strings.NewReplacer("A", s.Path("a.parquet"), "B", s.Path("b.parquet")).Replace(
		"read\tA\t0\nskip\tB\t0\nskip\tB\t1\n"))
	messages := strings.Split(s.Stderr, "\n")
	for i, want := range []string{"@text: parquet: not a Parquet file", "@damaged.parquet: ",
		"@none: no such file", ""} {
		if !strings.Contains(messages[i], want) || len(messages) != 4 {
			t.Errorf("%q, want %s", messages, want)
		}
	}
	s.Line(exitBad, "", "prune @damaged.parquet @none @b.parquet --column id --json --quiet -- 7")
	var result pruneResult
	s.JSON(&result)
	if result.Failed[0] != command.Path(s.Path("damaged.parquet")) ||
		result.Failed[1] != command.Path(s.Path("none")) ||
		result.Skip != 2 || result.Rows != 200 || !strings.Contains(s.Stderr, "@damaged.parquet") {
		t.Errorf("%+v, %s", result, s.Stderr)
	}
	s.Line(exitBad, "", "prune @text @none --column id --json -- 7")
	s.Complains("@text: ")
	s.Complains("@none: ")
}

// A Parquet file gets filters of ours, by which prune leaves row groups out; it says the size of
// what it made.
func TestExport(t *testing.T) {
	s := newShell(t)
	s.parquet("a.parquet", 0, 2)
	before := s.Read("a.parquet")
	result := reported[exportResult](s, exitYes, "",
		"export parquet @a.parquet --column user --column day")
	want := exportResult{s.named("a.parquet"), []string{"user", "day"}, 2, 4, 2 * (3 + 1) * 32}
	if fmt.Sprint(*result) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", *result, want)
	}
	s.Line(exitYes, "", "prune @a.parquet --column user -- nobody")
	s.Says(strings.ReplaceAll("skip\t@\t0\nskip\t@\t1\n", "@", s.Path("a.parquet")))
	for i, user := range []string{"user 0", "user 99"} {
		s.Run(exitYes, "", "prune", "@a.parquet", "--column", "user", "--", user)
		if answers := strings.Split(s.Stdout, "\n"); !strings.HasPrefix(answers[i], "read") ||
			!strings.HasPrefix(answers[1-i], "skip") {
			t.Errorf("%s: %q", user, answers)
		}
	}
	s.Line(exitYes, "", "export parquet @a.parquet --column user --bits-per-key 64")
	s.Says("file     " + s.Path("a.parquet") +
		", 2 row groups\ncolumns  user\nfilters  2, 832 bytes\n")
	start := strings.LastIndex(before, "PAR1") / 2 // well before the footer
	if s.Read("a.parquet")[:start] != before[:start] {
		t.Error("the values have moved")
	}
	s.Files("a.parquet")
	s.Write("text", "text")
	if err := os.Symlink(s.Path("a.parquet"), s.Path("link")); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", "export ", [][2]string{
		{"parquet", "found 0 arguments, expected bloomlane export parquet FILE... "},
		{"parquet @a.parquet", "expected --column, "},
		{"parquet @a.parquet --column no", `found "no", expected one of`},
		{"parquet @a.parquet --column id --column no", `found "no", expected one of`},
		{"parquet @a.parquet --column id --column id", "--column is id twice"},
		{"parquet @a.parquet --column id --bits-per-key 0",
			"--bits-per-key is 0, expected a number above 0"},
		{"parquet @text --column id", "not a Parquet file"},
		{"parquet @none --column id", "no such file"},
		{"parquet - --column id", "expected a file and not standard input"},
		{"parquet @a.parquet @none --column id", "no such file"},
		{"parquet @a.parquet @text --column id", "@text: parquet: not a Parquet file"},
		{"parquet @a.parquet @a.parquet --column id", "@a.parquet and @a.parquet are one file"},
		{"parquet @a.parquet @link --column id", "@a.parquet and @link are one file"},
	})
}

// Several files get the filters that each gets alone. A file that fails stays as it was, and the
// others get theirs. Without the columns in each file none is replaced.
func TestExportFiles(t *testing.T) {
	s := newShell(t)
	names := []string{"a.parquet", "b.parquet", "c.parquet"}
	want := map[string]string{}
	printed := ""
	for i, name := range names {
		s.parquet(name, 1000*i, i+1)
		old := s.Read(name)
		s.Line(exitYes, "", "export parquet @"+name+" --column user")
		want[name], printed = s.Read(name), printed+s.Stdout
		s.Write(name, old)
	}
	cut := []byte(s.Read("c.parquet"))
	clear(cut[4:100]) // pages
	s.Line(exitYes, "", "export parquet @a.parquet @b.parquet @c.parquet --column user")
	s.Says(printed)
	for _, name := range names {
		if s.Read(name) != want[name] {
			t.Errorf("%s: another file than that of export for it alone", name)
		}
	}
	s.Files(names...)
	s.Line(exitYes, "", "export parquet @a.parquet @b.parquet --column user --json")
	decoder := json.NewDecoder(strings.NewReader(s.Stdout))
	for _, name := range names[:2] {
		var result exportResult
		if err := decoder.Decode(&result); err != nil || result.File != s.named(name) {
			t.Errorf("%+v (%v), want that of %s", result, err, name)
		}
	}
	if decoder.More() {
		t.Error("more than one object a file")
	}
	s.Write("b.parquet", string(cut))
	before := s.Content()
	s.Line(exitBad, "", "export parquet @a.parquet @b.parquet @c.parquet --column user --column id")
	after := s.Content()
	if before["a.parquet"] == after["a.parquet"] || before["b.parquet"] != after["b.parquet"] ||
		before["c.parquet"] == after["c.parquet"] || !strings.Contains(s.Stderr, "b.parquet") {
		t.Errorf("of three files the second is not the only one that stays: %s", s.Stderr)
	}
	s.Write("text", "text")
	s.Line(exitBad, "", "export parquet @text @a.parquet @none --column user")
	s.Complains("@text: parquet: not a Parquet file")
	s.Complains("@none: no such file")
	if now := s.Content(); now["a.parquet"] != after["a.parquet"] {
		t.Error("a file was replaced beside others without the column")
	}
}

// A column by whose filters DuckDB would miss rows gets none, unless it is asked for.
func TestExportRefusesForDuckDB(t *testing.T) {
	type row struct {
		Plain []byte   `parquet:"plain"`
		Text  string   `parquet:"text"`
		Raw   []byte   `parquet:"raw"`
		Fixed [2]byte  `parquet:"fixed"`
		Wide  [17]byte `parquet:"wide,decimal(2:40)"`
	}
	s := newShell(t)
	var b bytes.Buffer
	if err := parquetgo.Write(&b, []row{
		{[]byte("a b"), "größe", []byte("a\xff"), [2]byte{0, 1}, [17]byte{16: 9}},
	}); err != nil {
		t.Fatal(err)
	}
	s.Write("a.parquet", b.String())
	const hint = " (--not-for-duckdb adds it)"
	s.Refuse("", "export parquet @a.parquet --column text --column ", [][2]string{
		{"raw", "column raw is BYTE_ARRAY: DuckDB reads it as BLOB and queries its text, " +
			`which has \xFF for a byte of it` + hint},
		{"fixed", "column fixed is FIXED_LEN_BYTE_ARRAY: DuckDB reads it as BLOB"},
		{"wide", "column wide is FIXED_LEN_BYTE_ARRAY (DECIMAL): DuckDB reads its 40 digits as " +
			"DOUBLE"},
	})
	s.Line(exitYes, "", "export parquet @a.parquet --column plain --column text")
	s.Line(exitYes, "", "export parquet @a.parquet --column raw --column fixed --column wide "+
		"--not-for-duckdb")
	s.Run(exitYes, "", "prune", "@a.parquet", "--column", "raw", "--", "a\xfe")
	s.Run(exitNo, "", "prune", "@a.parquet", "--column", "raw", "--", "a\xff")
}
