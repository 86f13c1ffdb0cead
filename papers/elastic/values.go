package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"

	used "github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

const (
	meanField = "mean field" // takes buckets and bits as independent
	growing20 = "filters that grow where 20 % of the bits are set, k = 5"
)

// hashOf returns a hash whose only number is this.
func hashOf(f *original.Filter, number uint32) uint64 {
	for hash := uint64(1); ; hash++ {
		if f.Numbers(hash)[0] == number {
			return hash
		}
	}
}

// example is the filter of Fig. 1, which has m = 4, w = 6 and k = 1.
func example() *original.Filter {
	f := original.New(original.Config{Log: 2, Hashes: 1, Width: 6, Bucket: 4, Threshold: 1})
	f.Insert(hashOf(f, 0b0111_10))
	return f
}

// bit is that of a key of an index, and kept the fingerprint of a bucket that has just one.
func bit(f *original.Filter, index uint32) float64 {
	if f.Query(hashOf(f, index)) {
		return 1
	}
	return 0
}

func kept(f *original.Filter, bucket int) float64 {
	found := math.NaN()
	for _, number := range f.AppendNumbers(nil) {
		if int(number)&(1<<f.Log()-1) == bucket {
			if !math.IsNaN(found) {
				return math.NaN()
			}
			found = float64(number >> f.Log())
		}
	}
	return found
}

// checked returns a value of exact numbers.
func checked(name, where, why string, cells ...claim.Cell) claim.Value {
	return claim.Value{Name: name, Where: where, Unit: claim.Number, Rule: claim.Exactly,
		Formula: "exact", Cells: cells, Why: why}
}

func cell(row, published string, found float64) claim.Cell {
	return claim.Cell{Row: row, Published: published, Formula: &found}
}

func figure1(*trials.Run) claim.Value {
	f := example()
	return checked("Figure 1: an insert", `the fingerprint 0111 and the index 10; "set A[10] to 1"`,
		"", cell("fingerprint", "7", kept(f, 2)), cell("A[2]", "1", bit(f, 2)),
		cell("bits that are set", "implied 1", 4*f.SetBits()))
}

// figure2 is the filter of Fig. 1 with two more members, after an expansion and a delete.
func figure2(*trials.Run) claim.Value {
	f := example()
	f.Insert(hashOf(f, 0b1000_00))
	f.Insert(hashOf(f, 0b0101_00))
	f.Expand()
	cells := []claim.Cell{cell("bucket 4", "implied 2", kept(f, 4)),
		cell("bucket 0", "implied 4", kept(f, 0)), cell("bucket 6", "3", kept(f, 6)),
		cell("A[2]", "0", bit(f, 2)), cell("A[4]", "1", bit(f, 4)), cell("A[6]", "1", bit(f, 6))}
	must(f.Delete(hashOf(example(), 0b0111_10)))
	return checked("Figure 2: an expansion and a delete", `0101 is moved from B[0] to B[4], "set `+
		`A[2] to 0", "set A[4], A[6] to 1", "reset the corresponding bit"`, "", append(cells,
		cell("A[6] after the delete", "0", bit(f, 6)),
		cell("bits that are set then", "implied 2", 8*f.SetBits()))...)
}

// lost is the share of members that are not found after deletes of the others.
func lost(rng *rand.Rand, skip bool) (lost float64) {
	const n = 400
	f := original.New(original.Config{Log: 10, Hashes: 2, Width: 12, Bucket: bucket, Branches: 3,
		Threshold: 1, Skip: skip})
	members := insert(rng, f, n)
	for _, hash := range members[:n/2] {
		f.Delete(hash)
	}
	for _, hash := range members[n/2:] {
		if !f.Query(hash) {
			lost += 2. / n
		}
	}
	return lost
}

