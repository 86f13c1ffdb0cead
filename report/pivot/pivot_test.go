package pivot

import (
	"bytes"
	"strings"
	"testing"
)

// figure is a record of tests.
type figure struct{ table, subject, part, condition, value string }

func (f figure) subjectName() string { return f.subject }

var figures = []figure{
	{"times", "fast_one", "cache", "1 key", "1.5"},
	{"times", "fast_one", "memory", "1 key", "25"},
	{"rates", "fast_one", "cache", "1 key", "0.1 %"},
	{"times", "a|b", "cache", "8 keys", "125 µs"},
	{"times", "fast_one", "memory", "8 keys", ""},
	{"none", "slow", "cache", "8 keys", ""},
}

// A record's figure stands in the row of its subject and the column of its condition, and a record
// without one makes neither.
func TestFigures(t *testing.T) {
	var all []*Table
	for title, of := range Groups(figures, func(f figure) string { return f.table }) {
		all = append(all, Figures("filter|", of, figure.subjectName,
			func(f figure) string { return f.part }, func(f figure) string { return f.condition },
			func(f figure) string { return f.value }).Titled(title, "ns"))
	}
	if len(all) != 3 || all[0].Title != "times" || all[0].About != "ns" ||
		all[1].Title != "rates" || len(all[2].Rows) > 0 {
		t.Fatalf("tables %+v", all)
	}
	for name, test := range map[string]struct {
		write func(b *bytes.Buffer)
		want  string
	}{
		"text": {func(b *bytes.Buffer) { b.WriteString(Text(all...)) }, `times
filter            1 key  8 keys
fast_one  cache     1.5       –
          memory     25       –
a|b       cache       –  125 µs
ns

rates
filter           1 key
fast_one  cache  0.1 %
ns
`},
		"Markdown": {func(b *bytes.Buffer) { all[0].Markdown(b) }, `| filter |  | 1 key | 8 keys |
| --- | --- | ---: | ---: |
| fast\_one | cache | 1.5 | – |
|  | memory | 25 | – |
| a\|b | cache | – | 125 µs |
`},
	} {
		var b bytes.Buffer
		if test.write(&b); b.String() != test.want {
			t.Errorf("%s is\n%swant\n%s", name, &b, test.want)
		}
	}
}

// Each record is a row, and of each name the first can be had. Without a label all columns are of
// figures, and words stand at the left side of theirs.
func TestRows(t *testing.T) {
	rows := Rows("filter|n|about", First(figures, figure.subjectName),
		func(f figure) []string { return []string{f.subject, f.value, f.condition} })
	rows.Labels, rows.Words, rows.Empty = 0, 1, ""
	if got, want := Text(rows), `  filter       n  about
fast_one     1.5  1 key
     a|b  125 µs  8 keys
    slow          8 keys
`; got != want {
		t.Errorf("rows are\n%swant\n%s", got, want)
	}
	one := Rows("filter", figures[:2], func(f figure) []string { return []string{f.subject} })
	if got, want := Text(one), "filter\nfast_one\nfast_one\n"; got != want {
		t.Errorf("rows of one label are\n%swant\n%s", got, want)
	}
}

// A page has the same cells, in which nothing is markup, with classes and bars where cells have
// one. Names alone have no heads.
func TestHTML(t *testing.T) {
	table := Rows("filter|n", figures[:2],
		func(f figure) []string { return []string{f.subject + "<&", f.value} }).Titled("<b>", "")
	table.Class = func(row, column int) string {
		return map[bool]string{true: "bad"}[row == 1 && column == 1]
	}
	table.Bar = func(row, column int) float64 { return float64(column) * (0.25 + 2*float64(row)) }
	const want = `<table>
<caption>&lt;b&gt;</caption>
<tr><th class="text">filter</th><th>n</th></tr>
<tr><td class="text">fast_one&lt;&amp;</td><td>1.5<i style="width:25.000%"></i></td></tr>
<tr><td class="text">fast_one&lt;&amp;</td><td class="bad">25<i style="width:100.000%"></i></td></tr>
</table>`
	if got := string(table.HTML()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := string(Lines([][]string{{"a", "b"}}).HTML()); strings.Contains(got, "<th") {
		t.Errorf("heads in %s", got)
	}
}

// Parts that are zero have no row, and a share is of all.
func TestShares(t *testing.T) {
	table := Shares("packets|number|share", Part[int]{Name: "passed", Count: 3000},
		Part[int]{Name: "none"}, Part[int]{Name: "denied", Count: 1000})
	const want = "packets  number  share\npassed    3,000   75 %\ndenied    1,000   25 %\n"
	if got := Text(table); got != want || table.Bar(1, 0) != 0.25 || table.Bar(1, 1) != 0 {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := Text(Parts("a|b|", Part[int64]{"x", 1, "more"}, Part[int64]{})); got !=
		"a  b\nx  1  more\n" {
		t.Errorf("%q", got)
	}
}

// Names and what is said of each stand in columns, without heads, and a name may come again.
func TestLines(t *testing.T) {
	got := Text(Lines([][]string{{"a", "x  y"}, {"a", ""}, {"long", "z"}}))
	if want := "a     x  y\na\nlong  z\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
