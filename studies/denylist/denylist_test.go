package denylist

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
	"github.com/bloomlane/bloomlane/studies/recording"
	"github.com/bloomlane/bloomlane/studies/recording/recordingtest"
	"github.com/bloomlane/bloomlane/xdp"
)

// study runs the command, and returns what it prints.
func study(t *testing.T, args ...string) string {
	t.Helper()
	cmd, out := Command(), new(bytes.Buffer)
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(new(bytes.Buffer))
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// requireXDP skips the test on a machine that cannot load a program or has no namespaces.
func requireXDP(t *testing.T) {
	t.Helper()
	program, err := xdp.Load(xdp.Options{})
	if err != nil {
		require.Skip(t, "xdp", err.Error())
	}
	if err := program.Close(); err != nil {
		t.Fatal(err)
	}
}

// A short run has every subject in all conditions. Lists but the LRU's, which evicts, drop their
// members, and those without a filter nobody else.
func TestQuick(t *testing.T) {
	requireXDP(t)
	printed := study(t, "--quick", "--json")
	r := new(found)
	if err := recording.Read(strings.NewReader(printed), r); err != nil {
		t.Fatal(err)
	}
	names := []string{bareParse, bareDrop, barePass, nameFilter, nameExact, "BPF hash",
		"BPF LRU hash", "BPF LPM trie", "BPF Bloom filter", "BPF Bloom filter, twice the size"}
	for _, f := range families {
		for _, name := range names {
			for _, m := range mixes {
				like := timed{Family: f, Members: 1000, Listed: m.Name}
				if find(r.Timed, name, like) == nil {
					t.Errorf("%s, %s, %s: no time", name, f, m.Name)
				}
				if find(r.Live, name, like) == nil {
					t.Errorf("%s, %s, %s: no time of live frames", name, f, m.Name)
				}
			}
		}
		drop := timed{Family: f, Members: 1000, Listed: "all"}
		if d, p := find(r.Live, bareDrop, drop), find(r.Live, barePass, drop); d.Received < 0.99 ||
			p.Received <= 0 {
			t.Errorf("%s: %v of the frames that are dropped come in, and %v of the others", f,
				d.Received, p.Received)
		}
	}
	lists := 0
	for _, l := range r.Lists {
		if l.Asked == 0 {
			continue // of a command
		}
		lists++
		filters := l.Subject == nameFilter || strings.Contains(l.Subject, "Bloom")
		if l.Missed > 0 != (l.Subject == "BPF LRU hash") || l.Bytes == 0 || l.Load <= 0 ||
			!filters && l.Dropped > 0 || l.Dropped > l.Asked/20 {
			t.Errorf("%+v", l)
		}
	}
	if want := len(families) * len(names[3:]); lists != want {
		t.Errorf("%d lists, want %d", lists, want)
	}
	charttest.TextsHaveRoom(t, r.picture())
}

// A recording with a number that no run has is refused, and so is one of another schema.
func TestMalformed(t *testing.T) {
	good := func() *found {
		return &found{
			Run:   recording.Run{Schema: recording.Schema},
			Lists: []list{{Subject: "x", Members: 1, Bytes: 1}},
			Timed: []timed{{Subject: "x", Family: ipv4, Listed: "all", Least: 1, Median: 1}},
		}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for i, spoil := range []func(r *found){
		func(r *found) { r.Timed = nil },
		func(r *found) { r.Lists = nil },
		func(r *found) { r.Timed[0].Least = 0 },
		func(r *found) { r.Timed[0].Median = 0.5 },
		func(r *found) { r.Timed[0].Listed = "half" },
		func(r *found) { r.Timed[0].Family = "IPX" },
		func(r *found) { r.Live = []timed{{}} },
		func(r *found) { r.Lists[0].Members = 0 },
		func(r *found) { r.Lists[0].Dropped = 1 },
	} {
		r := good()
		if spoil(r); !errors.As(r.Check(), new(*result.FormatError)) {
			t.Errorf("%d: %v", i, r.Check())
		}
	}
}

// Addresses differ, and as many sources are listed as a mix says.
func TestSources(t *testing.T) {
	for _, f := range families {
		listed, unlisted := addresses(f, 3000, 5000)
		seen := map[address]bool{}
		for _, a := range slices.Concat(listed, unlisted) {
			ip := a.addr(f)
			if seen[a] || !ip.IsValid() || ip.IsMulticast() || ip.IsLoopback() ||
				ip.Is4() != (f == ipv4) {
				t.Fatalf("%v, or again", a.addr(f))
			}
			seen[a] = true
		}
		for _, m := range mixes {
			counts := map[address]int{}
			hits := 0
			for _, a := range m.draw(4000, listed, unlisted) {
				counts[a]++
				if slices.Contains(listed, a) {
					hits++
				}
			}
			if hits != int(4000*m.Listed) || len(counts) < 3000 {
				t.Errorf("%s, %s: %d hits among %d sources", f, m.Name, hits, len(counts))
			}
		}
	}
}

// What is better than our filter is said, and nothing else.
func TestWins(t *testing.T) {
	r := &found{Config: config{Members: []int{10}}}
	for i, ns := range []float64{100, 94, 96, 1} {
		name := []string{nameFilter, "A", "B", bareDrop}[i]
		all := []float64{100, 101, 50, 1}[i] // of which nothing is said
		r.Timed = append(r.Timed, timed{name, ipv4, 10, "1 %", ns, ns, 0},
			timed{name, ipv4, 10, "all", all, all, 0})
	}
	r.Lists = []list{
		{nameFilter, ipv4, 10, 100, 50, 1000, 10, 0}, {"A", ipv4, 10, 100, 60, 1000, 11, 0},
		{"B", ipv4, 10, 90, 10, 1000, 0, 0}, {"C", ipv4, 10, 1, 1, 0, 0, 0},
	}
	r.Timed = append(r.Timed, timed{"A", ipv6, 10, "1 %", 1, 1, 0}) // beside none of ours
	var got strings.Builder
	r.wins().Markdown(&got)
	if want := `| list | better at | IPv4, 10 members | IPv6, 10 members |
| --- | --- | ---: | ---: |
| A | a packet, ns | 94.0 against 100 | – |
| B | a member, bytes | 9.00 against 10.0 | – |
|  | others dropped, % | 0 against 1 | – |
`; got.String() != want {
		t.Errorf("%s\nwant\n%s", &got, want)
	}
}

// The committed page and its picture are what their recording says, as the command makes them
// today.
func TestCommitted(t *testing.T) {
	const committed = "../results/denylist"
	made := t.TempDir()
	study(t, "--from", committed, "--out", made)
	recordingtest.SameFiles(t, committed, made, recording.PageFile, pictureName)
	r := new(found)
	if err := recording.Load(committed, r); err != nil {
		t.Fatal(err)
	}
	measured := r.Config
	measured.Members = slices.DeleteFunc(slices.Clone(measured.Members),
		func(n int) bool { return n == longMembers })
	if fmt.Sprint(measured) != fmt.Sprint(standard) || r.Revision == "" || len(r.Notes) > 0 {
		t.Errorf("a recording of %+v at revision %q with notes %q, want the standard run of a "+
			"commit", r.Config, r.Revision, r.Notes)
	}
	for _, l := range r.Lists {
		if l.Missed > 0 && l.Subject != "BPF LRU hash" {
			t.Errorf("%s missed %d members", l.Subject, l.Missed)
		}
	}
	charttest.TextsHaveRoom(t, r.picture())
}

// The sentence about costs on the page for users is what the recording says of a million members.
func TestPageOfCosts(t *testing.T) {
	r := new(found)
	if err := recording.Load("../results/denylist", r); err != nil {
		t.Fatal(err)
	}
	above := func(subject, format string, ratio bool) string {
		var values []float64
		for _, m := range mixes {
			like := timed{Family: ipv4, Members: 1_000_000, Listed: m.Name}
			parse := find(r.Timed, bareParse, like).Least
			value := find(r.Timed, subject, like).Least - parse
			if ratio {
				value /= find(r.Timed, nameFilter, like).Least - parse
			}
			values = append(values, value)
		}
		return fmt.Sprintf(format, slices.Min(values), slices.Max(values))
	}
	bytesOf := func(subject string) float64 {
		return r.Lists[slices.IndexFunc(r.Lists, func(l list) bool {
			return l.Subject == subject && l.Family == ipv4 && l.Members == 1_000_000
		})].perMember()
	}
	want := fmt.Sprintf("At a million IPv4 addresses a look-up takes %s of a core and %.1f bytes "+
		"an address. A BPF hash takes %s times as long and %.0f bytes, an LPM trie %s times and "+
		"%.0f bytes, the kernel's own Bloom filter %s times and %.1f bytes;",
		above(nameFilter, "%.0f to %.0f ns", false), bytesOf(nameFilter),
		above("BPF hash", "%.1f to %.1f", true), bytesOf("BPF hash"),
		above("BPF LPM trie", "%.0f to %.0f", true), bytesOf("BPF LPM trie"),
		above("BPF Bloom filter, twice the size", "%.1f to %.1f", true),
		bytesOf("BPF Bloom filter, twice the size"))
	page, err := os.ReadFile("../../docs/xdp.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/xdp.md does not say %q", want)
	}
}
