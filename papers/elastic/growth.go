package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// peaks are the relative peak data sizes: members, as a multiple of those to begin with.
var peaks = []int{1, 2, 4, 8, 16, 32, 64}

// place is what a subject has with some members: its rate, the bits that a query of a non-member
// reads, the bits and buckets of an insert, expansions too, and of a delete, and how many deletes
// of members are made.
type place struct{ rate, reads, insert, delete, deleted float64 }

// grow inserts members, and returns what a subject has at some numbers of them.
func grow(rng *rand.Rand, s subject, deletes bool, sizes []int) (all []place) {
	const sampled, churned = 2000, 200
	var members []uint64
	accessed := func(f func()) (fast, slow float64) {
		before := s.accesses()
		f()
		after := s.accesses()
		return float64(after.Fast - before.Fast),
			float64(after.Slow - before.Slow + after.Moved - before.Moved)
	}
	inserts := 0.0
	for _, n := range sizes {
		fast, slow := accessed(func() {
			for len(members) < n {
				members = append(members, rng.Uint64())
				s.insert(members[len(members)-1])
			}
		})
		inserts += fast + slow
		p := place{rate: s.rate(), insert: inserts / float64(n)}
		p.reads, _ = accessed(func() {
			for range sampled {
				s.query(rng.Uint64())
			}
		})
		p.reads /= sampled
		for range churned {
			if !deletes {
				break
			}
			fast, slow := accessed(func() {
				if s.churn(members[rng.IntN(n)]) {
					p.deleted += 1. / churned
				}
			})
			p.delete += (fast + slow) / churned
		}
		all = append(all, p)
	}
	return all
}

// sizesOf are the logarithm of the bits to begin with, and the members of Figs. 3 and 5. The
// paper's are eight times these, or more.
func sizesOf(run *trials.Run) (log int, members []int) {
	log = number(run, logBits, 11)
	for _, peak := range peaks {
		members = append(members, peak<<log/16)
	}
	return log, members
}

// grown is the growth of a subject from a size.
func grown(run *trials.Run, seeds, name string, log int, members []int) [][]place {
	which := slices.Index(subjects, name)
	return trials.Recall(run, fmt.Sprint(seeds, log, which, members), 8,
		func(rng *rand.Rand) []place {
			return grow(rng, newSubject(name, log, members[len(members)-1]),
				slices.Contains(deleters, name), members)
		})
}

// curve returns the points of a subject: a number of each place, and what is expected of it.
func curve(
	run *trials.Run,
	name string,
	panel int,
	mean func([]float64) claim.Interval,
	of func(place) float64,
	expected func(rate, reads float64) float64,
) (cells []claim.Cell) {
	log, members := sizesOf(run)
	all := grown(run, "growth ", name, log, members)
	for i, peak := range peaks {
		numbers := trials.Column(all, func(p *[]place) float64 { return of((*p)[i]) })
		c := claim.Cell{Row: name, X: float64(peak), Panel: panel, Interval: mean(numbers)}
		if expected != nil {
			s := newSubject(name, log, members[len(members)-1])
			c.Formula = new(expected(s.expected(members[i])))
		}
		cells = append(cells, c)
	}
	return cells
}

func doublings(x, _ *plot.Axis) { chart.Logarithmic(quantity.Number, x) }

func figure3(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Figure 3: rates as filters grow", Where: `section 5.2: "our EBF is the ` +
		`best"`, Formula: meanField, Trial: growing20,
		Panels: []claim.Panel{{X: "peak data size", Y: "false positives", Log: true,
			Axes: doublings}}}
	for _, name := range subjects {
		v.Cells = append(v.Cells, curve(run, name, 0, claim.MeanShare,
			func(p place) float64 { return p.rate },
			func(rate, _ float64) float64 { return rate })...)
	}
	return v
}

func figure4(run *trials.Run) claim.Value {
	members := 1 << number(run, 18, 14) / 16
	v := claim.Value{Name: "Figure 4: rates at last, by the first size", Formula: meanField,
		Where: `section 5.2: "the EBF is the best for all initial memory sizes"`,
		Trial: growing20, Panels: []claim.Panel{{X: "log2 of the bits to begin with, per member",
			Y: "false positives", Log: true}},
		Why: "from 32 bits per member on nothing grows, and all are one Bloom filter"}
	for _, name := range subjects[:4] {
		for each := -2; each <= 6; each++ {
			log := int(math.Log2(math.Exp2(float64(each)) * float64(members)))
			all := grown(run, "initial ", name, log, []int{members})
			rate, _ := newSubject(name, log, members).expected(members)
			v.Cells = append(v.Cells, claim.Cell{Row: name, X: float64(each), Formula: &rate,
				Interval: claim.Mean(trials.Column(all,
					func(p *[]place) float64 { return (*p)[0].rate }))})
		}
	}
	return v
}