func duplicates(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Section 3.2.1: members that are lost after deletes of others",
		Where: `where all fingerprints are there "we do not insert"; section 1: "no false ` +
			`negatives"`, Rule: claim.Never, Trial: "400 members in 2^10 bits, w = 12, k = 2",
		Why: "a member that seems to be a duplicate is skipped, and lost with those that have its " +
			"fingerprints: every insert has to store its own"}
	for i, row := range []string{"as printed", "every insert stores its fingerprints"} {
		v.Cells = append(v.Cells, claim.Cell{Row: row, Published: "implied 0",
			Interval: claim.MeanShare(trials.RecallOf(run, "skips", row, number(run, 400, 60),
				func(rng *rand.Rand) float64 { return lost(rng, i == 0) }))})
	}
	return v
}

func rateOfHalf(run *trials.Run) claim.Value {
	const queries = 1 << 14
	found := trials.Recall(run, "rates", number(run, 100, 20), func(rng *rand.Rand) (n [2]float64) {
		f := large(12, 1)
		for f.SetBits() < 0.5 {
			insert(rng, f, 1)
		}
		for range queries {
			if f.Query(rng.Uint64()) {
				n[0]++
			}
		}
		n[1] = queries * math.Pow(f.SetBits(), hashes)
		return n
	})
	return claim.Value{Name: "Section 3.2.4: the rate is Ω^k", Where: "where Ω of the bits are set",
		Unit: claim.Number, Trial: "non-members that are found, by Ω^k, at Ω = 0.5",
		Cells: []claim.Cell{{Published: "implied 1 ± 0.01", Interval: claim.Ratio(
			trials.Column(found, func(n *[2]float64) float64 { return n[0] }),
			trials.Column(found, func(n *[2]float64) float64 { return n[1] }))}}}
}

// form is a filter that grows: it inserts a hash, asks for one, and has bytes of memory.
type form struct {
	insert, query func(hash uint64) bool
	bytes         func() (fast, slow float64)
}

// newForm returns the paper's form for a number of members to begin with, or the one to use: of
// package filter/elastic, which has a filter over blocks, and a list of hashes.
func newForm(members int, blocks bool) form {
	if !blocks {
		f := large(logFor(14, members), threshold)
		return form{f.Insert, f.Query, func() (fast, slow float64) {
			return math.Exp2(float64(f.Log())) / 8, slowBits(f.Log(), true) / 8
		}}
	}
	f, err := used.New(used.Config{Members: members, Rate: math.Pow(threshold, hashes),
		Key: keytest.Key(1)})
	must(err == nil)
	return form{func(hash uint64) bool {
		_, err := f.InsertHash(hash)
		return err == nil
	}, f.QueryHash, func() (fast, slow float64) {
		s := f.Stats()
		return float64(s.FastBytes), float64(s.SlowBytes)
	}}
}

func whileItGrows(run *trials.Run) claim.Value {
	const least, queries = 1 << 10, 1 << 18
	most := number(run, 1<<18, 1<<14)
	v := claim.Value{Name: "Section 3.2.4: the rate while it grows, Ω^k at most", Rule: claim.Below,
		Where: "from 2^10 members on, by Ω = 0.2 and k = 5", Trial: "one filter"}
	var bytes []any
	for i, row := range []string{"the paper's form", "filter/elastic, over blocks"} {
		type growth struct {
			found, asked int
			fast, slow   float64
		}
		g := trials.Recall(run, fmt.Sprint("forms ", i, most), 1, func(rng *rand.Rand) (g growth) {
			f := newForm(least, i == 1)
			for members := 1; members <= most; members++ {
				if must(f.insert(rng.Uint64())); members < least || members&(members-1) > 0 {
					continue
				}
				g.asked += queries
				for range queries {
					if f.query(rng.Uint64()) {
						g.found++
					}
				}
			}
			g.fast, g.slow = f.bytes()
			return g
		})[0]
		v.Cells = append(v.Cells, claim.Cell{Row: row, Published: "implied 0.00032",
			Interval: claim.Proportion(g.found, g.asked)})
		bytes = append(bytes, g.fast/float64(most), g.slow/float64(most))
	}
	v.Why = fmt.Sprintf("with 2^%d members the paper's form has %.1f bytes of fast memory and %.0f "+
		"of slow memory for each, filter/elastic %.1f and %.1f, and with 2^14 an Aleph filter 4.6 in "+
		"all, by the formulas of its authors' code (papers/elastic/aleph.go at commit 3db79d4e)",
		append([]any{int(math.Log2(float64(most)))}, bytes...)...)
	return v
}

