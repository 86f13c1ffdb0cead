package main

// mergeDistance is how far ahead of itself, in bytes, a merge of large tables prefetches. The
// processor's own prefetchers follow the two streams too, but a row's work fills the reorder buffer
// before they are far enough ahead: without this, two tables of 256 MiB take 1.10 to 1.27 times as
// long as dst |= src, and with it 0.99 to 1.13 times. A distance of 1024 gave times between these
// two, and 2048 gave no gain. In the L1 prefetching doubles the time.
const mergeDistance = 512

// merge: each block of src into the block of dst that has its place: all bits of both, and a
// collision for each data bit that both have. What the two share in lane 0 is a collision of both,
// so Fold need not leave it out. Without a collision lane it is dst |= src. The first fetch blocks
// are merged with prefetching.
func merge(m machine) {
	dst, src, n := m.Arg("dst"), m.Arg("src"), m.Arg("n")
	fetching := m.Min(n, m.Arg("fetch"))
	m.Sub(n, fetching)
	one := func() {
		a := m.At(dst, 0)
		x, y := m.Load(a), m.Load(m.At(src, 0))
		if m.collides() {
			m.Store(a, m.Or3(x, y, m.Fold(m.And(x, y))))
		} else {
			m.Store(a, m.Or(x, y))
		}
		m.AddConst(src, m.BlockBytes())
	}
	m.Walk("a block, with prefetch", dst, fetching, m.BlockBytes(), func() {
		m.Prefetch(m.At(dst, mergeDistance))
		m.Prefetch(m.At(src, mergeDistance))
		one()
	})
	m.Walk("a block, without prefetch", dst, n, m.BlockBytes(), one)
	m.ReturnNothing()
}

func init() {
	asmFolder.describe("merge", []operation{{
		contract: contract{
			name:  "Merge",
			takes: parameters{{"dst", goBlock}, {"src", goBlock}, {"n", goInt}, {"fetch", goInt}},
			doc: `merges the n blocks at src into the n blocks at dst, block by block. Beside
each of the first fetch of them the blocks some lines later are prefetched, which never faults: n
if the tables are larger than the L2 cache, and 0 if not. Dst and src do
not overlap.`,
		},
		emit:   merge,
		shapes: blocks,
		method: `adds the members of the table u to t. A member of both is a member twice. If
nothing was deleted from t and u, the result is the table of the inserts into both, bit for bit.
It panics if the lengths differ, or if u is t.`,
		phases: []string{phasePrefetch, phaseFold, phaseStore},
		form:   tables,
	}})
}
