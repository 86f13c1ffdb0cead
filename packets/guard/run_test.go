package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/packets/capture"
)

// stream is packets that a test wrote down, and what ends them.
type stream struct {
	packets []sent
	end     error
}

func (s *stream) Next() (netip.Addr, []byte, error) {
	if len(s.packets) == 0 {
		return netip.Addr{}, nil, s.end
	}
	p := s.packets[0]
	s.packets = s.packets[1:]
	return p.source, p.payload, nil
}

// story is packets with every verdict; 6 is a bad sequence and three is blocked.
func story() []sent {
	return []sent{
		{one, words(7), Accepted}, {one, words(6), Strike}, {netip.Addr{}, nil, NoIP},
		{three, words(7, 7), Rejected},
		{one, words(6, 7, 6, 7), ThirdStrike}, {one, words(6), Rejected}, {two, words(7), Accepted},
		{six, nil, Accepted},
	}
}

func storyConfig() Config {
	return Config{
		Sizing: Sizing{Sources: 10, GoodRate: 1e-3, BadRate: 1e-6, SequenceRate: 1e-9,
			Key: keytest.Key(1)},
		History:   10,
		Blocklist: []netip.Addr{netip.MustParseAddr("192.0.2.99"), three},
		Sequences: [][]byte{words(6)},
		Audit:     true,
	}
}

// usual are limits that do not matter to a test.
var usual = limits{MaxListed, 2 * nonMemberGroup}

