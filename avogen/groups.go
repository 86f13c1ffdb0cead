package main

// What the hashes of many keys at once have in common.

// grouped is a machine that hashes a group of keys at once.
type grouped interface {
	integers

	// Comment is a line for the reader of the generated file.
	Comment(line string)

	// Keys is the number of keys of a group.
	Keys() int

	// Times returns x * y, and ShiftLeft shifts w.
	Times(x, y word) word
	ShiftLeft(w word, bits int)
}

// groups runs body for one group of keys after another, which body finds by itself.
func groups(m grouped, n, hashes word, body func()) {
	m.While(n, func() {
		body()
		m.AddConst(hashes, wordBytes*m.Keys())
		m.AddConst(n, -m.Keys())
	})
	m.ReturnNothing()
}

// listed returns where the key of the i-th number in a list is, and its header: two words, of which
// the first is where the key begins, counted from data, and the second its length.
func listed(m grouped, list word, i int, stride, headers, data word) (begin, header word) {
	header = m.Times(m.LoadHash(m.At(list, i*wordBytes)), stride)
	m.Add(header, headers)
	begin = m.LoadHash(m.At(header, 0))
	m.Add(begin, data)
	return begin, header
}