func lemma41(*trials.Run) claim.Value {
	v := claim.Value{Name: "Lemma 4.1: (a/M)^M <= b", Unit: claim.Number,
		Where: "for all b in (0, 1/9), a > 4, M >= …", Formula: "how far above, in parts of -log b"}
	for _, a := range []float64{4.000001, 5.5, 20} {
		v.Cells = append(v.Cells, cell(fmt.Sprint("a = ", a), string(claim.Lower), worst(a)))
	}
	return v
}

// table1 is the buckets of Table 1.
var table1 = buckets{1 << logBits, perBit(threshold)}

func theorem41(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Theorem 4.1: filters that expand for a full bucket", Rule: claim.Below,
		Where: `"the probability of not triggering expansion is at least 1 - ε", for ε = 1/m`,
		Trial: "fingerprints thrown into m buckets", Formula: meanField}
	for _, b := range []buckets{{1 << 10, perBit(threshold)}, table1, {1 << 10, 2}} {
		times := number(run, 20_000, 2000)
		if b == table1 {
			times /= 5
		}
		d := int(math.Ceil(b.size()))
		expand := trials.Recall(run, fmt.Sprint("theorem 4.1 ", b), times,
			func(rng *rand.Rand) float64 {
				loads := make([]int, b.m)
				for range int(b.throws()) {
					i := rng.IntN(b.m)
					if loads[i]++; loads[i] == d {
						return 1
					}
				}
				return 0
			})
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprintf("m = %d, kn/m = %.3g", b.m, b.load),
			Published: "implied " + fmt.Sprint(1/float64(b.m)), Formula: new(b.full(d)),
			Interval: claim.MeanShare(expand)})
	}
	v.Why = fmt.Sprintf("it applies Lemma 4.1, which needs a > 4. With Table 1 a = enk/m is %.4f, and "+
		"D is %.3f: of 32,768 buckets %.1f get 3 or more. The 8 slots of Table 1 itself are enough: "+
		"%d are", math.E*table1.load, table1.size(), float64(table1.m)*
		trials.Tail(3, table1.throws(), 1/float64(table1.m)), table1.need())
	return v
}

func equation3(*trials.Run) claim.Value {
	b := buckets{1 << logBits, 2}
	bound := func(base float64) float64 {
		return 2*math.Log(float64(b.m)) + b.size()*math.Log(base/b.size())
	}
	v := claim.Value{Name: "Eq. (3): m (enk/M)^M <= ε", Where: "section 4.2", Unit: claim.Number,
		Formula: "log of the bound by ε, at nk = 2 m",
		Cells:   []claim.Cell{cell("", string(claim.Lower), bound(math.E*b.load*float64(b.m)))}}
	v.Why = fmt.Sprintf("equations 2 and 3 lack an m below nk: with (enk/(mM))^M it is %.3g",
		bound(math.E*b.load))
	return v
}

// signed is a formula of section 4.3 at a rate of 0.032 %, whose sign is misprinted.
func signed(name, of string, meant float64) claim.Value {
	return claim.Value{Name: name, Where: "section 4.3", Unit: claim.Number, Formula: of,
		Cells: []claim.Cell{cell("δ = 0.00032", fmt.Sprintf("implied %.2f", meant), -meant)},
		Why:   "the sign is misprinted"}
}

func hashesForRate(*trials.Run) claim.Value {
	return signed("Section 4.3: k = -log2(1/δ)", "k", math.Log2(1/0.00032))
}

