package main

// form is how package dispatch runs an operation.
type form struct {
	name   string     // of its loop in templates/operations.tmpl
	method parameters // of the definition in package fallback, and of a method of Implementation
	result goType     // of the same; "" for none
	// The slice that a batch writes: its name, and where in it a call begins.
	output, place string

	// A call of assembly: what the loop gives it, and what it hands on. It has the method's result.
	call parameters
	pass string
}

// is reports whether two operations have the same form.
func (f form) is(g form) bool { return f.name == g.name }

// dispatched reports whether package dispatch has methods of the form.
func (f form) dispatched() bool { return f.method != nil }

// alone reports whether an architecture has one function for all of its sets.
func (f form) alone() bool { return f.is(direct) || f.is(choosing) }

// What the methods of several forms take.
var (
	inTable  = parameter{"table", goTable}
	inHashes = parameter{"hashes", goUint64.slice()}
	inCalls  = parameter{"p", "*pipeline"}
	inPart   = parameters{{"part", goTable}, {"first", goInt}, {"nblocks", goInt}, inHashes}
	inSample = parameters{inHashes, {"present", goUint64.slice()}, {"odd", goUint64},
		{"limit", goUint64}}

	outPresent = parameter{"present", goUint64}
	outStatus  = parameter{"status", goUint8}

	outPositions = parameter{"positions", goUint32}
)

const passBatch = "&table[0], len(table), &hashes[p.start], p.n, p.fetch, p.distance"

var (
	apart  = form{name: "apart"}  // by internal/pmac itself
	direct = form{name: "direct"} // by package kernel itself

	// By package kernel itself: assembly that jumps to the function of a set.
	choosing = form{name: "choosing"}

	// What a batch of keys begins with.
	fetching = form{name: "fetch", call: parameters{inTable, inHashes},
		pass: "&table[0], len(table), &hashes[0], len(hashes)"}

	adds = form{name: "adds", method: parameters{inTable, inHashes},
		call: parameters{inTable, inHashes, inCalls}, pass: passBatch}

	// A batch into a part of a table.
	parts = form{name: "parts", method: inPart, call: inPart.append(inCalls),
		pass: "&part[0], first*int(unsafe.Sizeof(part[0])), nblocks, &hashes[0], p.n, p.fetch, " +
			"p.distance"}

	tables = form{name: "tables", method: parameters{inTable, {"other", goTable}},
		call: parameters{inTable, {"other", goTable}, {"fetch", goInt}},
		pass: "&table[0], &other[0], len(table), fetch"}

	masks = form{name: "masks", result: goInt,
		method: parameters{{"block", goBlock}, {"masks", goTable}, {"present", goUint64.slice()}},
		call:   parameters{{"block", goBlock}, {"masks", goTable}, {"present", goWords}},
		pass:   "block, &masks[0], len(masks), present"}

	// A batch whose result is the length of its output: a call goes on behind that of the last.
	selecting = form{name: "keys", result: goInt, output: outPositions.name,
		place:  "&positions[count]",
		method: parameters{inTable, inHashes, {outPositions.name, outPositions.typed.slice()}},
		call: parameters{inTable, inHashes, inCalls,
			{outPositions.name, outPositions.typed.pointer()}},
		pass: passBatch + ", p.start, positions"}

	sampling = form{name: "sample", method: inSample, call: inSample,
		pass: "len(hashes)/64, &present[0], &hashes[0], odd, limit"}
)

// oneKey is the form of an operation on one key, which is a call alone.
func oneKey(result goType) form {
	return form{name: "key", method: parameters{inTable, {"h", goUint64}}, result: result,
		pass: "&table[0], len(table), h"}
}

// keys is the form of a batch with an output for each key.
func keys(output parameter) form {
	return form{name: "keys", result: goInt, output: output.name,
		place:  output.name + "At(" + output.name + ", p.start)",
		method: parameters{inTable, inHashes, {output.name, output.typed.slice()}},
		call:   parameters{inTable, inHashes, inCalls, {output.name, output.typed.pointer()}},
		pass:   passBatch + ", " + output.name}
}

// hashing is the form of the hashes of values of a type.
func hashing(value goType) form {
	takes := parameters{{"values", value.slice()}, inHashes}
	return form{name: "hash", method: takes, call: takes,
		pass: "len(values)/groupValues, &hashes[0], &values[0]"}
}
