package elastic

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// slow is the slow memory: Theorem 4.2, and Figs. 8 and 9.
var slow = []claim.Part{theorem42, fig8a, fig8b, fig9}

// theorem42 is how many operations there are from one expansion or compression to the next.
func theorem42(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const where = "Theorem 4.2, the proof's case 1"
	keep := func(set float64) float64 { return math.Log1p(-set) }
	for _, of := range []struct {
		name string
		p    float64
	}{
		{"an expansion after an expansion", 2},
		{"a compression after an expansion", 2 * keep(threshold/4) / keep(threshold)},
		{"an expansion after a compression", keep(threshold) / keep(threshold/4) / 2},
		{"a compression after a compression", 0.5},
	} {
		// from the inside of the intervals, which lie between
		apart := min(math.Abs(of.p-0.5), math.Abs(of.p-2))
		if of.p < 0.5 || of.p > 2 {
			apart = -apart
		}
		c := claim.Claim{
			Item:       "Theorem 4.2",
			Parameters: map[string]any{"event": of.name, "threshold": threshold},
			Unit:       claim.Number,
			Reading:    claim.Literal, Where: where + ": p in (1/2, 5/8) or (8/5, 2)",
			Quantity:  "p, how far inside of 1/2 to 2",
			Published: claim.Trend(claim.Higher), Interval: claim.Exact(apart),
			Why: fmt.Sprintf(
				"p = %.3g: it is 1/2 and 2 between events of a kind, and below and above these "+
					"between two kinds",
				of.p,
			),
		}
		claims = append(claims, c)
		c.Where, c.Quantity = where+": |p/(1-p)| <= 8/3", "|p/(1-p)|"
		c.Published, c.Interval = upTo(8./3), claim.Exact(math.Abs(of.p/(1-of.p)))
		c.Why = "there are fewer operations"
		claims = append(claims, c)
	}

	log := number(run, 13, 10)
	all := trials.Each(run, "theorem 4.2", 8,
		func(rng *rand.Rand) history { return turns(rng, log) })
	smaller := trials.Each(
		run,
		"theorem 4.2, smaller",
		8,
		func(rng *rand.Rand) history { return turns(rng, log-2) },
	)
	c := claim.Claim{
		Item: "Theorem 4.2", Where: where + ": n_i <= 8/3 of the operations since the last one",
		Unit:       claim.Number,
		Parameters: map[string]any{"m": 1 << log, "to": 1 << (log + 4)}, Reading: claim.Literal,
		Trials: len(all),
		Quantity: "members, as a multiple of the operations since the last expansion or " +
			"compression, at most",
		Published: upTo(8. / 3), Interval: mean(all, func(h *history) float64 { return h.worst }),
		Why: "there are fewer operations",
	}
	claims = append(claims, c)
	c.Where, c.Quantity, c.Published = "Theorem 4.2",
		"buckets that expansions read, per insert, right after the last one",
		claim.Published{}
	c.Theory = claim.By("2 k / -ln(1 - Ω), less the first size",
		2*hashes/perBit(threshold)*(1-math.Exp2(-4)))
	c.Interval = mean(all, func(h *history) float64 { return h.growth })
	claims = append(claims, c)
	c.Theory = claim.Theory{}
	c.Where = `Theorem 4.2: linear for "any n insertion or deletion operations"`
	c.Quantity = "buckets that are read, per operation of growth and back, as a multiple of " +
		"those of a quarter of the members"
	moved := func(h *history) float64 { return h.moved }
	c.Published, c.Interval = claim.Rounded(
		1,
		0.04,
	), claim.Ratio(
		trials.Column(all, moved),
		trials.Column(smaller, moved),
	)
	c.Why = "it is another number"
	claims = append(claims, c)
	c.Where, c.Published = `section 1: "no false negatives"`, none()
	c.Quantity, c.Interval = "deletes that did not find their member", mean(
		all,
		func(h *history) float64 { return h.negatives },
	)
	return append(claims, c), nil
}