func figure5(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Figure 5: bits and buckets of operations as filters grow",
		Where: "section 5.3", Unit: claim.Number, Formula: "mean field, of the first panel",
		Trial: growing20}
	for i, panel := range []struct {
		title    string
		subjects []string
		of       func(place) float64
		expected func(rate, reads float64) float64
	}{
		{"a query of a non-member", subjects, func(p place) float64 { return p.reads },
			func(_, reads float64) float64 { return reads }},
		{"an insert, expansions too", subjects, func(p place) float64 { return p.insert }, nil},
		{"a delete", deleters, func(p place) float64 { return p.delete }, nil},
	} {
		v.Panels = append(v.Panels, claim.Panel{Title: panel.title, X: "peak data size",
			Y: "bits and buckets", Log: true, Axes: doublings})
		for _, name := range panel.subjects {
			v.Cells = append(v.Cells,
				curve(run, name, i, claim.Mean, panel.of, panel.expected)...)
		}
	}
	made := curve(run, subjects[1], 0, claim.MeanShare,
		func(p place) float64 { return p.deleted }, nil)
	v.Why = fmt.Sprintf("the optimized dynamic filter does not support all deletes, as section "+
		"2.2 has it: at 64 times the members it makes %.1f %% of them, because it is not known "+
		"which of two filters has a member, and Guo et al. leave it in", 100**made[6].Measured)
	return v
}

// turn is what a filter does that grows to 16 times its size and back, four times: the members by
// the operations from one expansion or compression to the next, at most; the buckets that are moved
// per operation; and the deletes that did not find their member.
type turn struct{ worst, moved, negatives float64 }

func turns(run *trials.Run, log int) []turn {
	return trials.Recall(run, fmt.Sprint("theorem 4.2 ", log), 8, func(rng *rand.Rand) (t turn) {
		f := large(log, threshold)
		var members []uint64
		operations, since, was := 0., 0., log
		count := func() {
			operations, since = operations+1, since+1
			if f.Log() != was {
				t.worst = max(t.worst, float64(len(members))/since)
				since, was = 0, f.Log()
			}
		}
		for range 4 {
			for f.Log() < log+4 {
				members = append(members, insert(rng, f, 1)...)
				count()
			}
			for f.Log() > log {
				i := rng.IntN(len(members))
				if !f.Delete(members[i]) {
					t.negatives++
				}
				members[i] = members[len(members)-1]
				members = members[:len(members)-1]
				count()
			}
		}
		t.moved = float64(f.Accesses.Moved) / operations
		return t
	})
}

// doubled is what the ways to double a filter of 2^log bits access, per bit: an expansion, the
// longest call of a lazy one, and a rebuild.
type doubled struct{ normal, longest, rebuilt float64 }

func double(run *trials.Run, log int, load float64) []doubled {
	newFilter := func(log int, lazy bool) *original.Filter {
		c := original.Default()
		c.Log, c.Most, c.Threshold, c.Lazy = log, log+1, 1, lazy
		return original.New(c)
	}
	name := fmt.Sprint("Fig. 8b ", log, load)
	return trials.Recall(run, name, number(run, 20, 6), func(rng *rand.Rand) doubled {
		f, g, h := newFilter(log, false), newFilter(log, true), newFilter(log+1, false)
		m := math.Exp2(float64(log))
		members := insert(rng, f, int(load*m/hashes))
		for _, hash := range members {
			must(g.Insert(hash) && h.Insert(hash))
		}
		must(f.Expand() && g.Expand())
		longest := 0
		for g.Updating() {
			before := g.Accesses.Moved
			insert(rng, g, 1)
			longest = max(longest, g.Accesses.Moved-before)
		}
		return doubled{float64(f.Accesses.Moved+hashes*len(members)) / m, float64(longest) / m,
			float64(h.Accesses.Fast+h.Accesses.Slow) / m}
	})
}
