package main

import "fmt"

// HighwayHash-64 (Alakuijala, Cox and Wassenberg, "Fast keyed hash/pseudo-random function using
// SIMD multiply and permute", 2016), of many keys at once. Its state is four lanes of v0, v1, mul0
// and mul1; a half is two of them, 0 and 1 or 2 and 3. The two halves meet only in the last rounds,
// which swap those of v0; here that only renames registers. Package internal/highway has the
// definition, and the code around this assembly.

// half is two lanes of a state.
type half struct{ v0, v1, mul0, mul1 pair }

// hasher describes the hash on a machine.
type hasher struct {
	pairMachine
	zipper pair // the bytes of two lanes as v0 and v1 get them from one another
}

func newHasher(m pairMachine) hasher {
	return hasher{m, m.Literal([2]uint64{0x000f010e05020c03, 0x070806090d0a040b})}
}

// absorb is a round of one half, after v1 got its packet. highV0 is High(h.v0).
func (m hasher) absorb(h half, highV0 factor) {
	m.AddLanes(h.v1, h.mul0)
	m.XorLanes(h.mul0, m.Mul(m.Low(h.v1), highV0))
	m.AddLanes(h.v0, h.mul1)
	m.multiply(h)
	m.AddLanes(h.v0, m.Shuffle(h.v1, m.zipper))
	m.AddLanes(h.v1, m.Shuffle(h.v0, m.zipper))
}

func (m hasher) multiply(h half) { m.XorLanes(h.mul1, m.Mul(m.Low(h.v0), m.High(h.v1))) }

// update is a round of one half for a packet.
func (m hasher) update(h half, packet pair, highV0 factor) {
	m.AddLanes(h.v1, packet)
	m.absorb(h, highV0)
}

// The constants of a half before its first round, as the schedule of package internal/highway has
// them.
const (
	constV1    = iota // v1 + mul0
	constHigh         // the upper halves of v0, in the lower ones
	constMul0         // mul0
	constV0           // v0 + mul1
	constMul1         // mul1
	halfConsts        // their number
)

// first is the first round of a half, whose state is constant before it.
func (m hasher) first(constants word, from int, packet pair) half {
	constant := func(i int) pair { return m.Constant(constants, from+i) }
	h := half{v0: constant(constV0), v1: constant(constV1), mul0: constant(constMul0),
		mul1: constant(constMul1)}
	m.AddLanes(h.v1, packet)
	m.XorLanes(h.mul0, m.Mul(m.Low(h.v1), m.Low(constant(constHigh))))
	m.multiply(h)
	m.AddLanes(h.v0, m.Shuffle(h.v1, m.zipper))
	m.AddLanes(h.v1, m.Shuffle(h.v0, m.zipper))
	return h
}

// end has the last rounds, from the given one on, and returns the hashes in lane 0. The packet of a
// round is v0 with its halves, and those of each lane, swapped.
func (m hasher) end(a, b half, from int) pair {
	for range beforeLast - from {
		m.Comment(phaseEnd)
		swappedA, highA := m.Swap(a.v0)
		swappedB, highB := m.Swap(b.v0)
		m.update(a, swappedB, highA)
		m.update(b, swappedA, highB)
	}
	m.Comment("the last but one, of which only v0 is left of lanes 2 and 3")
	swappedA, highA := m.Swap(a.v0)
	swappedB, _ := m.Swap(b.v0)
	m.update(a, swappedB, highA)
	m.AddLanes(b.v1, swappedA)
	m.AddLanes(b.v1, b.mul0)
	m.AddLanes(b.v0, b.mul1)
	m.AddLanes(b.v0, m.Shuffle(b.v1, m.zipper))

	m.Comment(phaseLast)
	swappedB, _ = m.Swap(b.v0)
	m.update(a, swappedB, m.High(a.v0))
	m.AddLanes(a.v0, a.v1)
	m.AddLanes(a.mul0, a.mul1)
	m.AddLanes(a.v0, a.mul0)
	return a.v0
}

// beforeLast is the number of rounds of the end before the last two.
const beforeLast = 2

// highwayShort describes the hashes of keys whose width leaves the half of lanes 2 and 3 constant
// in the first round too.
func highwayShort(width int) func(machine) {
	return func(on machine) {
		m := newHasher(newPairs(on))
		constants, keys, n, hashes := m.Arg("constants"), m.Arg("keys"), m.Arg("n"), m.Arg("hashes")
		groups(m, n, hashes, func() {
			m.Comment("the packet, of which lanes 0 and 1 are not constant")
			a := m.first(constants, 0, m.Widen(keys, width))
			m.Comment("the first round of the end, before which lanes 2 and 3 are constant")
			swapped, high := m.Swap(a.v0)
			m.update(a, m.Constant(constants, halfConsts+constHigh), high)
			b := m.first(constants, halfConsts, swapped)
			m.StoreFirst(hashes, m.end(a, b, 1))
			m.AddConst(keys, width*m.Keys())
		})
	}
}

