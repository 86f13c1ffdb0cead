package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// architectures are those that have assembly. The table of machines has a row for one of which
// there is no machine.
var architectures = []string{"amd64", "arm64"}

// machineFigures have the machines, and the times of batches by the best implementation of each.
func machineFigures(all []Recording) *pivot.Table {
	all = pivot.Where(all, func(r Recording) bool { return !r.onlyHashes() })
	t := pivot.Rows("machine|CPU|assembly|query|insert|delete|from keys: query|commit", all,
		func(r Recording) []string {
			implementation := ""
			if len(r.Implementations) > 0 {
				implementation = r.Implementations[0]
			}
			rows := append(pivot.Where(besideRows(r, nil),
				func(row besideRow) bool { return row.name == ourFilter }), besideRow{})
			c, batches := r.CacheBytes, r.batches()
			return []string{r.Name, fmt.Sprintf("%s, %s, caches %s, %s, %s",
				strings.ReplaceAll(r.CPU, "(R)", ""), quantity.Of(r.Cores, "core"), cache(c.L1),
				cache(c.L2), cache(c.L3)), implementation, batches.both(pictured[0]),
				batches.both("insert"), batches.both("delete"), rows[0].both(pictured[0]),
				fmt.Sprintf("%.7s", r.Revision)}
		})
	for _, name := range architectures {
		if !slices.ContainsFunc(all,
			func(r Recording) bool { return strings.HasSuffix(r.Platform, "/"+name) }) {
			t.Rows = append(t.Rows, []string{"none yet", name})
		}
	}
	t.Labels, t.Words = 3, 1
	var memory []string
	for _, r := range all {
		memory = append(memory, quantity.Bytes(r.inMemory()))
	}
	slices.Sort(memory)
	return t.Titled("Machines", fmt.Sprintf("ns per key of batches of ready hashes in a cache / "+
		"in memory (tables of %s / %s), and of queries from keys of 16 bytes",
		quantity.Bytes(cacheBytes), strings.Join(slices.Compact(memory), " or ")))
}

// onlyHashes says that a recording is of hashes of keys and of nothing else.
func (r Recording) onlyHashes() bool {
	return len(r.Groups) > 0 && !slices.ContainsFunc(r.Groups,
		func(g result.Group) bool { return g.Operation != hashing })
}

// batches has the times of the batches of the best implementation, on blocks of 512 bits.
func (r Recording) batches() besideRow {
	row := besideRow{times: map[besideColumn]float64{}}
	memory := r.inMemory()
	for _, c := range bestBatches(cells(r)) {
		if c.Bytes == cacheBytes || c.Bytes == memory {
			row.times[besideColumn{c.what(), c.Bytes == memory}] = c.Least
		}
	}
	return row
}

// bestBatches returns the cells of the batches of each machine's best implementation, on blocks of
// 512 bits.
func bestBatches(all []cell) []cell {
	return pivot.Where(in(result.FormBatch, alone(all)), func(c cell) bool {
		return c.BlockBits == 512 && c.onBestPages() && c.isPictured() &&
			slices.Index(c.in.Implementations, c.Name) == 0
	})
}

// TakeError says why a recording is not taken in.
type TakeError struct{ Found, Expected string }

func (e *TakeError) Error() string {
	return fmt.Sprintf("take: found %s, expected %s", e.Found, e.Expected)
}

// machineName is the form of the names of machines: they are folders, and stand in links.
var machineName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// leastRounds are those with which a comparison can be decided.
const leastRounds = 8

// Take takes a recording in under the name of its machine: it writes the recording and its page
// into a folder of the given one. A recording of the same machine that is there is
// replaced. Of what is refused nothing is written: the error is a *[TakeError], or that of [Read].
func Take(results, name, file string) error {
	const longest = 40
	if !machineName.MatchString(name) || len(name) > longest {
		return &TakeError{fmt.Sprintf("the name %.50q", name),
			fmt.Sprintf("at most %d small letters, digits and dashes between them", longest)}
	}
	run, _, err := Read(file)
	if err != nil {
		return err
	}
	r, folder := Recording{Name: name, Run: run}, filepath.Join(results, name)
	if there, _, err := Read(folder); err == nil && there.CPU != run.CPU {
		return &TakeError{fmt.Sprintf("a recording of %.80q", run.CPU),
			fmt.Sprintf("one of %.80q, as in %s", there.CPU, folder)}
	}
	if run.Revision == "" || strings.Contains(run.Revision, "modified") {
		return &TakeError{fmt.Sprintf("the commit %.80q", run.Revision),
			"that of a clean checkout, as make bench records it"}
	}
	batches := r.batches()
	for _, operation := range pictured {
		if batches.both(operation) == "" && !r.onlyHashes() {
			return &TakeError{"no batches of " + operation, "tables of " +
				quantity.Bytes(cacheBytes) + " and " + quantity.Bytes(r.inMemory())}
		}
	}
	for _, c := range append(bestBatches(cells(r)), ofHashing(cells(r))...) {
		if c.Rounds < leastRounds {
			return &TakeError{quantity.Of(c.Rounds, "round") + " of " + c.what(),
				fmt.Sprintf("%d or more, as in a run without --quick", leastRounds)}
		}
	}
	return Write(folder, run)
}
