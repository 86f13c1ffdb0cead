package report

import (
	"fmt"

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
			columns: []string{"", "call", "p50", "p99", "p99.9", "longest", "p50 a key", "calls", "collections"},
		}
		for _, l := range scenes.of[s] {
			call := "one key"
			if l.Form != result.FormSingle {
				call = "batch of " + count(int64(l.Batch))
			}
			t.rows = append(t.rows, []string{
				l.Name, call, duration(l.P50), duration(l.P99), duration(l.P999), duration(l.Max),
				duration(l.P50 / float64(l.Batch)), count(l.Calls), count(l.Collected),
			})
		}
		all = append(all, t)
	}
	return all
}
