package goroutines

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/progress"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// mix is what a goroutine does: a share of its calls write, which are inserts, or deletes as many
// as inserts.
type mix struct {
	Writes  int  `json:"writes_percent"`
	Deletes bool `json:"deletes"`
}

func (m mix) String() string {
	if m.Deletes {
		return fmt.Sprintf("%d %% inserts and deletes", m.Writes)
	}
	return fmt.Sprintf("%d %% inserts", m.Writes)
}

var mixes = []mix{{0, false}, {10, false}, {50, false}, {100, false}, {10, true},
	{50, true}, {100, true}}

// timed is the time of a subject.
type timed struct {
	Subject    string `json:"subject"`
	Keys       int    `json:"keys_per_call"`
	Bytes      int64  `json:"bytes"`
	Goroutines int    `json:"goroutines"`
	mix
	// the elapsed time by the keys of all goroutines; 0: they never ran together
	Least float64 `json:"least_ns"`
}

// run is what a run found, as its JSON has it.
type run struct {
	result.Machine
	Rounds int     `json:"rounds"`
	Timed  []timed `json:"timed"`
}

// size is a size of filters, and how many keys a goroutine does in a round.
type size struct {
	bytes int64
	keys  int
}

// Command returns the command.
func Command() *cobra.Command {
	var brief, asJSON bool
	cmd := &cobra.Command{
		Use:   "goroutines",
		Short: "Time filters that goroutines share, by the share of writes",
		Long: `Time filters that goroutines share: filter/sharded, a deletable filter behind a lock,
and other libraries' filters. The tables have ns per key: the elapsed time by the keys of all
goroutines, the least of many slices in which all of them ran. It takes some minutes.

A filter has 16 bits per key, and at most half of its members at the start. Each goroutine has keys
of its own to insert and delete, and queries members and as many non-members.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sizes, rounds := []size{{256 << 10, 1 << 15}, {16 << 20, 1 << 17}}, 16
			if brief {
				sizes, rounds = []size{{64 << 10, sliceOf(batch)}}, 2
			}
			r := &run{Machine: measure.Machine(), Rounds: rounds}
			r.measure(sizes, cmd.ErrOrStderr())
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			}
			return r.page(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&brief, "quick", false, "take seconds: small filters")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON in place of the tables")
	return cmd
}

func (r *run) measure(sizes []size, stderr io.Writer) {
	counts := []int{1, max(2, runtime.GOMAXPROCS(0))}
	all := subjects()
	bar := progress.Start(stderr, "goroutines", int64(len(sizes)*len(counts)*len(mixes)), "")
	defer bar.Done()
	for _, size := range sizes {
		members := int(size.bytes * 8 / bitsPerKey)
		for _, goroutines := range counts {
			work := newWork(members, goroutines, size.keys)
			for _, mix := range mixes {
				results := make([]timed, 0, len(all))
				for round := range r.Rounds {
					for i, s := range all {
						f := s.make(members)
						if mix.Deletes && f.remove == nil {
							continue
						}
						ns := work.time(f, s.keys, mix)
						place := slices.IndexFunc(results,
							func(t timed) bool { return t.Subject == s.name && t.Keys == s.keys })
						if round == 0 {
							results = append(results,
								timed{all[i].name, s.keys, size.bytes, goroutines, mix, ns})
						} else {
							results[place].Least = least(results[place].Least, ns)
						}
					}
				}
				r.Timed = append(r.Timed, results...)
				bar.Add(1)
			}
		}
		debug.FreeOSMemory()
	}
}

// mostMembers is the most members that are in from the start: of a large filter they touch every
// page.
const mostMembers = 1 << 18

// least returns the lesser of two times, of which 0 is none.
func least(a, b float64) float64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// work is the hashes of goroutines.
type work struct {
	members []uint64   // that are in from the start
	insert  [][]uint64 // for each goroutine
	query   [][]uint64 // half of it members
}

func newWork(members, goroutines, keys int) *work {
	rng := rand.New(rand.NewPCG(1, 1))
	fill := func(n int) []uint64 {
		all := make([]uint64, n)
		for i := range all {
			all[i] = rng.Uint64()
		}
		return all
	}
	keys = max(sliceOf(batch), min(keys, members/2/goroutines))
	w := &work{members: fill(min(members/2, mostMembers))}
	for range goroutines {
		w.insert = append(w.insert, fill(keys))
		query := fill(keys)
		for i := range query {
			if rng.IntN(2) == 0 {
				query[i] = w.members[rng.IntN(len(w.members))]
			}
		}
		w.query = append(w.query, query)
	}
	return w
}

// sliceOf returns the number of keys of a goroutine that are timed at once: few enough
// that a slice is seldom interrupted, and enough that each slice has a mix's share of inserts and
// of deletes.
func sliceOf(keys int) int { return max(2000, 20*keys) }

// time returns the ns per key of a new filter, which all goroutines use: the least of the slices
// that they all worked on for three quarters of the time at least. It is 0 where there was none,
// because others had the cores.
func (w *work) time(f shared, keys int, m mix) float64 {
	for start := 0; start+keys <= len(w.members); start += keys {
		f.insert(w.members[start : start+keys])
	}
	runtime.GC()
	goroutines, slice := len(w.query), sliceOf(keys)
	slices := len(w.query[0]) / slice
	begun, start := make([]atomic.Int64, slices), time.Now()
	begin, end := make([][]time.Duration, goroutines), make([][]time.Duration, goroutines)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			own := worker{insert: w.insert[g], query: w.query[g]}
			for i := range slices {
				begun[i].Add(1)
				for spins := 0; begun[i].Load() < int64(goroutines); spins++ {
					if spins > 1000 {
						runtime.Gosched()
					}
				}
				begin[g] = append(begin[g], time.Since(start))
				own.do(f, keys, slice, m)
				end[g] = append(end[g], time.Since(start))
			}
		})
	}
	all.Wait()
	least := time.Duration(0)
	for i := range slices {
		first, last, allFrom, allTo := begin[0][i], end[0][i], begin[0][i], end[0][i]
		for g := range goroutines {
			first, last = min(first, begin[g][i]), max(last, end[g][i])
			allFrom, allTo = max(allFrom, begin[g][i]), min(allTo, end[g][i])
		}
		together := allTo-allFrom >= (last-first)*3/4
		if together && (least == 0 || last-first < least) {
			least = last - first
		}
	}
	return float64(least) / float64(goroutines*slice)
}

// worker is how far a goroutine has come with its hashes.
type worker struct {
	insert, query                    []uint64
	queried, inserted, deleted, turn int
}

// do does a number of keys. It returns how many queries were answered with yes.
func (w *worker) do(f shared, keys, n int, m mix) (present int) {
	for ; n > 0; n -= keys {
		if w.turn += m.Writes; w.turn < 100 {
			present += f.query(w.query[w.queried : w.queried+keys])
			w.queried += keys
			continue
		}
		w.turn -= 100
		if m.Deletes && w.deleted < w.inserted {
			f.remove(w.insert[w.deleted : w.deleted+keys])
			w.deleted += keys
		} else {
			f.insert(w.insert[w.inserted : w.inserted+keys])
			w.inserted += keys
		}
	}
	return present
}

// page writes the tables: one a size.
func (r *run) page(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s), %s", r.CPU, quantity.Of(r.Cores, "core"), r.Go)
	if r.Revision != "" {
		fmt.Fprintf(&text, ", revision %s", r.Revision)
	}
	fmt.Fprintf(&text, ", %s: ns per key, the least of the slices of %d rounds.\n",
		r.Date, r.Rounds)
	for size, part := range pivot.Groups(r.Timed,
		func(t timed) string { return quantity.Bytes(t.Bytes) }) {
		slices.SortStableFunc(part, func(a, b timed) int { return a.order() - b.order() })
		fmt.Fprintf(&text, "\n%s\n\n", size)
		t := pivot.Figures("filter|keys per call|goroutines", part,
			func(t timed) string { return t.Subject },
			func(t timed) string { return fmt.Sprint(t.Keys) },
			func(t timed) string { return fmt.Sprint(t.Goroutines) },
			func(t timed) string { return t.mix.String() }, timed.ns)
		t.Labels = 1
		t.Markdown(&text)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// order is the place of a filter in the tables.
func (t timed) order() int {
	return slices.IndexFunc(subjects(),
		func(s subject) bool { return s.name == t.Subject && s.keys == t.Keys })
}

// ns is the time, if there is one.
func (t timed) ns() string {
	if t.Least == 0 {
		return pivot.Dash
	}
	return fmt.Sprintf("%.3g", t.Least)
}
