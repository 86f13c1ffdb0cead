// Package trials is no API: it runs the trials of a simulation on all cores. The same seed gives
// the same numbers on any number of cores.
package trials

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// Run is what all simulations of a run have in common. It remembers the results of
// trials: see [Recall].
type Run struct {
	Seed  uint64
	Short bool // take as few trials as the verdicts need

	known map[simulation]any // what is made of their results
}

// Times is how many trials there are: as many as are given first, or second in a short run.
func (r *Run) Times(full, short int) int {
	if r.Short {
		return short
	}
	return full
}

// simulation is the trials of a name.
type simulation struct {
	name, subject string
	n             int
}

// Recall returns the results of Each, and remembers them: the name says all the parameters of the
// trials. A program calls it for a run at one time once, and leaves the results as they are.
func Recall[T any](r *Run, name string, n int, trial func(rng *rand.Rand) T) []T {
	return RecallOf(r, name, "", n, trial)
}

// RecallOf is Recall of trials that have the random numbers of all others of the name, and a
// subject of their own: subjects are compared under the same circumstances.
func RecallOf[T any](
	r *Run,
	name, subject string,
	n int,
	trial func(rng *rand.Rand) T,
) []T {
	return Remember(r, name, subject, n, func() []T { return Each(r, name, n, trial) })
}

// Remember returns what is made of n trials of a name and a subject, and remembers it.
func Remember[T any](r *Run, name, subject string, n int, make func() T) T {
	key := simulation{name, subject, n}
	if known, found := r.known[key]; found {
		return known.(T)
	}
	made := make()
	if r.known == nil {
		r.known = map[simulation]any{}
	}
	r.known[key] = made
	return made
}

// Each returns the results of n trials, in their order. Each has random numbers of its own, which
// depend on the seed, the name of the simulation and the trial's number. A panic of one is that of
// the caller.
func Each[T any](r *Run, name string, n int, trial func(rng *rand.Rand) T) []T {
	results := make([]T, n)
	stream := fnv.New128a()
	stream.Write([]byte(name))
	var next atomic.Int64
	var workers sync.WaitGroup
	var failure atomic.Pointer[any]
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			defer func() {
				if found := recover(); found != nil {
					failure.Store(&found)
				}
			}()
			source := rand.NewChaCha8([32]byte{})
			rng := rand.New(source)
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				seed := binary.LittleEndian.AppendUint64(nil, r.Seed)
				seed = binary.LittleEndian.AppendUint64(seed, uint64(i))
				source.Seed([32]byte(stream.Sum(seed)))
				results[i] = trial(rng)
			}
		})
	}
	workers.Wait()
	if found := failure.Load(); found != nil {
		panic(*found)
	}
	return results
}

// Column returns one number of each result.
func Column[T any](results []T, of func(*T) float64) []float64 {
	column := make([]float64, len(results))
	for i := range results {
		column[i] = of(&results[i])
	}
	return column
}