type (
	// firstPacket loads the halves of the first packet of each key.
	firstPacket func(m hasher, keys word) (a, b pair)

	// secondPacket is the round for the second one.
	secondPacket func(m hasher, a, b half, constants, keys word) (half, half)
)

// highwayLong describes the hashes of keys of one packet, or of two where there is a second.
func highwayLong(width int, first firstPacket, second secondPacket) func(machine) {
	return func(on machine) {
		m := newHasher(newPairs(on))
		constants, keys, n, hashes := m.Arg("constants"), m.Arg("keys"), m.Arg("n"), m.Arg("hashes")
		groups(m, n, hashes, func() {
			m.Comment("the first packet")
			lower, upper := first(m, keys)
			a, b := m.first(constants, 0, lower), m.first(constants, halfConsts, upper)
			if second != nil {
				a, b = second(m, a, b, constants, keys)
			}
			m.StoreFirst(hashes, m.end(a, b, 0))
			m.AddConst(keys, width*m.Keys())
		})
	}
}

// halves16 returns the packet of a key of 16 bytes: the last four are in lane 3 once more.
func halves16(m hasher, keys word) (a, b pair) {
	a = m.Load(keys)
	return a, m.Shuffle(a, m.Literal([2]uint64{^uint64(0), 0x0f0e0d0c_ffffffff}))
}

// halves20 returns the packet of a key of 20 bytes: the last four are in lane 2, and in lane 3 once
// more.
func halves20(m hasher, keys word) (a, b pair) {
	last := m.Literal([2]uint64{0xffffffff_0f0e0d0c, 0x0f0e0d0c_ffffffff})
	return m.Gather(keys, 0, 20), m.Shuffle(m.Gather(keys, 4, 20), last)
}

func halves32(m hasher, keys word) (a, b pair) {
	return m.Gather(keys, 0, 32), m.Gather(keys, 16, 32)
}

func halves40(m hasher, keys word) (a, b pair) {
	return m.Gather(keys, 0, 40), m.Gather(keys, 16, 40)
}

// rest40 is the round for the last 8 bytes of 40.
func rest40(m hasher, a, b half, constants, keys word) (half, half) {
	m.Comment("the rest, and its size")
	rotate8 := m.Literal([2]uint64{0x06050407_02010003, 0x0e0d0c0f_0a09080b})
	size := m.Constant(constants, 2*halfConsts)
	m.AddLanes(a.v0, size)
	m.AddLanes(b.v0, size)
	a.v1, b.v1 = m.Shuffle(a.v1, rotate8), m.Shuffle(b.v1, rotate8)
	last := m.Shuffle(m.Gather(keys, 24, 40), m.Literal([2]uint64{0x0f0e0d0c_0b0a0908, ^uint64(0)}))
	m.update(a, last, m.High(a.v0))
	m.absorb(b, m.High(b.v0))
	return a, b
}

// state is a state in memory: v0, v1, mul0 and mul1, four lanes each.
func (m hasher) state(at word) (a, b half) {
	load := func(i int) half {
		return half{m.Constant(at, i), m.Constant(at, 2+i), m.Constant(at, 4+i),
			m.Constant(at, 6+i)}
	}
	return load(0), load(1)
}

// packet is a round of both halves.
func (m hasher) packet(a, b half, lower, upper pair) {
	m.update(a, lower, m.High(a.v0))
	m.update(b, upper, m.High(b.v0))
}

// last is the round for the packet of what is left of each key, from its lower to its upper half,
// and of how many bytes that was, in every half of a lane.
func (m hasher) last(a, b half, lower, upper, sizes pair) {
	m.Comment(phaseSized)
	m.AddLanes(a.v0, sizes)
	m.AddLanes(b.v0, sizes)
	m.RotateHalves(a.v1, sizes)
	m.RotateHalves(b.v1, sizes)
	m.packet(a, b, lower, upper)
}

// packetBytes is the size of a packet, and packRowBits that of a row that says how one is made, as
// a power of two.
const (
	packetBytes = 2 * pairBytes
	packRowBits = 6
)

