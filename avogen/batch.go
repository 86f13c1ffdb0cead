package main

// A batch is a loop over hashes. It has two halves. The first prefetches, beside each key, the
// block of the hash some distance ahead. The second does not prefetch: it is for the last hashes of
// a batch, and for tables that are in the cache. The caller chooses by the count of the first half.

// wordBytes is the size of a hash and of a word of answers, wordBits the number of answers in one,
// and positionBytes the size of a position.
const (
	wordBytes     = 8
	wordBits      = 64
	positionBytes = 4
)

// key is one hash of a batch: its block and its spread hash.
type key struct {
	block address
	g     word
}

func newKey(m machine, h word) key { return key{m.hashed().block(m, h), m.hashed().spread(m, h)} }

// mask returns the mask of the key.
func (k key) mask(m machine) mask { return m.hashed().mask(m, k.g) }

// hash loads the hash at an address.
func hash(m machine, a address) word { return m.hashed().load(m, a) }

// batch is the part of a batch's arguments that each operation has.
type batch struct {
	m                machine
	hashes, distance word
	n, fetch         word
}

func newBatch(m machine) batch { return newBatchOn(m, m.Arg("table")) }

// newBatchOn is newBatch on a table that does not begin at the argument.
func newBatchOn(m machine, table word) batch {
	m.SetTable(table, m.Arg("nblocks"))
	return batch{m, m.Arg("hashes"), m.Arg("distance"), m.Arg("n"), m.Arg("fetch")}
}

// walk runs body for the next n keys.
func (b batch) walk(n word, body func(h word)) {
	m := b.m
	fetching := m.Min(n, b.fetch)
	m.Sub(b.fetch, fetching)
	m.Sub(n, fetching)
	m.Walk("a key, with prefetch", b.hashes, fetching, wordBytes, func() {
		m.Prefetch(m.hashed().block(m, hash(m, m.Indexed(b.hashes, b.distance))))
		body(hash(m, m.At(b.hashes, 0)))
	})
	m.Walk("a key, without prefetch", b.hashes, n, wordBytes, func() {
		body(hash(m, m.At(b.hashes, 0)))
	})
}

// answers emits a batch whose answers are bits: operate is run for each key, a word of answers
// after the other.
func answers(m machine, operate func(m machine, k key) bit) {
	b := newBatch(m)
	bitmap(m, b.n, func(n, found word) {
		b.walk(n, func(h word) { m.Push(found, operate(m, newKey(m, h))) })
	})
}

// bitmap emits the loop over the words of answers, the output and the result. push is that of
// words.
func bitmap(m machine, left word, push func(n, found word)) {
	out, count := m.Arg("present"), m.Zero()
	words(m, left, push, func(found word) {
		m.Add(count, m.OnesCount(found))
		m.If(out, func() {
			m.StoreWord(m.At(out, 0), found)
			m.AddConst(out, wordBytes)
		})
	})
	m.Return(count)
}

// words emits the loop over the words of answers. push makes the next n answers, at most one word
// of them, and take has the word.
func words(m machine, left word, push func(n, found word), take func(found word)) {
	m.While(left, func() {
		n, found := m.MinConst(left, wordBits), m.Zero()
		m.Sub(left, n)
		push(m.Copy(n), found)
		m.Settle(found, n)
		take(found)
	})
}

// selection emits a batch whose output is the positions of the keys that operate says yes to.
func selection(m machine, operate func(m machine, k key) bit) {
	b := newBatch(m)
	first, positions := m.Arg("first"), m.Arg("positions")
	m.Return(m.Select(b.n, first, positions, func(n word, take func(bit)) {
		b.walk(n, func(h word) { take(operate(m, newKey(m, h))) })
	}))
}

// single emits the form of an operation for one hash.
func single(m machine) key {
	m.SetTable(m.Arg("table"), m.Arg("nblocks"))
	return newKey(m, m.Arg("h"))
}
