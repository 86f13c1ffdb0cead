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

// seedsFile has the claims whose verdict depends on the seed, with a reason each.
const seedsFile = "testdata/seeds.tsv"

// flips returns the claims of which some seeds have another verdict than the first, a line each
// without the reason, by whether two of them exclude each other.
func flips(
	t *testing.T,
	paper *claim.Paper,
	seeds ...uint64,
) (lines []string, hard map[string]bool) {
	t.Helper()
	var runs [][]outcome
	for _, seed := range seeds {
		found, err := paper.Reproduce(&trials.Run{Seed: seed, Short: true},
			func(int) func() { return func() {} })
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, outcomes(found))
	}
	hard = map[string]bool{}
	for i, first := range runs[0] {
		var verdicts []string
		seen := map[claim.Verdict]bool{}
		for _, run := range runs {
			seen[run[i].verdict] = true
			verdicts = append(verdicts, run[i].text)
		}
		if len(seen) == 1 {
			continue
		}
		line := strings.Join([]string{paper.Name, first.name, strings.Join(verdicts, ", ")}, "\t")
		lines = append(lines, line)
		hard[line] = seen[claim.Differs] && (seen[claim.Reproduced] || seen[claim.InTrend])
	}
	return lines, hard
}

// outcome is the verdict on a value or a claim, which a name tells from the others of its paper.
type outcome struct {
	name, text string
	verdict    claim.Verdict
}

func outcomes(found claim.Found) (all []outcome) {
	for _, v := range found.Values {
		name := strings.Join([]string{v.Name, "", "", ""}, "\t")
		all = append(all, outcome{name, string(v.Verdict), v.Verdict})
	}
	for _, c := range found.Claims {
		text := string(c.Verdict)
		if c.Measured != nil {
			text += fmt.Sprintf(" (%.4g to %.4g)", *c.Low, *c.High)
		}
		if !c.Point {
			name := strings.Join([]string{c.Item, c.Quantity, c.Parameters.List("=", "; "),
				c.Reading}, "\t")
			all = append(all, outcome{name, text, c.Verdict})
		}
	}
	return all
}

// With other seeds the verdicts are the same, but for those that are listed. Where seeds contradict
// each other, and do not only leave a claim undecided, somebody has written the reason.
func TestSeeds(t *testing.T) {
	if os.Getenv("BLOOMLANE_SEEDS") != "full" {
		return
	}
	committed, err := os.ReadFile(seedsFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	reasons := map[string]string{} // by paper, item, quantity, parameters and reading
	listed := map[string]bool{}
	keyOf := func(line string) string {
		cells := strings.Split(line, "\t")
		return strings.Join(cells[:min(5, len(cells))], "\t")
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
		lines, hard := flips(t, paper, 1, 2, 3)
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
