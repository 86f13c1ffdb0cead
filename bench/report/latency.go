package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
)

// scene is what latencies that are held against each other share.
type scene struct {
	operation string
	lane      int
	bytes     int64
	loaded    bool
}

func sceneOf(l result.Latency) scene { return scene{l.Operation, l.Lane, l.Bytes, l.Loaded} }

func (s scene) String() string {
	load := "a quiet process"
	if s.loaded {
		load = "a process under garbage-collection load"
	}
	return fmt.Sprintf("%s, blocks of %d bits, table of %s, %s", s.operation, 8*s.lane, size(s.bytes), load)
}

func scenesOf(run *result.Run) (all ordered[scene, []result.Latency]) {
	for _, l := range run.Latencies {
		s := sceneOf(l)
		all.put(s, append(all.at(s), l))
	}
	return all
}

// latencyTables returns a table for each scene with a line for each implementation, form and batch.
func latencyTables(run *result.Run) (all []table) {
	scenes := scenesOf(run)
	for _, s := range scenes.keys {
		t := table{
			title:   s.String(),
			picture: latencyPictureName(s.operation, s.lane),
			about:   "the time of a call with all its keys, by percentile",
			labels:  2,
			columns: []string{"", "call", "p50", "p99", "p99.9", "longest", "p50 a key", "calls"},
		}
		for _, l := range scenes.of[s] {
			call := "one key"
			if l.Form != "single" {
				call = "batch of " + count(int64(l.Batch))
			}
			t.rows = append(t.rows, []string{
				l.Name, call, duration(l.P50), duration(l.P99), duration(l.P999), duration(l.Max),
				duration(l.P50 / float64(l.Batch)), count(l.Calls),
			})
		}
		all = append(all, t)
	}
	return all
}

// crossing says from which batch on the batch calls of an implementation take less time a key than
// calls of one key each, by the median.
type crossing struct {
	scene
	name   string
	single float64 // ns of the fastest call of one key, of any implementation
	batch  int     // 0 where no batch is faster
}

// crossings returns one for each implementation in each scene that has both forms.
func crossings(run *result.Run) (all []crossing) {
	scenes := scenesOf(run)
	for _, s := range scenes.keys {
		single := 0.0
		var names ordered[string, []result.Latency]
		for _, l := range scenes.of[s] {
			if l.Form == "single" {
				if single == 0 || l.P50 < single {
					single = l.P50
				}
			} else {
				names.put(l.Name, append(names.at(l.Name), l))
			}
		}
		if single == 0 {
			continue
		}
		for _, name := range names.keys {
			batches := names.of[name]
			slices.SortFunc(batches, func(a, b result.Latency) int { return cmp.Compare(b.Batch, a.Batch) })
			c := crossing{scene: s, name: name, single: single}
			for _, l := range batches { // downwards: every larger batch has to be faster too
				if l.P50/float64(l.Batch) >= single {
					break
				}
				c.batch = l.Batch
			}
			all = append(all, c)
		}
	}
	return all
}

func (c crossing) String() string {
	where := fmt.Sprintf("%s of %s in blocks of %d bits", c.name, size(c.bytes), 8*c.lane)
	if c.loaded {
		where += " under load"
	}
	if c.batch == 0 {
		return fmt.Sprintf("%s, %s: no measured batch beats calls of one key (%s)", sentence(c.operation), where, duration(c.single))
	}
	return fmt.Sprintf("%s, %s: batches of %s keys or more beat calls of one key (%s)",
		sentence(c.operation), where, count(int64(c.batch)), duration(c.single))
}

// crossingSummary folds the crossings to a line for each implementation: from the least to the
// largest batch over operations and tables.
func crossingSummary(all []crossing) (lines []string) {
	var names ordered[string, []crossing]
	for _, c := range all {
		names.put(c.name, append(names.at(c.name), c))
	}
	for _, name := range names.keys {
		var batches []int
		var never []string
		for _, c := range names.of[name] {
			if c.batch == 0 {
				never = append(never, c.operation+" of "+size(c.bytes))
			} else {
				batches = append(batches, c.batch)
			}
		}
		text := name + ", never"
		if len(batches) > 0 {
			low, high := slices.Min(batches), slices.Max(batches)
			text = fmt.Sprintf("%s, from %s", name, plural(low, "key"))
			if high > low {
				text = fmt.Sprintf("%s, from %d to %s, by operation and table", name, low, plural(high, "key"))
			}
			if len(never) > 0 {
				slices.Sort(never)
				text += ", never for " + strings.Join(slices.Compact(never), ", ")
			}
		}
		lines = append(lines, text)
	}
	return lines
}
