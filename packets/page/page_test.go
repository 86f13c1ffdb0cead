package page

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/packets/agreement"
	"github.com/bloomlane/bloomlane/packets/deny"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/kernels"
	"github.com/bloomlane/bloomlane/xdp"
)

// hostile is a text that a page must show, and not obey.
const hostile = `</title><script src="http://evil.example/x.js">alert('1')</script>&lt;"'` + "`{{.}}"

// report returns a report as it is read from its record.
func report(t testing.TB, command string, result any) *Report {
	t.Helper()
	read, err := Read(command, bytes.NewReader(record(t, command, result)))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// record returns the record of a result.
func record(t testing.TB, name string, result any) []byte {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	text, err = json.Marshal(command.Record{
		Command: name, Line: []command.Path{"packets", command.Path(name), "--text", hostile},
		Made:    time.Date(2026, 11, 22, 20, 50, 7, 0, time.UTC),
		Program: "bloomlane v0.1.0, commit 5d0a" + hostile, Machine: "A CPU" + hostile,
		Failure: "the answer is " + hostile, Result: text,
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func guardReport() *guard.Report {
	return &guard.Report{
		Input: "captures/guarded" + strings.ReplaceAll(hostile, "/", "|"), Damage: hostile,
		Packets: 1234567, Payload: 7654321, Bytes: 727424, Exact: 7 << 20,
		Counts: guard.Counts{Verdicts: guard.Verdicts{Accepted: 1200000, Strike: 34000,
			ThirdStrike: 507, Rejected: 53, NoIP: 7}},
		Sources: guard.SourceReport{Listed: 8115, Good: 1111, Bad: 5222, Unknown: 3333, Turned: 3,
			Blacklisted: []netip.Addr{netip.MustParseAddr("192.0.2.1"),
				netip.MustParseAddr("2001:db8::1")}},
		Filters: []guard.FilterReport{
			{Name: "good" + hostile, Members: 2345, Planned: 65536, Bytes: 151872, Fill: 0.1234,
				PlannedRate: 0.0013, Rate: 2.4e-5, Turnovers: 0.314159, PlannedTurnovers: 1.25,
				TurnoversLeft: 0.72, Deletability: 0.987, Collided: 0.0125, Rebuilds: 1239,
				NonMembers: 1_000_000, FalsePositives: 201, Due: true},
			{Name: "endless", PlannedReinserts: 0.375, Deletability: 0.5},
			{Name: "listed", Members: 10, Retouched: true, Fill: 0.451, Turnovers: 99.5},
		},
		Never: &guard.NeverBlockReport{Listed: 10123, Hit: 59, ClearedBits: 58, Passing: 57,
			ListedSpared: 17, Blocked: 19},
		Audit: &guard.Audit{VerdictDifferences: 21, AnswerDifferences: 22,
			Differences: []string{hostile}},
	}
}

func denyReport() *deny.Report {
	count := func(n uint64) xdp.Count { return xdp.Count{Packets: n, Bytes: 64 * n} }
	return &deny.Report{
		Interface: "eth" + hostile, Mode: "exact", Side: "source", Pin: "/sys/" + hostile,
		Took: true, Damage: hostile, Seconds: 86.4,
		Lengths: deny.Lengths{IPv4: []int{32}, IPv6: []int{128}},
		Lists: []deny.ListReport{{Name: "deny", Entries: 4321, Planned: 8642, Added: 17,
			Deleted: 13, Rebuilt: 2, Bytes: 54321, PlannedRate: 1e-5, Rate: 3.9e-6}},
		Counts: xdp.Counts{Passed: count(700), Denied: count(250), Spared: count(30),
			Fragments: count(12), Malformed: count(5), Other: count(3), Cleared: 11},
	}
}

func kernelsReport() *kernels.Report {
	return &kernels.Report{CPU: hostile, Platform: "linux/amd64", Active: "avx2", Why: hostile,
		HugePages: "madvise", Speed: []kernels.Speed{
			{Bytes: 3 << 20, Keys: 65537, Batch: 4096, Rounds: 41, Times: []kernels.Time{
				{Operation: "query", By: []kernels.By{{Name: kernels.Memory, Nanoseconds: 0.77},
					{Name: "avx2", Nanoseconds: 2.11}, {Name: "purego", Nanoseconds: 5.05}}},
				{Operation: "delete", By: []kernels.By{{Name: "avx2", Nanoseconds: 3.33}}},
			}},
		}}
}

func reports(t testing.TB) []*Report {
	return []*Report{report(t, "guard", guardReport()), report(t, "kernels", kernelsReport()),
		report(t, "deny", denyReport())}
}

func written(t testing.TB, reports ...*Report) string {
	t.Helper()
	var text bytes.Buffer
	if err := Write(&text, reports); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// parsed is what a page says: its text, without white space at the ends of pieces and with one
// space between them; and how often each element is there.
type parsed struct {
	text     string
	elements map[string]int
	widths   []string
}

// loads are attributes by which a browser would load something, and runs those that it would run.
var (
	loads = regexp.MustCompile(`^(src|srcset|href|data|action|poster|background|cite|manifest)$`)
	runs  = regexp.MustCompile(`^on`)
)

// parse reads a page strictly, and checks that it loads and runs nothing.
func parsePage(t *testing.T, page string) parsed {
	t.Helper()
	p := parsed{elements: map[string]int{}}
	var texts, open []string
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			p.text = strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			open = append(open, name)
			p.elements[name]++
			for _, a := range token.Attr {
				if loads.MatchString(a.Name.Local) && !strings.HasPrefix(a.Value, "#") ||
					runs.MatchString(a.Name.Local) || strings.Contains(a.Value, "url(") ||
					strings.Contains(a.Value, "http") && a.Name.Local != "xmlns" &&
						a.Name.Space != "xmlns" && a.Name.Local != "http-equiv" {
					t.Errorf("<%s %s=%q>", name, a.Name.Local, a.Value)
				}
				if width, ok := strings.CutPrefix(a.Value, "width:"); ok {
					p.widths = append(p.widths, width)
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			text := string(token)
			if open := strings.Join(open, " "); open == "html head style" {
				if strings.Contains(text, "url(") || strings.Contains(text, "@import") {
					t.Error("the style loads something")
				}
			} else {
				texts = append(texts, text)
			}
		case xml.Comment, xml.ProcInst:
			t.Errorf("what no page has: %s", token)
		}
	}
}

// The page has every number that it is about, as the text of the reports has it; hostile strings
// are shown and not obeyed; nothing is loaded and nothing runs.
func TestPage(t *testing.T) {
	all := reports(t)
	page := written(t, all...)
	p := parsePage(t, page)
	for _, name := range []string{"script", "iframe", "object", "embed", "link", "img", "form",
		"base"} {
		if p.elements[name] > 0 {
			t.Errorf("%d <%s>", p.elements[name], name)
		}
	}
	if p.elements["meta"] != 4 || !strings.Contains(page, `content="default-src 'none'; `+
		`style-src 'unsafe-inline'"`) {
		t.Errorf("%d <meta>, or no policy", p.elements["meta"])
	}
	// As it is: 3 failures; a program and a machine, once for all records; of guard damage, a
	// difference and a filter twice; of deny interface twice, pin and damage; CPU twice and why.
	flat := strings.Join(strings.Fields(hostile), " ")
	if got := strings.Count(p.text, flat); got != 3+2+4+4+3 {
		t.Errorf("the hostile text is there %d times", got)
	}
	if got := strings.Count(p.text, "alert"); got != strings.Count(p.text, "script src=") {
		t.Errorf("a hostile text was cut: %d of %d", strings.Count(p.text, "script src="), got)
	}
	for _, want := range []string{"1,234,567 packets went through the guard, 0 of them " +
		"synthetic; it rejected 53", "43 differences from exact sets, in 1,234,567 verdicts",
		"2.11 ns per query in batches, in a table of 3 MiB", "2026-11-22 20:50 UTC", "20:50:07 UTC",
		"from 3 records", "packets guard --text '</title><script",
		"due: more inserts than planned"} {
		if !strings.Contains(p.text, want) {
			t.Errorf("no %q in\n%s", want, p.text)
		}
	}
	for _, r := range all { // what a terminal has
		for _, table := range r.Shown() {
			if !strings.Contains(page, string(table.HTML())) {
				t.Errorf("no table of %s: %v", r.Command, table.Columns)
			}
		}
	}
	for _, want := range []string{"97.200%", "41.782%", "100.000%", "70.000%"} {
		found := false
		for _, width := range p.widths {
			found = found || width == want
		}
		if !found {
			t.Errorf("no bar is %s wide: %v", want, p.widths)
		}
	}
	for _, bad := range []string{`"bad">due: more`, `text bad">21 differences from`,
		`text bad">packets and answers that BLOCK`} {
		if !strings.Contains(page, bad) {
			t.Errorf("no %s", bad)
		}
	}
	if again := written(t, all...); again != page {
		t.Error("a second page of the same records differs")
	}
}

// The committed picture is that of the committed record, in which all machines ran and agree. What
// a record says of machines is text.
func TestAgreement(t *testing.T) {
	text, err := os.ReadFile("../agreement/agreement.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read("agreement.json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	agreed := r.Of.(*agreement.Report)
	if err := agreed.Failure(); err != nil || r.Failure != "" || len(agreed.Machines) < 4 {
		t.Error(err, r.Failure, len(agreed.Machines))
	}
	for _, m := range agreed.Machines {
		if m.Missing != "" {
			t.Errorf("%s: %s", m.Name, m.Missing)
		}
	}
	var svg bytes.Buffer
	if err := agreement.Draw(&svg, &r.Record, agreed); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../agreement/agreement.svg")
	if err != nil || !bytes.Equal(committed, svg.Bytes()) {
		t.Errorf("agreement.svg is not the picture of agreement.json (%v): make pages", err)
	}
	page := written(t, report(t, "agreement", &agreement.Report{Input: "in" + hostile,
		Machines: []agreement.Machine{{Name: "a" + hostile, Missing: hostile},
			{Name: "b" + hostile, Difference: hostile,
				Verdicts: agreement.Comparison{Compared: 34757, Differ: 1}}}}))
	p := parsePage(t, page)
	if p.elements["script"] > 0 || !strings.Contains(page, `text bad">b`) ||
		strings.Contains(page, `text bad">a`) || !strings.Contains(p.text, "1 of 34,757 DIFFER") ||
		!strings.Contains(p.text, "alert('1')") {
		t.Errorf("%d scripts, in\n%s", p.elements["script"], p.text)
	}
}

// What was not asked for is not there, and what is not known is no number.
func TestPartsOfPages(t *testing.T) {
	r := guardReport()
	r.Audit, r.Never, r.Filters[0].NonMembers, r.Filters[0].Due = nil, nil, 0, false
	r.Verdicts.Rejected, r.Sources.Turned, r.Sources.Blacklisted = 0, 0, nil
	r.Damage, r.Synthetic, r.Input = "", true, "20 sources, seed 1"
	before := kernelsReport()
	before.Speed = nil
	old := report(t, "kernels", before)
	old.Made, old.Program = old.Made.Add(-time.Hour), "an older program"
	p := parsePage(t, written(t, old, report(t, "guard", r), old))
	for _, unwanted := range []string{"exact sets, in", "differences", "must never be", "201 of",
		"due: ", "ns per query", "DAMAGED", "rejected:", "third strike 0"} {
		if strings.Contains(p.text, unwanted) {
			t.Errorf("%q in\n%s", unwanted, p.text)
		}
	}
	for _, want := range []string{"2026-11-22 20:50 UTC · bloomlane v0.1.0",
		"an older program, on A CPU", "2026-11-22 19:50:07 UTC",
		"SYNTHETIC, generated and not captured: 20 sources, seed 1"} {
		if !strings.Contains(p.text, want) {
			t.Errorf("no %q in\n%s", want, p.text)
		}
	}
	// No packet, no time, no member: there is nothing to draw, and no number that is not one.
	empty := report(t, "kernels", &kernels.Report{Speed: []kernels.Speed{{}}})
	for _, unwanted := range []string{"NaN", "Inf", "ZgotmplZ"} {
		if page := written(t, empty, report(t, "guard", &guard.Report{})); strings.Contains(
			page, unwanted) {
			t.Errorf("%s in\n%s", unwanted, page)
		}
	}
}

// The page begins with captures, those with many sources first, whatever the order of the records;
// then come the other commands.
func TestOrder(t *testing.T) {
	of := func(input string, sources int, synthetic bool) *Report {
		r := guardReport()
		r.Input, r.Sources.Listed, r.Synthetic = input, sources, synthetic
		return report(t, "guard", r)
	}
	all := append([]*Report{of("generated", 9000, true), of("a/few.pcap", 3, false),
		of("a/many.pcap", 4000, false)}, reports(t)[1:]...)
	for range 2 {
		page := written(t, all...)
		last := 0
		for _, title := range []string{"many.pcap", "few.pcap", "SYNTHETIC generated", "eth",
			"&lt;/title"} {
			at := strings.Index(page, "<h3>"+title)
			if at < last {
				t.Errorf("%s is at %d, before %d", title, at, last)
			}
			last = at
		}
		slices.Reverse(all)
	}
}

// A table has no row in which all is zero, and a page no table without rows.
func TestNoZeros(t *testing.T) {
	r := &guard.Report{Packets: 5, Counts: guard.Counts{Verdicts: guard.Verdicts{Accepted: 5}},
		Sources: guard.SourceReport{Listed: 1, Good: 1}, Filters: []guard.FilterReport{
			{Name: "good", Members: 1, Planned: 10, Shadow: &audit.Stats{Every: 64}},
			{Name: "bad", Planned: 10, Shadow: &audit.Stats{Every: 64}}}}
	passed := &deny.Report{Counts: xdp.Counts{Passed: xdp.Count{Packets: 3}}}
	p := parsePage(t, written(t, report(t, "guard", r), report(t, "deny", passed)))
	for _, unwanted := range []string{"bad", "health", "shadow", "third strike", "rejected:", "malformed"} {
		if strings.Contains(p.text, unwanted) && unwanted != "bad" ||
			strings.Contains(p.text, " "+unwanted+" 0 ") {
			t.Errorf("%q in\n%s", unwanted, p.text)
		}
	}
}

// On a phone of 360 pixels nothing runs off the edge: tables scroll in boxes of their own, which
// have a shadow where there is more, and nothing else that keeps its width is wider than the room
// between the margins.
func TestPhone(t *testing.T) {
	page := written(t, append(reports(t), report(t, "agreement", &agreement.Report{}))...)
	_, box, _ := strings.Cut(page, "\n.scroll {")
	box, _, _ = strings.Cut(box, "}")
	for _, want := range []string{"overflow-x: auto;", "var(--card)", " local,", "var(--edge)",
		" scroll"} {
		if !strings.Contains(box, want) {
			t.Errorf("no %q in the boxes of tables: %s", want, box)
		}
	}
	if !strings.Contains(page, `<meta name="viewport" content="width=device-width`) {
		t.Error("a phone shows the page as that of a large screen")
	}
	if boxes, tables := strings.Count(page, `scroll"><table>`),
		strings.Count(page, "<table"); boxes != tables || tables < 3 {
		t.Errorf("%d of %d tables are in boxes", boxes, tables)
	}
	for _, columns := range regexp.MustCompile(`minmax\([0-9].*`).FindAllString(page, -1) {
		t.Errorf("a column that can be wider than a phone: %s", columns)
	}
	for line := range strings.Lines(page) {
		if strings.Contains(line, "nowrap") && !strings.HasPrefix(line, "th, td {") {
			t.Errorf("what does not break: %s", line)
		}
	}
}

// What is no record is a *RecordError that says why.
func TestRecordErrors(t *testing.T) {
	write := func(command, result string) string {
		return fmt.Sprintf(`{"command": %q, "result": %s}`, command, result)
	}
	for text, want := range map[string]string{
		"":                              "EOF",
		"hello":                         "invalid character 'h'",
		"[]":                            "cannot unmarshal array",
		"{}":                            `found the command ""`,
		`{"command": "info"}`:           `found the command "info"`,
		`{"command": "guard"}`:          "found no result",
		write("guard", "null"):          "found no result",
		write("guard", "[]"):            "found no result",
		write("guard", `{"colour": 1}`): `unknown field "colour"`,
		write("kernels", `{"cpu": 1}`):  "cannot unmarshal number",
		write("kernels", "{}") + "{}":   "text after the record",
		`{"colour": 1}`:                 `unknown field "colour"`,
		write("guard", "{}") + strings.Repeat(" ", maxRecord): "more than 67108864 bytes",
	} {
		_, err := Read("a.json", strings.NewReader(text))
		var wrong *RecordError
		if !errors.As(err, &wrong) || wrong.Name != "a.json" ||
			!strings.Contains(err.Error(), want) || wrong.Err == nil {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
	if _, err := Read("a.json", failing{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("of a reader that fails: %v", err)
	}
	if err := Write(failing{}, reports(t)[1:]); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("to a writer that fails: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, io.ErrClosedPipe }
func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Whatever number a record has in any place, it is refused or there is a page.
func TestAnyNumber(t *testing.T) {
	for command, result := range map[string]any{"guard": guardReport(), "kernels": kernelsReport(),
		"deny": denyReport()} {
		var tree any
		if err := json.Unmarshal(report(t, command, result).Result, &tree); err != nil {
			t.Fatal(err)
		}
		numbers := 0
		var walk func(node any, set func(any))
		walk = func(node any, set func(any)) {
			switch node := node.(type) {
			case map[string]any:
				for name, value := range node {
					walk(value, func(value any) { node[name] = value })
				}
			case []any:
				for i, value := range node {
					walk(value, func(value any) { node[i] = value })
				}
			case float64:
				numbers++
				for _, value := range []float64{1e300, -1} {
					set(value)
					read, err := Read(command, bytes.NewReader(record(t, command, tree)))
					if err == nil {
						err = Write(io.Discard, []*Report{read})
					}
					var refused *RecordError
					if err != nil && !errors.As(err, &refused) {
						t.Errorf("%s with %g: %v", command, value, err)
					}
				}
				set(node)
			}
		}
		walk(tree, nil)
		if numbers < 8 {
			t.Errorf("%s has %d numbers", command, numbers)
		}
	}
}

// A command line can be given to a shell again.
func TestCommandLine(t *testing.T) {
	r := command.Record{Line: []command.Path{"packets", "guard", "--key", "it's", "a b", "", "$x",
		"a.pcap"}}
	if got, want := r.CommandLine(), `packets guard --key 'it'\''s' 'a b' '' '$x' a.pcap`; got !=
		want {
		t.Errorf("%s, want %s", got, want)
	}
}