// highwayMixed describes the hashes of keys that lie anywhere. The packet of a rest is a shuffle of
// bytes that are the key's: its lower half comes from the first 16 of these bytes, or from the
// key's last 16 if there are fewer, and its upper half from the key's last 16.
func highwayMixed(on machine) {
	m := newHasher(newPairs(on))
	headers, stride, data, list := m.Arg("headers"), m.Arg("stride"), m.Arg("data"), m.Arg("list")
	n, hashes := m.Arg("n"), m.Arg("hashes")
	key := func(i int) (begin, header word) { return listed(m, list, i, stride, headers, data) }
	groups(m, n, hashes, func() {
		a, b := m.state(m.Arg("state"))
		done, left := m.Zero(), m.Arg("full")
		m.While(left, func() {
			m.Comment(phaseWhole)
			lower, upper := m.New(), m.New()
			for i := range m.Keys() {
				packet, _ := key(i)
				m.Add(packet, done)
				m.LoadKey(lower, i, packet, 0)
				m.LoadKey(upper, i, packet, pairBytes)
			}
			m.packet(a, b, lower, upper)
			m.AddConst(done, packetBytes)
			m.AddConst(left, -1)
		})
		m.Comment(phaseRest)
		rows := m.Arg("rows")
		lower, upper, sizes := m.New(), m.New(), m.New()
		lowerBytes, upperBytes := m.New(), m.New()
		for i := range m.Keys() {
			rest, header := key(i)
			row := m.LoadHash(m.At(header, wordBytes))
			tail := m.Sum(rest, row, -pairBytes)
			m.Sub(row, done)
			m.ShiftLeft(row, packRowBits)
			m.Add(row, rows)
			m.Add(rest, done)
			m.LoadKey(lower, i, m.Min(rest, tail), 0)
			m.LoadKey(upper, i, tail, 0)
			m.LoadKey(lowerBytes, i, row, 0)
			m.LoadKey(upperBytes, i, row, pairBytes)
			m.LoadKey(sizes, i, row, 2*pairBytes)
		}
		m.last(a, b, m.Shuffle(lower, lowerBytes), m.Shuffle(upper, upperBytes), sizes)
		m.StoreFirst(hashes, m.end(a, b, 0))
		m.AddConst(list, wordBytes*m.Keys())
	})
}

// highwayUpdate describes the rounds of whole packets of one key. Its two halves take the places of
// two keys, with half of the instructions of highwaySum's rounds. The last rounds would need the
// halves apart.
func highwayUpdate(on machine) {
	m := newHasher(newTwoKeys(on))
	state, packets, n := m.Arg("state"), m.Arg("packets"), m.Arg("n")
	lanes := func(i int) pair { return m.Gather(state, i*packetBytes, pairBytes) }
	both := half{v0: lanes(0), v1: lanes(1), mul0: lanes(2), mul1: lanes(3)}
	m.While(n, func() {
		m.Comment(phaseWhole)
		m.update(both, m.Load(packets), m.High(both.v0))
		m.AddConst(packets, packetBytes)
		m.AddConst(n, -1)
	})
	for i, x := range []pair{both.v0, both.v1, both.mul0, both.mul1} {
		m.Store(state, i*packetBytes, x)
	}
	m.ReturnNothing()
}

// packets are the rounds of the whole packets of one key.
func (m hasher) packets(a, b half) {
	packets, n := m.Arg("packets"), m.Arg("n")
	m.While(n, func() {
		m.Comment(phaseWhole)
		m.packet(a, b, m.Gather(packets, 0, 0), m.Gather(packets, pairBytes, 0))
		m.AddConst(packets, packetBytes)
		m.AddConst(n, -1)
	})
}

// highwaySum describes the hash of one key of 16 bytes or more.
func highwaySum(on machine) {
	m := newHasher(newOneKey(on))
	a, b := m.state(m.Arg("state"))
	m.packets(a, b)
	row := m.Arg("row")
	half := func(name string, offset int) pair {
		return m.Shuffle(m.Gather(m.Arg(name), 0, 0), m.Gather(row, offset, 0))
	}
	m.last(a, b, half("lower", 0), half("upper", pairBytes), m.Gather(row, 2*pairBytes, 0))
	m.Return(m.First(m.end(a, b, 0)))
}

// highwayFew describes the hash of one key of so few bytes that their packet is made in Go.
func highwayFew(on machine) {
	m := newHasher(newOneKey(on))
	a, b := m.state(m.Arg("state"))
	sizes := m.Arg("sizes")
	lower, upper := m.Words(m.Arg("lane0"), m.Arg("lane1")), m.Words(m.Arg("lane2"), m.Zero())
	m.last(a, b, lower, upper, m.Words(sizes, sizes))
	m.Return(m.First(m.end(a, b, 0)))
}