func bitsForRate(*trials.Run) claim.Value {
	return signed("Section 4.3: m = kn / ln(1 - δ^(1/k))", "m/n, for k = 5",
		hashes/perBit(math.Pow(0.00032, 1./hashes)))
}

func mostBits(*trials.Run) claim.Value {
	return checked("Section 4.3: the largest filter, in MB", `with w = 32 it "can be up to 512MB"`,
		"", cell("", "512", math.Exp2(32)/8/(1<<20)))
}

// ratios are the p of the proof of Theorem 4.2, by what follows on what.
func ratios() []claim.Cell {
	keep := func(set float64) float64 { return math.Log1p(-set) }
	return []claim.Cell{
		cell("an expansion after an expansion", "", 2),
		cell("a compression after an expansion", "", 2*keep(threshold/4)/keep(threshold)),
		cell("an expansion after a compression", "", keep(threshold)/keep(threshold/4)/2),
		cell("a compression after a compression", "", 0.5)}
}

func intervals(*trials.Run) claim.Value {
	v := claim.Value{Name: "Theorem 4.2: p in (1/2, 5/8) or (8/5, 2)", Unit: claim.Number,
		Where: "the proof's case 1", Formula: "how far inside of 1/2 to 2",
		Why: "between events of a kind p is 1/2 and 2, and else outside"}
	for _, c := range ratios() {
		p := *c.Formula
		v.Cells = append(v.Cells, cell(c.Row, string(claim.Higher),
			math.Copysign(min(math.Abs(p-0.5), math.Abs(p-2)), (p-0.5)*(2-p))))
	}
	return v
}

func bound(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Theorem 4.2: |p/(1-p)| is 8/3 at most, and n_i by the operations",
		Where: "the proof's case 1", Unit: claim.Number, Rule: claim.Below, Formula: "|p/(1-p)|",
		Trial: "filters that grow 16-fold and back, four times"}
	for _, c := range ratios() {
		v.Cells = append(v.Cells, cell(c.Row, "2.6666667", math.Abs(*c.Formula/(1-*c.Formula))))
	}
	v.Cells = append(v.Cells, claim.Cell{Row: "members by operations since the last one, at most",
		Published: "2.6666667", Interval: claim.Mean(trials.Column(
			turns(run, number(run, 13, 10)), func(t *turn) float64 { return t.worst }))})
	return v
}

func linear(run *trials.Run) claim.Value {
	log := number(run, 13, 10)
	moved := func(log int) []float64 {
		return trials.Column(turns(run, log), func(t *turn) float64 { return t.moved })
	}
	negatives := 0.
	for _, t := range turns(run, log) {
		negatives += t.negatives
	}
	return claim.Value{Name: "Theorem 4.2: buckets moved per operation, by those of a quarter of " +
		"the members", Where: `linear for "any n insertion or deletion operations"`,
		Unit: claim.Number, Trial: "filters that grow 16-fold and back, four times",
		Cells: []claim.Cell{{Published: "implied 1 ± 0.02",
			Interval: claim.Mean(moved(log)).Less(claim.Mean(moved(log - 2))).
				Map(func(d float64) float64 { return 1 + d/stat.Mean(moved(log-2), nil) })}},
		Why: fmt.Sprintf("of their deletes %.0f do not find their member", negatives)}
}

func beginning(*trials.Run) claim.Value {
	set := func(k float64) float64 { return part(k * (1 << 14) / (1 << 18)) }
	return claim.Value{Name: "Figure 3: bits that are set at its beginning", Rule: claim.Below,
		Where: `section 5.2: "first insert 2^14 items" into 2^18 bits, which by section 5.1.3 "does ` +
			`not trigger expansion"`, Formula: "1 - e^(-kn/m)",
		Cells: []claim.Cell{cell("", "implied 20 %", set(hashes))},
		Why: fmt.Sprintf("with Table 1's k it grows at %s members, before any peak; with 3 hashes "+
			"%s would be set", quantity.Count(int(table1.load*(1<<18)/hashes)),
			quantity.Percent(set(3)))}
}