// history is what growths and the ways back took.
type history struct {
	worst float64 // members by the operations from one event to the next, at most
	// buckets that are read per insert of the first growth, and per operation of all
	growth, moved float64
	negatives     float64 // members that a delete did not find
}

// turns grows a filter to 16 times its size and back, four times.
func turns(rng *rand.Rand, log int) (h history) {
	c := original.Default()
	c.Log = log
	f := must(original.New(c))
	var members []uint64
	operations, since, was := 0, 0, f.Log()
	step := func(insert bool) {
		if insert {
			hash := rng.Uint64()
			must(0, f.Insert(hash))
			members = append(members, hash)
		} else {
			i := rng.IntN(len(members))
			if !f.Delete(members[i]) {
				h.negatives++
			}
			members[i] = members[len(members)-1]
			members = members[:len(members)-1]
		}
		operations, since = operations+1, since+1
		if f.Log() != was {
			h.worst = max(h.worst, float64(len(members))/float64(since))
			since, was = 0, f.Log()
		}
	}
	for range 4 {
		for f.Log() < log+4 {
			step(true)
		}
		if h.growth == 0 {
			h.growth = float64(f.Accesses.Moved) / float64(operations)
		}
		for f.Log() > log {
			step(false)
		}
	}
	h.moved = float64(f.Accesses.Moved) / float64(operations)
	return h
}

// slowBits returns the bits of the buckets of a filter of 2^log bits by Table 1: each slot has a
// fingerprint and a bit that tells its length.
func slowBits(log int, tree bool) float64 {
	const width, branches = 32, 3
	m, slot := math.Exp2(float64(log)), float64(width-log+1)
	bits := m * bucket * slot
	if tree {
		bits += math.Ceil(m/branches) * bucket * (slot + 2)
	}
	return bits
}

