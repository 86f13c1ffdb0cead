//go:build linux

package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/packets/flows"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// commandBlocks are the commands of a page, and what it says that they print.
var commandBlocks = regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?")

// The commands of a page are run, one block after another in one folder, and print what it says.
func TestPagesOfCommands(t *testing.T) {
	for page, keys := range map[string][]string{
		"files": {"users.blm.key", "shards.key", "users-2.blm.key"},
		"churn": nil,
	} {
		t.Run(page, func(t *testing.T) {
			s := newShell(t)
			if err := os.Symlink(executable(t), s.path("bloomlane")); err != nil {
				t.Fatal(err)
			}
			for i, name := range keys { // in place of random ones, under which figures differ
				key := []byte(fixedKey)
				if i == len(keys)-1 {
					key[0] = '1'
				}
				s.write(name, string(key))
			}
			text, err := os.ReadFile("../../docs/" + page + ".md")
			if err != nil {
				t.Fatal(err)
			}
			blocks := commandBlocks.FindAllStringSubmatch(string(text), -1)
			if n := strings.Count(string(text), "```sh\n"); n != len(blocks) || n < 2 {
				t.Fatalf("%d blocks of %d", len(blocks), n)
			}
			for _, block := range blocks {
				c := exec.Command("sh", "-c", block[1])
				c.Dir = s.folder
				c.Env = append(os.Environ(), commandVariable+"=1",
					fmt.Sprintf("PATH=%s:%s", s.folder, os.Getenv("PATH")))
				if out, err := c.CombinedOutput(); string(out) != block[2] {
					t.Errorf("%s\nprints (%v)\n%s\nand the page says\n%s", block[1], err, out,
						block[2])
				}
			}
		})
	}
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The two tables of docs/packets.md: a row for each traffic.
func TestFlowsOfThePage(t *testing.T) {
	if testing.Short() {
		return
	}
	s := traces(t)
	for name, flags := range map[string]string{
		"captured": "", "synthesised": " --synthesise 100000 --density 10",
		"in waves": " --synthesise 100000 --density 10 --waves 3",
	} {
		r := reported[flows.Report](s, exitYes, "", "flows @cip.pcap"+flags)
		rates := fmt.Sprintf("| %s | %s | %s |", name, quantity.Count(r.Traffic.Flows),
			quantity.Count(int(math.Round(r.Traffic.Mean))))
		for _, f := range r.Totals {
			digits := 0 // two of them count
			for scale := 100 * f.Worst.Rate; scale < 9.95; scale *= 10 {
				digits++
			}
			rates += fmt.Sprintf(" %.*f |", digits, 100*f.Worst.Rate)
		}
		g := r.Totals[len(r.Totals)-1].Growth
		memory := fmt.Sprintf("| %s | %s | %s | %s, %s | %d, %d |", name,
			quantity.Count(r.Plan.Bytes), quantity.Count(g.Mean.Bytes),
			quantity.Count(g.Peak.Bytes-g.Peak.Lists), quantity.Count(g.Peak.Lists), g.Grew,
			g.Shrank)
		onPacketsPage(t, rates+"\n", memory+"\n")
		use := "refresh"
		if name == "captured" {
			use = "insert-only"
		}
		if r.Advice == nil || r.Advice.Use != use {
			t.Errorf("%s: the advice is %+v, and docs/packets.md says %s", name, r.Advice, use)
		}
		if name == "synthesised" {
			onPacketsPage(t, fmt.Sprintf("passes 1 %% after %.3g turnovers of the synthesised",
				r.Totals[1].Worst.Until))
		}
	}
}
