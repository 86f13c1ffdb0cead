package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/quantity"
)

// denyLists is of the recording of a study that has left the tree: times of packets, alone and
// through a pair of interfaces, and lists.
type denyLists struct {
	Revision    string
	Timed, Live []struct {
		Subject, Family, Listed string
		Members                 int
		Least                   float64 `json:"least_ns"`
	}
	Lists []struct {
		Subject, Family string
		Members, Bytes  int
	}
}

func loadDenyLists(t *testing.T) *denyLists {
	t.Helper()
	r := new(denyLists)
	err := json.Unmarshal([]byte(read(t, ofStudies, "denylist", "denylist.json")), r)
	if err != nil || len(r.Timed) == 0 || len(r.Live) == 0 || len(r.Lists) == 0 {
		t.Fatalf("%d times, %d of frames, %d lists (%v)", len(r.Timed), len(r.Live), len(r.Lists),
			err)
	}
	return r
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page of deny lists has the times of its recording.
func TestDenyListsPage(t *testing.T) {
	r, page := loadDenyLists(t), read(t, ofStudies, "denylist", "README.md")
	if r.Revision == "" || !strings.Contains(page, "revision "+r.Revision) {
		t.Errorf("the page is not of revision %q", r.Revision)
	}
	for i, timed := range slices.Concat(r.Timed, r.Live) {
		heading := fmt.Sprintf("\n### %s, %s members\n", timed.Family,
			quantity.Count(timed.Members))
		if i >= len(r.Timed) {
			heading = "\n### Frames of " + timed.Family + "\n"
		}
		_, section, _ := strings.Cut(page, heading)
		_, row, _ := strings.Cut(section, "\n| "+timed.Subject+" ")
		cells := strings.Split(row, "|") // from the padding of the name on, two for each time
		place := 1 + 2*slices.Index([]string{"none", "1 %", "all"}, timed.Listed)
		if got, want := strings.TrimSpace(cells[min(place, len(cells)-1)]),
			quantity.Digits(timed.Least); got != want {
			t.Errorf("%s %s takes %q with %s listed, want %q", heading, timed.Subject, got,
				timed.Listed, want)
		}
	}
}

// The sentence about costs on the page for users is what the recording says of a million members.
func TestDenyListsCosts(t *testing.T) {
	r := loadDenyLists(t)
	times := func(subject string) (all []float64) {
		for _, timed := range r.Timed {
			if timed.Subject == subject && timed.Family == "IPv4" && timed.Members == 1_000_000 {
				all = append(all, timed.Least)
			}
		}
		return all
	}
	bare, filter := times("bare parse"), times("bloomlane, filter")
	cost := func(subject, format string) string {
		costs := times(subject)
		for i := range costs {
			if costs[i] -= bare[i]; subject != "bloomlane, filter" {
				costs[i] /= filter[i] - bare[i]
			}
		}
		for _, l := range r.Lists {
			if l.Subject == subject && l.Family == "IPv4" && l.Members == 1_000_000 {
				return fmt.Sprintf(format, slices.Min(costs), slices.Max(costs),
					float64(l.Bytes)/float64(l.Members))
			}
		}
		return "no list of " + subject
	}
	want := "At a million IPv4 addresses a look-up takes " +
		cost("bloomlane, filter", "%.0f to %.0f ns of a core and %.1f bytes an address. ") +
		cost("BPF hash", "A BPF hash takes %.1f to %.1f times as long and %.0f bytes, ") +
		cost("BPF LPM trie", "an LPM trie %.0f to %.0f times and %.0f bytes, ") +
		cost("BPF Bloom filter, twice the size",
			"the kernel's own Bloom filter %.1f to %.1f times and %.1f bytes;")
	page := strings.Join(strings.Fields(read(t, "..", "..", "docs", "xdp.md")), " ")
	if !strings.Contains(page, want) {
		t.Errorf("docs/xdp.md does not say %q", want)
	}
}

// What choosing.md quotes about filters that grow is on the page that their study left.
func TestGrowthQuoted(t *testing.T) {
	page := read(t, ofStudies, "growth", "README.md")
	_, row, found := strings.Cut(read(t, "..", "..", "docs", "choosing.md"), "| filter/elastic | 88.5 | ")
	row, _, _ = strings.Cut(row, " |\n")
	numbers := strings.Split(row, " | ")
	if !found || len(numbers) != 4 {
		t.Fatalf("%q is quoted, want a rate, two times and what was before", row)
	}
	of := ""
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| elastic | 1") {
			of += line
		}
	}
	for _, number := range []string{numbers[0], numbers[2]} {
		if !strings.Contains(of, " "+number+" |") {
			t.Errorf("%s of filter/elastic is not on the page", number)
		}
	}
}