func fig8a(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const first, most = 12, 22
	panel := chart.New("", "log2 of the bits in fast memory", "MiB of slow memory")
	counters := func(bits float64) float64 { return bits * math.Exp2(most) }
	stored := func(log int) float64 {
		return perBit(threshold) * math.Exp2(float64(log)) *
			float64(32-log+1)
	}
	for _, form := range []struct {
		name string
		bits func(log int) float64
	}{
		{"buckets and their tree", func(log int) float64 { return slowBits(log, true) }},
		{"buckets", func(log int) float64 { return slowBits(log, false) }},
		{"fingerprints that are stored", stored},
	} {
		var points plotter.XYs
		for log := first; log <= most; log++ {
			points = append(points, plotter.XY{X: float64(log), Y: form.bits(log) / 8 / (1 << 20)})
			claims = append(claims, claim.Claim{
				Item: "Fig. 8a", Where: "section 5.4",
				Parameters: map[string]any{"log": log, "of": form.name},
				Unit:       claim.Number,
				Quantity:   "MiB of slow memory",
				Interval:   claim.Exact(form.bits(log) / 8 / (1 << 20)),
				Reading:    claim.Literal, Point: true,
			})
		}
		panel.Add(form.name, points, chart.Marked(len(claims)/11-1))
		for _, width := range []float64{4, 8, 32} {
			less := 0
			for log := first; log <= most; log++ {
				if form.bits(log) < counters(width) {
					less++
				}
			}
			c := claim.Claim{
				Item: "Fig. 8a", Unit: claim.Number,
				Parameters: map[string]any{"m": 1 << first, "counters": 1 << most},
				Reading:    fmt.Sprintf("%s; counters of %g bits", form.name, width),
				Where:      `section 5.4: "EBF uses less memory mostly"`,
				Quantity:   "sizes at which it does, less half of them",
				Published:  claim.Trend(claim.Higher), Interval: claim.Exact(float64(less) - 11./2),
				Why: fmt.Sprintf("at %d of 11 sizes", less),
			}
			claims = append(claims, c)
			c.Where =
				`section 5.4: "CBF make a better use of memory when its size is nearly the maximum size"`
			c.Quantity, c.Interval =
				"log of the memory by that of the counters, with the most bits",
				claim.Exact(math.Log(form.bits(most)/counters(width)))
			c.Why = fmt.Sprintf("it takes %.2g times the memory of the counters",
				form.bits(most)/counters(width))
			claims = append(claims, c)
		}
	}
	for i, width := range []float64{4, 8, 32} {
		mib := counters(width) / 8 / (1 << 20)
		panel.Add(
			fmt.Sprintf("counters of %g bits", width),
			plotter.XYs{{X: first, Y: mib}, {X: most, Y: mib}},
			chart.Curve(i+3),
		)
	}
	chart.Logarithmic(quantity.Number, &panel.Y)
	c := claim.Claim{
		Item: "Fig. 8a: ten million members", Where: "Table 1; section 4.3: w = 32",
		Unit: claim.Number, Reading: claim.Literal,
		Parameters: map[string]any{"log": 28, "n": 10_000_000},
	}
	for _, of := range []struct {
		name  string
		value float64
	}{
		{"bits that are set", -math.Expm1(-5e7 / (1 << 28))},
		{"GiB of buckets", slowBits(28, false) / 8 / (1 << 30)},
		{"GiB of buckets and their tree", slowBits(28, true) / 8 / (1 << 30)},
		{"the same while it grows", (slowBits(28, true) + slowBits(27, true)) / 8 / (1 << 30)},
		{"bits of the fingerprints that are left", 32 - 28},
	} {
		c.Quantity, c.Interval = of.name, claim.Exact(of.value)
		claims = append(claims, c)
	}
	return claims, []claim.Figure{{Name: "slow", Picture: &chart.Picture{
		Title:  "Slow memory as the filter grows, beside 2^22 counters",
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
}

// work is what three ways to double a filter take.
type work struct{ normal, lazy, longest, rebuilt, after float64 }

func fig8b(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	log := number(run, 13, 10)
	m := 1 << log
	panel := chart.New("", "fingerprints per bucket", "bits and buckets per bit of the filter")
	loads := []float64{perBit(threshold), 0.5, 1.5, 2, 3}
	var ways [3]plotter.XYs
	var found [][]work
	for _, load := range loads {
		all := trials.Each(run, fmt.Sprint("Fig. 8b ", load), number(run, 20, 6),
			func(rng *rand.Rand) (w work) {
				of := func(log int, lazy bool) *original.Filter {
					c := original.Default()
					c.Log, c.Most, c.Threshold, c.Lazy = log, log+1, 1, lazy
					return must(original.New(c))
				}
				f, g := of(log, false), of(log, true)
				members := insert(rng, f, int(load*float64(m)/hashes))
				h := of(log+1, false)
				for _, hash := range members {
					must(0, errors.Join(g.Insert(hash), h.Insert(hash)))
				}
				must(0, errors.Join(f.Expand(), g.Expand()))
				w.normal = float64(f.Accesses.Moved + hashes*len(members))
				w.lazy = float64(g.Accesses.Moved)
				w.rebuilt = float64(h.Accesses.Fast + h.Accesses.Slow)
				for g.Updating() {
					before := g.Accesses.Moved
					insert(rng, g, 1)
					w.longest = max(w.longest, float64(g.Accesses.Moved-before))
				}
				w.after = float64(g.Accesses.Moved) / float64(f.Accesses.Moved)
				return w
			})
		found = append(found, all)
		c := claim.Claim{
			Item: "Fig. 8b", Unit: claim.Number,
			Parameters: map[string]any{"m": m, "kn/m": math.Round(1e4*load) / 1e4},
			Reading:    claim.Literal, Trials: len(all),
		}
		for i, of := range []func(*work) float64{
			func(w *work) float64 { return w.normal / float64(m) },
			func(w *work) float64 { return w.longest / float64(m) },
			func(w *work) float64 { return w.rebuilt / float64(m) },
		} {
			ways[i] = append(ways[i], plotter.XY{X: load, Y: *mean(all, of).Measured})
		}
		c.Where, c.Published = `section 5.4: "the time cost of lazy update keeps the lowest"`,
			claim.Trend(
				claim.Lower,
			)
		c.Quantity, c.Why = "buckets of the call that expands, less those of a normal expansion",
			"it is not"
		c.Interval = claim.Difference(trials.Column(all, func(w *work) float64 { return w.lazy }),
			trials.Column(all, func(w *work) float64 { return w.normal }))
		claims = append(claims, c)
		c.Where, c.Published = `section 5.4: "that of rebuilding EBF keeps the highest"`,
			claim.Trend(claim.Higher)
		c.Quantity = "bits and buckets of a rebuilt filter, log by those of a normal expansion"
		c.Interval = claim.Difference(
			logs(trials.Column(all, func(w *work) float64 { return w.rebuilt })),
			logs(trials.Column(all, func(w *work) float64 { return w.normal })))
		c.Why = "an expansion reads the empty buckets too: it takes more where there are fewer " +
			"fingerprints than buckets"
		claims = append(claims, c)
		c.Where = "section 3.3.1: the buckets are updated by the scan and by inserts"
		c.Published = claim.Published{}
		c.Quantity = "buckets that a call of a lazy update updates at most"
		c.Interval = mean(all, func(w *work) float64 { return w.longest })
		claims = append(claims, c)
		c.Quantity, c.Published = "buckets that a lazy update updates in all, as a multiple of "+
			"those of a normal one",
			claim.Rounded(
				1,
				0,
			)
		c.Interval, c.Why = mean(all, func(w *work) float64 { return w.after }),
			"it is another number"
		claims = append(claims, c)
	}
	for i, name := range []string{"normal expansion", "rebuild"} {
		of := func(w *work) float64 { return []float64{w.normal, w.rebuilt}[i] }
		c := claim.Claim{
			Item: "Fig. 8b",
			Where: `section 5.4: with the load "the time cost of these operations increases ` +
				`slightly"`,
			Parameters: map[string]any{"m": m, "of": name}, Unit: claim.Number,
			Reading:   claim.Literal,
			Quantity:  "bits and buckets with kn/m = 3, log by those with 1.5",
			Published: claim.Trend(claim.Higher), Trials: len(found[4]), Why: "they do not",
			Interval: claim.Difference(logs(trials.Column(found[4], of)),
				logs(trials.Column(found[2], of))),
		}
		claims = append(claims, c)
	}
	for i, name := range []string{"normal expansion", "lazy update, the longest call", "rebuild"} {
		panel.Add(name, ways[i], chart.Marked(i))
	}
	chart.Logarithmic(quantity.Number, &panel.Y)
	panel.X.Tick.Marker = chart.Ticks(quantity.Number, 0.5, 1, 1.5, 2, 2.5, 3)
	return claims, []claim.Figure{{Name: "expansions", Picture: &chart.Picture{
		Title:  fmt.Sprintf("Work to double a filter of 2^%d bits", log),
		Panels: []*chart.Panel{panel}, Columns: 1, Width: 420, Height: 280,
	}}}
}

// shape is a size of buckets, and how many share one of level 2; 0 if there is none.
type shape struct{ log, size, branches int }

func (s shape) groups() int {
	if s.branches == 0 {
		return 0
	}
	return (1<<s.log + s.branches - 1) / s.branches
}

func (s shape) slots() float64 { return float64(s.size) * float64(1<<s.log+s.groups()) }

// load fills buckets until one overflows, and returns the part of the slots that are used: 8
// hashes, as in section 5.5.
func (s shape) load(rng *rand.Rand) float64 {
	const hashes = 8
	f := must(original.New(original.Config{
		Log: s.log, Most: s.log, Hashes: hashes, Width: 32, Bucket: s.size,
		Branches: s.branches, Threshold: 1,
	}))
	for f.Insert(rng.Uint64()) == nil {
	}
	return hashes * f.Cardinality() / s.slots()
}

// expectedLoad is the mean of that, with fingerprints one by one: loads of buckets are Poisson's,
// and the buckets that share one of level 2 overflow where what they have beyond their own slots is
// more than it has.
func (s shape) expectedLoad() float64 {
	groups, each := float64(int(1)<<s.log), 1
	if s.branches > 0 {
		groups, each = groups/float64(s.branches), s.branches
	}
	const step = 0.01
	fits := 0.0
	for mean := step / 2; ; mean += step {
		of := distuv.Poisson{Lambda: mean}
		beyond := []float64{of.CDF(float64(s.size))}
		for j := 1; j <= s.size && s.branches > 0; j++ {
			beyond = append(beyond, of.Prob(float64(s.size+j)))
		}
		sum := []float64{1}
		for range each {
			next := make([]float64, min(len(sum)+len(beyond)-1, s.size+1))
			for i, a := range sum {
				for j, b := range beyond {
					if i+j < len(next) {
						next[i+j] += a * b
					}
				}
			}
			sum = next
		}
		fit := 0.0
		for _, p := range sum {
			fit += p
		}
		all := math.Pow(min(fit, 1), groups)
		if fits += all * step; all < 1e-6 {
			return fits * math.Exp2(float64(s.log)) / s.slots()
		}
	}
}

func fig9(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	times := number(run, 200, 60)
	loads := map[shape][]float64{}
	bySize := chart.New("by the filter's size, S = 8 (Fig. 9a)", "log2 of the bits", "load")
	byBucket := chart.New("by the bucket's size (Fig. 9b)", "slots of a bucket, S", "load")
	all := []int{0, 2, 3, 4, 8}
	logsOf, sizes := []int{8, 10, 12}, []int{2, 4, 8, 16, 32}
	if !run.Short {
		logsOf = append(logsOf, 14)
	}
	smallest, largest := logsOf[0], logsOf[len(logsOf)-1]
	const atLog = 10
	name := func(branches int) string {
		if branches == 0 {
			return "no tree"
		}
		return fmt.Sprintf("%d branches", branches)
	}
	draw := func(panel *chart.Panel, item string, series int, x func(shape) int, shapes []shape) {
		var marks, line plotter.XYs
		for _, s := range shapes {
			if loads[s] == nil {
				loads[s] = trials.Each(run, fmt.Sprint("load ", s), times, s.load)
			}
			c := claim.Claim{
				Item: item, Where: "section 5.5",
				Parameters: map[string]any{
					"branches": s.branches, "log": s.log, "S": s.size,
				},
				Quantity: "load", Unit: claim.Share, Theory: claim.By(meanField, s.expectedLoad()),
				Interval: claim.Mean(loads[s]),
				Trials:   times, Reading: claim.Literal, Point: true,
			}
			claims = append(claims, c)
			marks = append(marks, plotter.XY{X: float64(x(s)), Y: *c.Measured})
			line = append(line, plotter.XY{X: float64(x(s)), Y: *c.Expected})
		}
		panel.Add(name(shapes[0].branches), line, chart.Expected(series))
		panel.Add(name(shapes[0].branches), marks, chart.Marks(series))
	}
	for i, branches := range all {
		var a, b []shape
		for _, log := range logsOf {
			a = append(a, shape{log, bucket, branches})
		}
		for _, size := range sizes {
			b = append(b, shape{atLog, size, branches})
		}
		draw(bySize, "Fig. 9a", i, func(s shape) int { return s.log }, a)
		draw(byBucket, "Fig. 9b", i, func(s shape) int { return s.size }, b)
	}
	compare := func(
		item, where, quantity string,
		d claim.Direction,
		parameters map[string]any,
		a, b shape,
		why string,
	) {
		claims = append(claims, claim.Claim{
			Item: item, Where: where, Quantity: quantity, Parameters: parameters,
			Unit:    claim.Number,
			Reading: claim.Literal,
			Trials:  times, Published: claim.Trend(d),
			Interval: claim.Mean(logs(loads[a])).Less(claim.Mean(logs(loads[b]))),
			Why:      why,
		})
	}
	for _, branches := range all {
		compare("Fig. 9a",
			`section 5.5: "the load rate gets lower as the size of the Bloom filter gets larger"`,
			"load of the largest, log by that of the smallest", claim.Lower,
			map[string]any{"branches": branches, "log": largest, "from": smallest},
			shape{largest, bucket, branches},
			shape{smallest, bucket, branches}, "it is higher")
	}
	for _, log := range []int{smallest, largest} {
		for _, of := range [][2]int{{0, 2}, {2, 4}, {2, 8}} {
			compare(
				"Fig. 9a",
				`section 5.5: "more branches can increase the load rate"`,
				"load, log by that with fewer branches",
				claim.Higher,
				map[string]any{"branches": of[1], "fewer": of[0], "log": log},
				shape{log, bucket, of[1]},
				shape{
					log,
					bucket,
					of[0],
				},
				"twice as many buckets share one of level 2, and there are half as many of these",
			)
		}
	}
	few := shape{largest, bucket, 2}
	for _, branches := range all[3:] {
		more := shape{largest, bucket, branches}
		c := claim.Claim{
			Item: "Fig. 9a",
			Where: `section 5.5: with more branches "we have more buckets to hold the inserted ` +
				`elements"`,
			Unit: claim.Number, Reading: claim.Literal,
			Parameters: map[string]any{"branches": branches, "log": largest},
			Quantity:   "buckets of level 2, less those with two branches",
			Published:  claim.Trend(claim.Higher),
			Interval:   claim.Exact(float64(more.groups() - few.groups())),
			Why: "by section 3.3.2 bucket i is associated to bucket i/k of level 2: the more " +
				"branches, the fewer of these",
		}
		claims = append(claims, c)
		held := func(s shape) claim.Interval {
			return claim.Mean(logs(loads[s])).Map(func(v float64) float64 {
				return v +
					math.Log(s.slots())
			})
		}
		c.Quantity, c.Trials = "fingerprints before one overflows, log by those with two branches",
			times
		c.Interval = held(more).Less(held(few))
		c.Why = "fewer fit: the load is higher because there are fewer slots"
		claims = append(claims, c)
	}
	for _, branches := range all {
		for i := 1; i < len(sizes); i++ {
			compare("Fig. 9b",
				`section 5.5: "the load rate increases as the size of the buckets gets larger"`,
				"load, log by that of half the slots", claim.Higher,
				map[string]any{"branches": branches, "S": sizes[i]},
				shape{atLog, sizes[i], branches}, shape{atLog, sizes[i-1], branches}, "it is lower")
		}
	}
	for _, of := range [][2]int{{0, 2}, {2, 8}} {
		for _, size := range sizes[1:3] {
			compare("Fig. 9b",
				`section 5.5: "the load rate increases as the number of branches gets larger"`,
				"load, log by that with fewer branches", claim.Higher,
				map[string]any{"branches": of[1], "fewer": of[0], "S": size},
				shape{atLog, size, of[1]},
				shape{atLog, size, of[0]},
				"more buckets share one of level 2, and there are fewer of these")
		}
	}
	chart.Logarithmic(quantity.Number, &byBucket.X)
	byBucket.X.Tick.Marker = chart.Ticks(quantity.Number, 2, 4, 8, 16, 32)
	bySize.X.Tick.Marker = chart.Ticks(quantity.Number, 8, 10, 12, 14)
	return claims, []claim.Figure{{Name: "loads", Picture: &chart.Picture{
		Title: "Slots that are used where the first bucket overflows: marks simulated, lines by " +
			"Poisson's law",
		Panels: []*chart.Panel{bySize, byBucket}, Columns: 2, Width: 380, Height: 260,
	}}}
}