func mustRun(t *testing.T, config Config, limits limits) *Run {
	t.Helper()
	r, err := newRun(config, limits)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// processed puts packets through the rules, and returns the report.
func processed(t *testing.T, run *Run, packets []sent) *Report {
	t.Helper()
	if err := run.Process(&stream{packets, io.EOF}, io.Discard); err != nil {
		t.Fatal(err)
	}
	return run.Report("", false)
}

func TestRun(t *testing.T) {
	run := mustRun(t, storyConfig(), usual)
	want := ""
	for _, p := range story() {
		want += string(p.verdict)
	}
	var verdicts, answers bytes.Buffer
	if err := run.Process(&stream{story(), io.EOF}, &verdicts); err != nil || run.Damage() != nil {
		t.Fatalf("error %v, damage %v", err, run.Damage())
	}
	if verdicts.String() != want {
		t.Errorf("verdicts %q, want %q", &verdicts, want)
	}
	if err := run.WriteAnswers(&answers); err != nil {
		t.Fatal(err)
	}
	const listed = "192.0.2.1\tbad\n" +
		"192.0.2.3\tbad\n192.0.2.2\tgood\n2001:db8::1\tgood\n192.0.2.99\tbad\n"
	if answers.String() != listed {
		t.Errorf("answers %q, want %q", &answers, listed)
	}

	report := run.Report("story", false)
	if report.Packets != 8 || report.Payload != 10 || report.Words != 6 || report.Strikes != 3 {
		t.Errorf("%d packets, %d words, %d looked at, %d strikes; want 8, 10, 6, 3", report.Packets,
			report.Payload, report.Words, report.Strikes)
	}
	if want := (Verdicts{Accepted: 3, Strike: 1, ThirdStrike: 1, Rejected: 2,
		NoIP: 1}); report.Verdicts != want {
		t.Errorf("verdicts %+v, want %+v", report.Verdicts, want)
	}
	if s := report.Sources; s.Listed != 5 || s.Good != 2 || s.Bad != 3 || s.Unknown != 0 ||
		s.Turned != 1 || len(s.Blacklisted) != 1 || s.Blacklisted[0] != one {
		t.Errorf("sources %+v", s)
	}
	if report.Cleared != 1 || report.Retained != 0 || report.Evicted != 0 || report.Admitted != 3 {
		t.Errorf("%+v, want 3 admitted and 1 cleared", report.Counts)
	}
	for i, members := range []int{2, 3, 1} {
		if f := report.Filters[i]; f.Members != members || f.Bytes == 0 ||
			f.NonMembers != usual.nonMembers {
			t.Errorf("filter %+v, want %d members", f, members)
		}
	}
	if a := report.Audit; a == nil || a.VerdictDifferences != 0 || a.AnswerDifferences != 0 ||
		len(a.Differences) != 0 {
		t.Errorf("audit %+v, want no differences", a)
	}
	// The bad set is asked for the 7 packets with a source; then come 1, 2, 9, 1 and 0 sequences.
	if report.Lookups != 7+1+2+9+1 || report.Seconds <= 0 {
		t.Errorf("%d look-ups in %g s, want 20", report.Lookups, report.Seconds)
	}
	total := 0
	for i, filter := range []*deletable.Filter{run.filters.Good.Filter, run.filters.Bad,
		run.filters.Sequences} {
		f, h := report.Filters[i], filter.Health()
		total += f.Bytes
		if f.Fill != h.Fill || f.Turnovers != h.Turnovers ||
			f.PlannedTurnovers != h.PlannedTurnovers ||
			f.TurnoversLeft != h.TurnoversLeft || f.Deletability != h.Deletability ||
			f.Collided != float64(h.Collided)/float64(h.Regions) || f.Rebuilds != 0 || f.Due {
			t.Errorf("%+v, want the health %+v", f, h)
		}
	}
	if report.Bytes != total || report.Exact < exactBytes(22, 4)/2 { // of 10, 12 and 1 keys
		t.Errorf("%d bytes of filters, want %d; exact sets %d", report.Bytes, total, report.Exact)
	}
	if h := report.History; h.Limit != 10 || h.Held != 2 || h.Bytes == 0 {
		t.Errorf("history %+v, want 2 of 10 held", h)
	}
}

// TestInputs: nothing is reported of an empty input, which is no damage, and of a damaged one what
// came before.
func TestInputs(t *testing.T) {
	for damage, input := range map[string]*stream{"": {nil, io.EOF},
		"broken": {story(), errBroken}} {
		run := mustRun(t, storyConfig(), usual)
		var verdicts bytes.Buffer
		packets, end := len(input.packets), input.end
		if err := run.Process(input, &verdicts); err != nil {
			t.Fatal(err)
		}
		if (run.Damage() != nil) != (damage != "") || damage != "" &&
			!errors.Is(run.Damage(), end) || verdicts.Len() != packets {
			t.Errorf("damage %v, %d verdicts, want %q, %d", run.Damage(), verdicts.Len(),
				damage, packets)
		}
		report := run.Report("", false)
		if report.Damage != damage || report.Packets != packets || run.Packets() != packets ||
			report.Sources.Listed < 2 {
			t.Errorf("damage %q, %d packets, %+v", report.Damage, report.Packets, report.Sources)
		}
	}
}

func TestBrokenWriters(t *testing.T) {
	run := mustRun(t, storyConfig(), usual)
	if err := run.Process(&stream{story(), io.EOF}, brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("verdicts: error %v, want the writer's", err)
	}
	if err := run.WriteAnswers(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("answers: error %v, want the writer's", err)
	}
}

// slow is a filter whose queries take a second per hash, of a clock that only sleeps move.
type slow struct {
	Deleter
	queries *int
}

func (s slow) QueryHash(hash uint64) bool {
	*s.queries++
	time.Sleep(time.Second)
	return s.Deleter.QueryHash(hash)
}

func (s slow) QueryHashBatch(hashes, present []uint64) int {
	*s.queries += len(hashes)
	time.Sleep(time.Duration(len(hashes)) * time.Second)
	return s.Deleter.QueryHashBatch(hashes, present)
}

// slowly is an input and an output that take hours.
type slowly struct{ stream }

func (s *slowly) Next() (netip.Addr, []byte, error) {
	time.Sleep(time.Hour)
	return s.stream.Next()
}

func (s *slowly) Write(text []byte) (int, error) {
	time.Sleep(time.Hour)
	return len(text), nil
}

// The seconds of a report are those in the engine, all of them, and not those of the input, of the
// audit or of the verdicts.
func TestSeconds(t *testing.T) {
	run, queries := mustRun(t, storyConfig(), usual), 0
	sets := run.filters.Sets()
	for _, set := range []*Set{&sets.Good, &sets.Bad, &sets.Sequences} {
		set.Deleter = slow{set.Deleter, &queries}
	}
	run.engine.sets = sets
	synctest.Test(t, func(t *testing.T) {
		both := &slowly{stream{story(), io.EOF}}
		if err := run.Process(both, both); err != nil {
			t.Error(err)
		}
	})
	if got := run.elapsed.Seconds(); got != float64(queries) || queries < 10 {
		t.Errorf("%g s in the engine, want %d", got, queries)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// TestManyBatches checks that a run longer than a batch loses nothing at the seams.
func TestManyBatches(t *testing.T) {
	for _, n := range []int{batchPackets - 1, batchPackets, batchPackets + 1, 3 * batchPackets} {
		run := mustRun(t, storyConfig(), usual)
		packets := make([]sent, n)
		for i := range packets {
			packets[i] = sent{source: addr(i), payload: words(uint32(i))}
		}
		var verdicts bytes.Buffer
		if err := run.Process(&stream{packets, io.EOF}, &verdicts); err != nil {
			t.Fatal(err)
		}
		took := run.elapsed
		if err := run.Process(&stream{nil, io.EOF}, io.Discard); err != nil || run.elapsed < took {
			t.Errorf("%v in the engine, and then %v, error %v", took, run.elapsed, err)
		}
		if got := run.Report("", false); got.Packets != n || got.Payload != n ||
			verdicts.Len() != n {
			t.Errorf("%d packets, %d words, %d verdicts; want %d of each", got.Packets, got.Payload,
				verdicts.Len(), n)
		}
	}
}

// TestListLimit lists as many sources as there is room for, and counts the packets of others.
func TestListLimit(t *testing.T) {
	run := mustRun(t, storyConfig(), limits{2, 0})
	report := processed(t, run, story())
	if s := report.Sources; s.Listed != 2 || s.Bad != 2 || s.Unlisted != 2 {
		t.Errorf("sources %+v, want 2 listed and 2 packets of others", s)
	}
}

// TestNamed names the first sources that turned bad, and counts the others.
func TestNamed(t *testing.T) {
	for _, n := range []int{maxNamed - 1, maxNamed, maxNamed + 1} {
		run := mustRun(t, storyConfig(), usual)
		packets, want := []sent{{source: three}}, []netip.Addr{}
		for i := range n {
			packets = append(packets, sent{source: addr(i), payload: words(6, 6, 6)})
			want = append(want, addr(i))
		}
		report := processed(t, run, packets)
		s := report.Sources
		if s.Turned != n || s.Bad != n+2 || !slices.Equal(s.Blacklisted, want[:min(n, maxNamed)]) {
			t.Errorf("%d of the sources turned bad: %+v", n, s)
		}
		if more := strings.Contains(report.String(), ", …\n"); more != (n > maxNamed) {
			t.Errorf("%d sources turned bad: the report says that there are more: %v", n, more)
		}
	}
}

// TestAudit runs filters that are much too small: the audit finds exactly the differences that
// there are, and lists the first.
func TestAudit(t *testing.T) {
	config := storyConfig()
	config.Sizing = Sizing{Sources: 50, GoodRate: 0.5, BadRate: 0.3, SequenceRate: 0.3,
		Key: keytest.Key(1)}
	config.History = 100
	for i := range 300 {
		config.Blocklist = append(config.Blocklist, addr(10_000+i))
	}
	var packets []sent
	for i := range 2000 {
		packets = append(packets, sent{source: addr(i % 500), payload: words(uint32(i), 7)})
	}
	run := mustRun(t, config, usual)
	var filters, exact bytes.Buffer
	if err := run.Process(&stream{packets, io.EOF}, &filters); err != nil {
		t.Fatal(err)
	}
	other := mustEngine(t, NewExactSets(), config.History, config.Blocklist, config.Sequences)
	for _, p := range packets {
		exact.WriteByte(byte(mustVerdict(t, other, p.source, p.payload)))
	}
	inVerdicts, inAnswers := 0, 0
	for i := range filters.Len() {
		if filters.Bytes()[i] != exact.Bytes()[i] {
			inVerdicts++
		}
	}
	for _, source := range run.Sources() {
		if run.engine.Answer(source) != other.Answer(source) {
			inAnswers++
		}
	}
	if inVerdicts < 10 || inAnswers < 10 {
		t.Fatalf("%d and %d differences: the test has lost its point", inVerdicts, inAnswers)
	}
	report := run.Report("", false)
	a := report.Audit
	if a.VerdictDifferences != inVerdicts || a.AnswerDifferences != inAnswers ||
		len(a.Differences) != maxDifferences {
		t.Errorf("%d and %d differences, %d listed; want %d, %d, %d",
			a.VerdictDifferences, a.AnswerDifferences, len(a.Differences), inVerdicts, inAnswers,
			maxDifferences)
	}
	for i, f := range []*deletable.Filter{run.filters.Good.Filter, run.filters.Bad,
		run.filters.Sequences} {
		got, want := report.Filters[i].FalsePositives, falsePositives(f, usual.nonMembers)
		if got != want || i < 2 && want == 0 {
			t.Errorf("%d false positives of the %s filter, want %d", got,
				report.Filters[i].Name, want)
		}
	}
	if first := a.Differences[0]; !strings.Contains(first, "filters r, exact .") {
		t.Errorf("first difference %q, want a packet that only the filters reject", first)
	}
	if text := report.String(); !strings.Contains(text, "differences from exact sets") ||
		!strings.Contains(text, "more\n") {
		t.Errorf("report does not tell the differences:\n%s", text)
	}
}

// TestAuditComparesEveryPacket puts one difference at a time into a run of several batches, the
// last one short: the audit tells that packet and its source, and nothing else.
func TestAuditComparesEveryPacket(t *testing.T) {
	const n = 2*batchPackets + 7
	packets := make([]sent, n)
	for i := range packets {
		packets[i] = sent{source: addr(i), payload: words(7)}
	}
	config := storyConfig()
	config.Sizing.Sources, config.Sizing.BadRate, config.History = n, 1e-9, n
	config.Sizing.GoodRate = 1e-9
	for _, cut := range []int{
		0, 1, batchPackets - 2, batchPackets - 1, batchPackets, batchPackets + 1,
		2*batchPackets - 1, 2 * batchPackets, 2*batchPackets + 1, n - 2, n - 1,
	} {
		run := mustRun(t, config, limits{MaxListed, 0})
		// as a false positive of the bad filter would be
		mustInsert(t, setOf(run.filters.Bad), addr(cut).AsSlice())
		a := processed(t, run, packets).Audit
		want := []string{
			fmt.Sprintf("packet %d of %s: filters r, exact .", cut+1, addr(cut)),
			fmt.Sprintf("source %s: filters bad, exact good", addr(cut)),
		}
		if a.VerdictDifferences != 1 || a.AnswerDifferences != 1 ||
			!slices.Equal(a.Differences, want) {
			t.Errorf("a difference in packet %d: %+v, want %q", cut+1, a, want)
		}
	}
	// And one in the answer of a source of the blocklist that no packet came from.
	run := mustRun(t, config, usual)
	run.filters.Bad.Delete(config.Blocklist[0].AsSlice())
	const want = "source 192.0.2.99: filters unknown, exact bad"
	if a := run.Report("", false).Audit; a.AnswerDifferences != 1 || a.Differences[0] != want {
		t.Errorf("%+v, want one difference, %s", a, want)
	}
}

// TestRunEndsWithASet: an error of a set, of the filters or of the audit's, is the error of the
// run.
func TestRunEndsWithASet(t *testing.T) {
	for name, refuse := range map[string]func(*Run){
		"filters": func(r *Run) { r.engine.sets.Good.Deleter = full{} },
		"audit":   func(r *Run) { r.audit.engine.sets.Good.Deleter = full{} },
	} {
		run := mustRun(t, storyConfig(), usual)
		refuse(run)
		if err := run.Process(&stream{story(), io.EOF}, io.Discard); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v, want that of the set", name, err)
		}
	}
}

// TestSynthetic runs a synthetic trace: on exact sets every source ends as its role says.
func TestSynthetic(t *testing.T) {
	const sources = 2000
	trace, err := capture.NewSynthetic(sources, 3)
	if err != nil {
		t.Fatal(err)
	}
	config := storyConfig()
	config.Sizing.Sources, config.History = sources, sources
	config.Blocklist, config.Sequences = trace.Blocklist(), trace.Sequences()
	run := mustRun(t, config, usual)
	if err := run.Process(trace, io.Discard); err != nil {
		t.Fatal(err)
	}
	for i := range sources {
		want := Good
		if role := trace.Role(i); role == capture.Bad || role == capture.Blocked {
			want = Bad
		}
		if got := run.audit.engine.Answer(trace.Source(i)); got != want {
			t.Errorf("source %d of role %d is %s, want %s", i, trace.Role(i), got, want)
		}
	}
	if r := run.Report("", true); r.Verdicts.ThirdStrike < 50 || r.Verdicts.Strike < 50 ||
		r.Cleared < 50 {
		t.Errorf("report %+v", r)
	}
}

// TestReportText holds the report for people against a page.
func TestReportText(t *testing.T) {
	report := &Report{
		Input: "a.pcap", Damage: "x", Packets: 1234567, Payload: 1000,
		Counts: Counts{
			Verdicts: Verdicts{1234000, 500, 60, 7, 0}, Words: 999, Lookups: 12345, Evicted: 3,
			Cleared: 59, Retained: 1,
		},
		Seconds: 0.5,
		Sources: SourceReport{Listed: 5, Unlisted: 4, Good: 2, Bad: 3, Turned: 2,
			Blacklisted: []netip.Addr{one}},
		Filters: []FilterReport{
			{Name: "good", Members: 2, Planned: 65536, Bytes: 151872, Fill: 0.1234,
				PlannedRate: 1e-3, Rate: 2e-4, Turnovers: 0.314159, PlannedTurnovers: 1,
				TurnoversLeft: 0.7, Deletability: 0.987, Collided: 0.0123, Rebuilds: 1234,
				NonMembers: 1_000_000, FalsePositives: 201},
			{Name: "bad", Members: 3, Planned: 65536, Bytes: 575552, PlannedRate: 1e-6,
				Deletability: 1, Due: true},
		},
		History: HistoryReport{1 << 20, 2, 700},
		Bytes:   727424, Exact: 7 << 20,
		Audit: &Audit{1, 1, []string{"packet 1"}},
	}
	const want = `input a.pcap
  1,234,567 packets with 1,000 words of payload
  DAMAGED: this is the report of what could be read

verdicts
  .  accepted                                   1,234,000 packets
  s  accepted, with a strike                          500 packets
  m  third strike: its source turned bad               60 packets
  r  rejected: its source was bad before                7 packets
  -  no IP header                                       0 packets

answers at the end
  good                                                  2 sources
  bad, in the blocklist                                 1 source
  bad, blacklisted by a third strike                    2 sources: 192.0.2.1, …
  unknown                                               0 sources
  not asked: sources beyond 1,048,576                   4 packets

filters   members   planned        size     fill   rate planned      now                                measured
good            2    65,536   148.3 KiB   12.3 %          0.001   0.0002   0.0002 (201 of 1,000,000 non-members)
bad             3    65,536   562.1 KiB      0 %          1e-06        0                  not measured (--audit)

health   turnovers   planned   left   deletability   collided   rebuilt                          rebuild
good         0.314         1    0.7         98.7 %     1.23 %     1,234                          not due
bad              0         0      0          100 %        0 %         0   due: more inserts than planned
A turnover replaces as many keys as there are. Deletability is the share of the keys that a
delete hides, and collided that of the bit positions where no delete clears a bit.

deletions  from the good filter: 59 cleared bits, 1 retained (all bits shared: still visible there)
history    exact state of 2 sources in 700 B (limit 1,048,576), 3 evicted
speed      2.47 M packets/s, 2.00 k words/s, 24.7 k look-ups/s (0.5 s in the engine, reading not included)
memory     filters 710.4 KiB; exact sets of as many keys as planned 7 MiB (Go maps, measured)
audit      1 differences from exact sets in 1,234,567 verdicts, 1 in 5 answers
           packet 1
           and 1 more
`
	if got := report.String(); got != want {
		t.Errorf("report\n%s\nwant\n%s", got, want)
	}
	report.Synthetic, report.Filters[0].FalsePositives = true, 0
	if got := report.String(); !strings.Contains(got, "below 3.8e-06 (0 of 1,000,000 non-") {
		t.Errorf("no false positive in a sample has no bound:\n%s", got)
	}
	if got := report.String(); !strings.HasPrefix(got,
		"SYNTHETIC input, generated and not captured: a.pcap\n") {
		t.Errorf("a synthetic input is not marked:\n%s", got)
	}
}
