package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

var update = flag.Bool("update", false, "write the verdicts that depend on the seed to testdata")

// seedsFile has the values whose verdict depends on the seed, with a reason each.
const seedsFile = "testdata/seeds.tsv"

// flips returns the values of which some seeds have another verdict than the first, a line each
// without the reason, by whether two of them exclude each other.
func flips(paper *claim.Paper, seeds ...uint64) (lines []string, hard map[string]bool) {
	var runs [][]claim.Value
	for _, seed := range seeds {
		runs = append(runs, paper.Reproduce(&trials.Run{Seed: seed, Short: true},
			func(int) func() { return func() {} }).Values)
	}
	hard = map[string]bool{}
	for i, first := range runs[0] {
		var verdicts []string
		seen := map[claim.Verdict]bool{}
		for _, run := range runs {
			seen[run[i].Verdict] = true
			verdicts = append(verdicts, string(run[i].Verdict))
		}
		if len(seen) == 1 {
			continue
		}
		line := strings.Join([]string{paper.Name, first.Name, strings.Join(verdicts, ", ")}, "\t")
		lines = append(lines, line)
		hard[line] = seen[claim.Differs] && seen[claim.Reproduced]
	}
	return lines, hard
}

// With other seeds the verdicts are the same, but for those that are listed. Where seeds contradict
// each other, and do not only leave a value undecided, somebody has written the reason.
func TestSeeds(t *testing.T) {
	if os.Getenv("BLOOMLANE_SEEDS") != "full" {
		return
	}
	committed, err := os.ReadFile(seedsFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	reasons := map[string]string{} // by paper and value
	listed := map[string]bool{}
	keyOf := func(line string) string {
		cells := strings.Split(line, "\t")
		return strings.Join(cells[:min(2, len(cells))], "\t")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(committed)), "\n") {
		if at := strings.LastIndex(line, "\t"); at > 0 && !strings.HasPrefix(line, "#") {
			reasons[keyOf(line)], listed[line[:at]] = line[at+1:], true
		}
	}
	head, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("# verdicts that are not the same with the seeds 1, 2 and 3; %s at %s\n",
		time.Now().UTC().Format(time.DateOnly), strings.TrimSpace(string(head)))
	for _, paper := range papersToRun() {
		lines, hard := flips(paper, 1, 2, 3)
		for _, line := range lines {
			reason := reasons[keyOf(line)]
			if reason == "" && !hard[line] {
				reason = "too few trials to decide it with each seed"
			}
			if reason == "" {
				t.Errorf("no reason is written for\n%s", line)
			}
			if !*update && !listed[line] {
				t.Errorf("found\n%s\nwhich is not listed", line)
			}
			text += line + "\t" + reason + "\n"
		}
	}
	if *update {
		if err := os.WriteFile(seedsFile, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
