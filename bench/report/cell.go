package report

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// cell is a figure of a report: a subject, in the conditions of its group.
type cell struct {
	in        Recording
	bestPages string // of the run
	result.Group
	result.Subject
}

const fastestFloor = "fastest floor"

// cells returns the subjects of recordings in the order of the runs: of the floors of a group the
// fastest, which is the first.
func cells(in ...Recording) (all []cell) {
	for _, r := range in {
		best := bestPages(r.Groups)
		for _, g := range r.Groups {
			if floor, ok := g.Fastest(result.Floor); ok {
				floor.Name = fastestFloor
				all = append(all, cell{r, best, g, floor})
			}
			for _, s := range g.Subjects {
				if s.Kind != result.Floor {
					all = append(all, cell{r, best, g, s})
				}
			}
		}
	}
	return all
}

// in returns the cells of a form.
func in(form string, all []cell) []cell {
	return pivot.Where(all, func(c cell) bool { return c.Form == form })
}

// besideBytes is the length of the keys of bytes on which filters are compared.
const besideBytes = "16"

// alone returns the cells of hashes without peers, and compare those with peers of which something
// is equal, whose keys are of besideBytes or hashes.
func alone(all []cell) []cell { return compare(all, "", false) }

func compare(all []cell, against string, bytes bool) []cell {
	of := map[bool]string{true: besideBytes}[bytes]
	return pivot.Where(all, func(c cell) bool { return c.Against == against && c.KeyBytes == of })
}

// side is filters beside peers: what is equal, and whether keys are of bytes.
type side struct {
	against string
	bytes   bool
}

var sides = []side{{result.AtEqualBits, false}, {result.AtEqualBits, true},
	{result.AtEqualRate, false}, {result.AtEqualRate, true}}

// String says how filters stand beside peers.
func (s side) String() string {
	text := map[string]string{result.AtEqualBits: "with as many bits per key",
		result.AtEqualRate: "at the same rate of false positives"}[s.against]
	if s.bytes {
		text += ", with keys of bytes"
	}
	return text
}

// what is the operation, and of a query what is asked for.
func (c cell) what() string {
	if c.Keys != "" {
		return c.Operation + " (" + c.Keys + ")"
	}
	return c.Operation
}

// pictured are the operations of tables that have few.
var pictured = []string{"query (mixed)", "delete", "insert"}

// isPictured says that tables of few operations have it, and isOtherQuery that all tables have
// another query in its place.
func (c cell) isPictured() bool   { return slices.Contains(pictured, c.what()) }
func (c cell) isOtherQuery() bool { return c.Operation == "query" && !c.isPictured() }

func (c cell) name() string      { return c.Name }
func (c cell) operation() string { return c.Operation }
func (c cell) keyBytes() string  { return c.KeyBytes }
func (c cell) machine() string   { return c.in.Name }
func (c cell) time() string      { return quantity.Digits(c.Least) }

// block is the size of a block, empty where none is given.
func (c cell) block() string {
	if c.BlockBits == 0 {
		return ""
	}
	return fmt.Sprintf("%d bits", c.BlockBits)
}

// keys are what an operation is given.
func (c cell) keys() string {
	if c.KeyBytes == "" {
		return "hashes"
	}
	return c.KeyBytes + " bytes"
}

// size is what a column of times stands for: the size of the table, or a number of masks.
func (c cell) size() string {
	if c.Masks > 0 {
		return quantity.Of(c.Masks, "mask")
	}
	return quantity.Bytes(c.Bytes)
}

// overFloor is the time, and as a multiple of the floor.
func (c cell) overFloor() string {
	if ratio := c.ToFloor(c.Subject); ratio > 0 && c.Kind == result.Implementation {
		return c.time() + " (" + times(ratio) + ")"
	}
	return c.time()
}

// onBestPages says that the run has no other kind of pages that readers should see before.
func (c cell) onBestPages() bool { return c.Pages == c.bestPages }

// bestPages is the first kind of pages that a run has.
func bestPages(groups []result.Group) string {
	for _, pages := range []string{"huge", "default", "4KiB"} {
		if slices.ContainsFunc(groups, func(g result.Group) bool { return g.Pages == pages }) {
			return pages
		}
	}
	return ""
}

// times writes a factor.
func times(factor float64) string { return quantity.Digits(factor) + "x" }