func speeds(*trials.Run) claim.Value {
	return claim.Value{Name: "Figures 5 to 8: operations per second, and milliseconds",
		Where: "sections 5.3 and 5.4, with 4 and 16 threads too",
		Why: "they depend on their code and on a CPU with 36 threads, and the text has no number; " +
			"package original and the models of the peers are made to be checked, and not to be fast"}
}

func figure8a(*trials.Run) claim.Value {
	const least, most = 12, 22
	v := claim.Value{Name: "Figure 8a: slow memory as the filter grows, beside 2^22 counters",
		Where: `section 5.4: "EBF uses less memory mostly"`, Unit: claim.Number,
		Formula: "with Table 1", Panels: []claim.Panel{{X: "log2 of the bits in fast memory",
			Y: "MiB of slow memory", Log: true}},
		Why: "that is so if the counters have 8 bits or more"}
	for log := least; log <= most; log++ {
		for _, form := range []struct {
			row  string
			bits float64
		}{
			{"buckets and their tree", slowBits(log, true)},
			{"buckets", slowBits(log, false)},
			{"fingerprints that are stored", table1.load * math.Exp2(float64(log)) *
				float64(32-log+1)},
			{"counters of 4 bits", 4 << most},
			{"counters of 8 bits", 8 << most},
			{"counters of 32 bits", 32 << most},
		} {
			c := cell(form.row, "", form.bits/8/(1<<20))
			c.X = float64(log)
			v.Cells = append(v.Cells, c)
		}
	}
	return v
}

func figure8b(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Figure 8b: work to double a filter",
		Where: `section 5.4: lazy update "keeps the lowest", rebuilding "keeps the highest"`,
		Unit:  claim.Number, Trial: "bits and buckets per bit of the filter",
		Panels: []claim.Panel{{X: "fingerprints per bucket", Y: "bits and buckets per bit",
			Log: true}},
		Why: "a rebuild needs less where there are fewer fingerprints than buckets, as with Table " +
			"1: an expansion reads the empty buckets too"}
	for _, load := range []float64{table1.load, 0.5, 1.5, 2, 3} {
		all := double(run, number(run, 13, 10), load)
		for i, of := range []func(*doubled) float64{
			func(d *doubled) float64 { return d.normal },
			func(d *doubled) float64 { return d.longest },
			func(d *doubled) float64 { return d.rebuilt }} {
			v.Cells = append(v.Cells, claim.Cell{X: load, Row: []string{"a normal expansion",
				"the longest call of a lazy update", "a rebuild"}[i],
				Interval: claim.Mean(trials.Column(all, of))})
		}
	}
	return v
}

// loaded returns the curves of Fig. 9, of the load at which a bucket overflows.
func loaded(run *trials.Run, v claim.Value, xs []float64, at func(i int) shape) claim.Value {
	v.Trial, v.Formula = "slots that are used, with k = 8", "by Poisson's law, one by one"
	for _, branches := range []int{0, 2, 3, 4, 8} {
		for i, x := range xs {
			s := at(i)
			s.branches = branches
			c := claim.Cell{Row: fmt.Sprint(branches, " branches"), X: x, Formula: new(s.load())}
			if !run.Short || s.log <= 12 {
				c.Interval = claim.Mean(trials.Recall(run, fmt.Sprint("load ", s),
					number(run, 200, 60), func(rng *rand.Rand) float64 {
						f := original.New(original.Config{Log: s.log, Most: s.log, Hashes: 8,
							Width: 32, Bucket: s.size, Branches: branches, Threshold: 1})
						for f.Insert(rng.Uint64()) {
						}
						return 8 * f.Cardinality() / s.slots()
					}))
			}
			v.Cells = append(v.Cells, c)
		}
	}
	return v
}

func shares(_, y *plot.Axis) { claim.Percents(y) }

