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