// highwayFixed is the function for keys of one width.
func highwayFixed(width int, emit func(machine)) operation {
	return operation{
		contract: contract{
			name: "Highway",
			takes: parameters{{"constants", goWords}, {"keys", goBytes}, {"n", goInt},
				{"hashes", goWords}},
			doc: fmt.Sprintf(`stores the hashes of n keys that lie one behind another, of as many
bytes as the function's name says: their HighwayHash-64 under the key that constants are of.

n is a multiple of 8. constants has the schedule of package internal/highway for this width,
which is %d words, or %d for 40 bytes, and hashes n. None has an alignment.`, scheduleWords,
				sizedWords),
		},
		variant: fmt.Sprint(width),
		emit:    emit,
		shapes:  []shape{{}},
		phases:  []string{phaseEnd, phaseLast},
		form:    apart,
	}
}

// The words of a schedule, without the size of a rest and with it.
const (
	scheduleWords = 2 * halfConsts * pairBytes / wordBytes
	sizedWords    = scheduleWords + pairBytes/wordBytes
)

func init() {
	asmFolder.describe("highway", []operation{
		highwayFixed(4, highwayShort(4)),
		highwayFixed(8, highwayShort(8)),
		highwayFixed(16, highwayLong(16, halves16, nil)),
		highwayFixed(20, highwayLong(20, halves20, nil)),
		highwayFixed(32, highwayLong(32, halves32, nil)),
		highwayFixed(40, highwayLong(40, halves40, rest40)),
		{
			contract: contract{
				name: "HighwayMixed",
				takes: parameters{{"state", goWords}, {"headers", goBytes}, {"stride", goInt},
					{"data", goBytes}, {"list", goInt.pointer()}, {"n", goInt}, {"full", goInt},
					{"rows", goBytes}, {"hashes", goWords}},
				doc: `stores the hashes of n keys of full whole packets of 32 bytes and a rest of
1 to 32 bytes each, from the state before the first packet. The i-th of them is the one of the
list's i-th number. The header of number j is two words, j*stride bytes behind headers: where the
key begins, counted from data, and its length, which is 16 at least or has 16 bytes that can be read
before its end.

n is a multiple of 8. rows has for a rest of 1 to 32 bytes, 64 bytes times that behind rows:
which of the 16 bytes that it begins with are the lower half of its packet, or which of the key's
last 16 where there are not as many, which of the key's last 16 are the upper half, and its size
modulo 32, four times.`,
			},
			emit:   highwayMixed,
			shapes: []shape{{}},
			phases: []string{phaseWhole, phaseRest, phaseSized, phaseEnd, phaseLast},
			form:   apart,
		},
		{
			contract: contract{
				name:  "HighwayUpdate",
				takes: parameters{{"state", goWords}, {"packets", goBytes}, {"n", goInt}},
				doc:   `takes n whole packets into a state.`,
			},
			emit:   highwayUpdate,
			shapes: []shape{{}},
			phases: []string{phaseWhole},
			form:   apart,
		},
		{
			contract: contract{
				name: "HighwaySum",
				takes: parameters{{"state", goWords}, {"packets", goBytes}, {"n", goInt},
					{"lower", goBytes}, {"upper", goBytes}, {"row", goBytes}},
				gives: goUint64,
				doc: `returns the hash of a key of n whole packets and a rest, from the state
before them, which stays as it is. Lower and upper are the 16 bytes that the halves of the rest's
packet are made of, as row says: see [HighwayMixed].`,
			},
			emit:   highwaySum,
			shapes: []shape{{}},
			phases: []string{phaseWhole, phaseSized, phaseEnd, phaseLast},
			form:   apart,
		},
		{
			contract: contract{
				name: "HighwayFew",
				takes: parameters{{"state", goWords}, {"lane0", goUint64}, {"lane1", goUint64},
					{"lane2", goUint64}, {"sizes", goUint64}},
				gives: goUint64,
				doc: `returns the hash of a key of 1 to 15 bytes, from the state before them,
which stays as it is. The lanes are those of its packet, whose last is zero, and sizes is its
length, twice in 32 bits.`,
			},
			emit:   highwayFew,
			shapes: []shape{{}},
			phases: []string{phaseSized, phaseEnd, phaseLast},
			form:   apart,
		},
	})
}