func figure9a(run *trials.Run) claim.Value {
	few, many := shape{12, bucket, 2}, shape{12, bucket, 8}
	v := claim.Value{Name: "Figure 9a: load by the filter's size (S = 8)", Panels: []claim.Panel{
		{X: "log2 of the bits", Y: "load (%)", Axes: shares}},
		Where: `section 5.5: with more branches "we have more buckets to hold the inserted elements"`,
		Why: fmt.Sprintf("more branches have a higher load because there are fewer slots, and not "+
			"because there are more buckets: of 2^12 bits 2 branches have %s fingerprints before one "+
			"overflows, and 8 have %s", quantity.Count(int(few.load()*few.slots())),
			quantity.Count(int(many.load()*many.slots())))}
	return loaded(run, v, []float64{8, 10, 12, 14},
		func(i int) shape { return shape{log: 8 + 2*i, size: bucket} })
}

func figure9b(run *trials.Run) claim.Value {
	return loaded(run, claim.Value{Name: "Figure 9b: load by the bucket's size (2^10 bits)",
		Where: "section 5.5", Panels: []claim.Panel{{X: "log2 of the slots of a bucket, S",
			Y: "load (%)", Axes: shares}}}, []float64{1, 2, 3, 4, 5},
		func(i int) shape { return shape{log: 10, size: 2 << i} })
}

// whiteList is the first example of section 1, with random addresses: a black list that grows from
// a sixteenth of its members, and a white list of the addresses that it hits by mistake.
func whiteList(run *trials.Run) claim.Value {
	const log, listed, friendly = 9, 2000, 200_000
	all := trials.Recall(run, "lists", number(run, 20, 6), func(rng *rand.Rand) (n [2]float64) {
		black, white, same := large(log, 0.5), large(log, 0.5), large(log, 0.5)
		bad := insert(rng, black, listed)
		for range friendly {
			if hash := rng.Uint64(); black.Query(hash) {
				insert(rng, white, 1) // by hashes of its own
				same.Insert(hash)
			}
		}
		for _, hash := range bad {
			if white.Query(rng.Uint64()) {
				n[0] += 1. / listed
			}
			if same.Query(hash) {
				n[1] += 1. / listed
			}
		}
		return n
	})
	v := claim.Value{Name: "Section 1: listed addresses that the white list lets pass",
		Where: `black lists: "to solve the problem, a white list can be set up"`, Rule: claim.Never,
		Trial: "2000 listed addresses, 200,000 others",
		Why: "the white list has false positives of its own. With the hashes of the black list its " +
			"members have the bits of listed addresses, so that most of these pass"}
	for i, row := range []string{"hashes of its own", "the hashes of the black list"} {
		v.Cells = append(v.Cells, claim.Cell{Row: row, Published: "implied 0",
			Interval: claim.MeanShare(trials.Column(all,
				func(n *[2]float64) float64 { return n[i] }))})
	}
	return v
}

func merge(*trials.Run) claim.Value {
	return checked("Erratum: buckets that a merge reads beyond the last",
		`section 3.2.5, line 132: "i = 0, 1, …, m/2": B[i] is merged with B[i + m/2]`,
		fmt.Sprintf("i = 0, 1, …, m/2 - 1 is meant: then there are %.0f", beyondLast(8, 1)),
		cell("m = 8", "implied 0", beyondLast(8, 0)))
}

func groups(*trials.Run) claim.Value {
	const m, k = 4, 3
	return checked("Erratum: filters that overflow by an expansion", "section 3.3.2, line 144: "+
		`bucket i is associated to bucket ⌊i/k⌋ of level 2; "we try to pull the fingerprints in `+
		`level 2 back"`, fmt.Sprintf("where k does not divide m, other buckets share one after an "+
		"expansion, and what fitted before may not. With groups of each half's own there are %.0f",
		regrouped(m, func(i int) int { return i/m*((m+k-1)/k) + i%m/k })),
		cell("m = 4, k = 3", "implied 0", regrouped(m, func(i int) int { return i / k })))
}
