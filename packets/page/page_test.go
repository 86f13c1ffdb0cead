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
	"strconv"
	"strings"
	"testing"
	"time"

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
	flat := strings.Join(strings.Fields(hostile), " ")
	// As it is: 3 failures, 4 programs and machines; of guard damage, difference, filter twice; of
	// deny interface, pin and damage; CPU and why.
	if got := strings.Count(p.text, flat); got != 3+2*4+9 {
		t.Errorf("the hostile text is there %d times", got)
	}
	if got := strings.Count(p.text, "alert"); got != strings.Count(p.text, "script src=") {
		t.Errorf("a hostile text was cut: %d of %d", strings.Count(p.text, "script src="), got)
	}
	for _, want := range []string{
		// verdicts
		"1,234,567 packets with 7,654,321 words", "accepted: 1,200,000 (97.2 %)",
		"accepted, with a strike: 34,000 (2.75 %)", "turned bad: 507 (0.0411 %)",
		"bad before: 53 (0.00429 %)", "no IP header: 7 (0.000567 %)", "Why rejected:",
		"1,111 good, 5,219 bad by the blocklist, 3 bad by a third strike (192.0.2.1, " +
			"2001:db8::1, …), 3,333 unknown",
		"10,123 sources must never be blocked", "had hit 59 of them", "58 bits were cleared",
		"57 sources of the blocklist pass", "17 were spared", "19 packets and answers block",
		"21 differences in 1,234,567 verdicts, 22 in 8,115 answers",
		// an interface
		", mode exact", "by the source, for 86.4 s; it took over what was pinned at /sys/",
		"passed: 700 (70 %)", "denied: 250 (25 %)", "passed by the never-deny list: 30 (3 %)",
		"fragments: 12 (1.2 %)", "malformed: 5 (0.5 %)", "no IP: 3 (0.3 %)",
		"The exact set cleared 11 packets",
		"deny 4,321 8,642 53.05 KiB 17 13 2 1e-05 3.9e-06",
		"1,000 packets came to an interface with a deny list; 250 were denied",
		// health
		"filters 710.4 KiB; exact sets of as many keys as planned 7 MiB",
		"2,345 65,536 148.3 KiB 12.3 % 0.0013 2.4e-05 0.0002 (201 of 1,000,000 non-members)",
		"0.314 1.25 0.72 98.7 % 1.25 % 1,239 due: more inserts than planned endless",
		"endless 0 0 0 B 0 % 0 0 not measured (--audit) listed 10 0 0 B 45.1 % 0 0 not measured",
		"endless 0 0.375 re-inserts per insert 0 50 % 0 % 0 not due",
		// speed
		"2.11 ns per query in batches, in a table of 3 MiB memory 0.77; avx2 2.11; purego 5.05",
		"65,537 members in batches of 4,096; of each batch the least of 41 rounds",
		"query memory 0.77 avx2 2.11 purego 5.05 delete avx2 3.33", "Huge pages: madvise",
		// the sums
		"1,234,567 packets went through the guard; it rejected 53",
		"43 differences from exact sets, in 1,234,567 verdicts",
		"2026-11-22 20:50 UTC", "20:50:07 UTC", "from 3 records",
		"packets guard --text '</title><script",
	} {
		if !strings.Contains(p.text, want) {
			t.Errorf("no %q in\n%s", want, p.text)
		}
	}
	for _, want := range []string{"97.200%", "41.782%", "100.000%"} {
		found := false
		for _, width := range p.widths {
			found = found || width == want
		}
		if !found {
			t.Errorf("no bar is %s wide: %v", want, p.widths)
		}
	}
	if !strings.Contains(page, `<td class="bad">due: more`) ||
		strings.Contains(page, `<td class="bad">not due`) {
		t.Error("what is due is not bad, or what is not due is")
	}
	if again := written(t, all...); again != page {
		t.Error("a second page of the same records differs")
	}
}

// The committed picture is that of the committed record, in which all machines ran and agree, and
// the page has it too. What a record says of machines is text.
func TestAgreement(t *testing.T) {
	text, err := os.ReadFile("../agreement/agreement.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read("agreement.json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	machines := r.Agreement.Machines
	if err := r.Agreement.Failure(); err != nil || r.Failure != "" || len(machines) < 4 {
		t.Error(err, r.Failure, len(machines))
	}
	for _, m := range machines {
		if m.Missing != "" {
			t.Errorf("%s: %s", m.Name, m.Missing)
		}
	}
	var svg bytes.Buffer
	if err := agreement.Draw(&svg, &r.Record, r.Agreement); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../agreement/agreement.svg")
	if err != nil || !bytes.Equal(committed, svg.Bytes()) {
		t.Errorf("agreement.svg is not the picture of agreement.json (%v): make pages", err)
	}
	if !strings.Contains(written(t, r), string(inline(committed))) {
		t.Error("the page has another picture")
	}
	p := parsePage(t, written(t, report(t, "agreement", &agreement.Report{Input: "in" + hostile,
		Machines: []agreement.Machine{{Name: "a" + hostile, Missing: hostile},
			{Name: "b" + hostile, Difference: hostile,
				Verdicts: agreement.Comparison{Compared: 34757, Differ: 1}}}})))
	if p.elements["script"] > 0 || p.elements["svg"] != 1 ||
		!strings.Contains(p.text, "34,757") || !strings.Contains(p.text, "alert('1')") {
		t.Errorf("%d scripts, %d pictures, in\n%s", p.elements["script"], p.elements["svg"], p.text)
	}
}

// What was not asked for has no section, and what is not known no number.
func TestPartsOfPages(t *testing.T) {
	r := guardReport()
	r.Audit, r.Never, r.Filters[0].NonMembers, r.Filters[0].Due = nil, nil, 0, false
	r.Verdicts.Rejected, r.Sources.Turned, r.Sources.Blacklisted = 0, 0, nil
	r.Damage, r.Synthetic, r.Input = "", true, "20 sources, seed 1"
	before := report(t, "kernels", kernelsReport())
	before.Made = before.Made.Add(-time.Hour)
	before.Kernels.Speed = nil
	p := parsePage(t, written(t, before, report(t, "guard", r), before))
	for _, unwanted := range []string{"exact sets, in", "Exact sets beside", "must never be",
		"201 of", "due: ", "ns per query", "damaged",
		"Why rejected"} {
		if strings.Contains(p.text, unwanted) {
			t.Errorf("%q in\n%s", unwanted, p.text)
		}
	}
	for _, want := range []string{"2026-11-22 20:50 UTC", "2026-11-22 19:50:07 UTC",
		"No packet was rejected", "0 bad by a third strike, 3,333",
		"SYNTHETIC 20 sources, seed 1: generated, not captured"} {
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

// The page begins with captures, whatever the order of the records.
func TestOrder(t *testing.T) {
	synthetic := guardReport()
	synthetic.Synthetic, synthetic.Packets = true, 1000
	all := append([]*Report{report(t, "guard", synthetic)}, reports(t)...)
	slices.Reverse(all[1:])
	page := written(t, all...)
	text := parsePage(t, page).text
	for _, want := range [][]string{
		{"1,235,567 packets went through the guard, 1,000 of them synthetic", "86 differences"},
		{"Verdicts", "1,234,567 packets with", "SYNTHETIC", "Health of filters",
			"Denied at an interface", "mode exact"},
		{"Speed on this CPU", "“memory” is no filter"},
	} {
		rest := text[strings.Index(text, "Bloom filters that delete, on"):]
		if want[0] == "Verdicts" || want[0] == "Speed on this CPU" { // they are links, too
			_, rest, _ = strings.Cut(rest, want[0])
		}
		for _, part := range want {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("no %q in its place, after %.200q", part, rest)
			}
			rest = after
		}
	}
}

// On a phone of 360 pixels nothing runs off the edge: tables scroll in boxes of their own, pictures
// shrink, and nothing else that keeps its width is wider than the room between the margins.
func TestPhone(t *testing.T) {
	all := append(reports(t), report(t, "agreement", &agreement.Report{}))
	page := written(t, all...)
	for _, want := range []string{`<meta name="viewport" content="width=device-width`,
		".scroll { overflow-x: auto; }", ".charts svg { display: block; width: 100%"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if boxes, tables := strings.Count(page, `scroll"><table>`),
		strings.Count(page, "<table"); boxes != tables || tables < 3 {
		t.Errorf("%d of %d tables are in boxes", boxes, tables)
	}
	for _, columns := range regexp.MustCompile(`minmax\([0-9].*`).FindAllString(page, -1) {
		t.Errorf("a column that can be wider than a phone: %s", columns)
	}
	const room = 360 - 2*16
	fixed := regexp.MustCompile(`[ {;](?:min-)?width: ?([0-9]+)px`)
	widths := fixed.FindAllStringSubmatch(page, -1)
	for _, width := range widths {
		if pixels, err := strconv.Atoi(width[1]); err != nil || pixels > room {
			t.Errorf("%q is wider than the %d pixels of a phone (%v)", width[0], room, err)
		}
	}
	if len(widths) == 0 {
		t.Error("no widths in pixels")
	}
	for line := range strings.Lines(page) {
		if strings.Contains(line, "nowrap") && !strings.HasPrefix(line, "th, td {") &&
			!strings.Contains(line, "letter-spacing") { // of a mark, which is short
			t.Errorf("what does not break: %s", line)
		}
	}
	pictures := regexp.MustCompile(`<svg[^>]*>`).FindAllString(page, -1)
	for _, picture := range pictures {
		if !strings.Contains(picture, " viewBox=") {
			t.Errorf("a picture that does not shrink: %s", picture)
		}
	}
	if len(pictures) != 1 {
		t.Errorf("%d pictures", len(pictures))
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

// A bar is within its track, whatever a record says.
func TestWidth(t *testing.T) {
	for part, want := range map[float64]string{-1: "0.000%", 0: "0.000%", 0.12345: "12.345%",
		1: "100.000%", 7: "100.000%"} {
		if got := width(part); got != want {
			t.Errorf("width(%g) is %s, want %s", part, got, want)
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
