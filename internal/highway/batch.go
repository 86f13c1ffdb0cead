//go:build (amd64 || arm64) && !purego

package highway

import (
	"encoding/binary"
	"sync"
	"unsafe"
)

// This file cuts hashing into calls of assembly, which calls_amd64.go and calls_arm64.go make. As
// in package kernel, a function with Call in its name makes one of them and is not inlined: a
// goroutine stops for a garbage collection where it enters such a function.
const (
	// callKeys and callPackets are the number of keys of one width, and of packets of one key, in a
	// call: a call takes less than 15 µs.
	callKeys    = 1024
	callPackets = 1024
)

// apart is the number of whole packets from which a call of their own is faster than the call for
// the last bytes.
const apart = 8

// wholePackets returns the number of packets before that of a key's last 1 to 32 bytes.
func wholePackets(size int) int { return (size - 1) / packetBytes }

func (im implementation) sum64(k *Key, data []byte) uint64 {
	switch n := len(data); {
	case !im.inAssembly():
		return portableSum64(k, data)
	case n == 0:
		return definition(k.initial, nil)
	case n < 16:
		lane0, lane1, lane2 := few(data)
		return im.fewCall(k, lane0, lane1, lane2, n)
	}
	whole := wholePackets(len(data))
	if whole < apart {
		return im.sumCall(&k.initial, data, whole)
	}
	s := k.initial
	for whole > 1 { // one stays, so that there are 16 bytes before the end
		n := min(whole-1, callPackets)
		im.updateCall(&s, data[:n*packetBytes])
		data, whole = data[n*packetBytes:], whole-n
	}
	return im.sumCall(&s, data, whole)
}

// few returns the packet of 1 to 15 bytes, without a branch for each length. The last lane of the
// packet is empty.
func few(data []byte) (lane0, lane1, lane2 uint64) {
	n := len(data)
	if n < 4 {
		return 0, 0, uint64(data[0]) | uint64(data[n/2])<<8 | uint64(data[n-1])<<16
	}
	var odd uint64 // the bytes behind the last whole four
	if n < 8 {
		lane0 = uint64(binary.LittleEndian.Uint32(data))
		odd = uint64(binary.LittleEndian.Uint32(data[n-4:])) >> (8 * uint(8-n))
	} else {
		lane0 = binary.LittleEndian.Uint64(data)
		odd = binary.LittleEndian.Uint64(data[n-8:]) >> (8 * uint(16-n))
		four := uint(n & 4)
		lane1 = odd & (1<<(8*four) - 1)
		odd >>= 8 * four
	}
	left := uint(n & 3)
	lane2 = odd&0xff | odd>>(8*(left/2))&0xff<<8 | odd>>(8*(left-1))&0xff<<16 // of no bytes nothing
	return lane0, lane1, lane2
}

func (im implementation) sum64Uint64(k *Key, n uint64) uint64 {
	if !im.inAssembly() {
		return portableSum64Uint64(k, n)
	}
	return im.fewCall(k, n, 0, 0, 8)
}

// restOf returns, for each half of the packet after the whole ones, the 16 bytes that it is made
// of, and how. Data has 16 bytes at least.
func restOf(data []byte, whole int) (lower, upper, row *byte) {
	start, tail := whole*packetBytes, len(data)-16
	return &data[min(start, tail)], &data[tail], &packRows[len(data)-start].lower[0]
}

// batches reports whether n keys are hashed together. In less than a group a key would take longer
// than alone, because a batch has a constant cost of 60 ns.
func (im implementation) batches(n int) bool { return n >= group && im.inAssembly() }

func (im implementation) hashFixed(k *Key, data []byte, width int, hashes []uint64) {
	switch {
	case !im.batches(len(hashes)):
		fixedSingly(im, k, data, width, hashes)
	case scheduled(width):
		im.hashScheduled(k, data, width, hashes)
	default:
		b := buffers.Get().(*buffer)
		defer buffers.Put(b)
		for i := range min(len(hashes), chunk) { // as counted from any chunk's first key
			b.headers[i] = header{i * width, width}
		}
		for len(hashes) > 0 {
			n := min(len(hashes), chunk)
			im.mixed(k, b, b.source(data), hashes[:n])
			data, hashes = data[n*width:], hashes[n:]
		}
	}
}

func (im implementation) hashScheduled(k *Key, data []byte, width int, hashes []uint64) {
	c := newSchedule(k.initial, width)
	for len(hashes) >= group {
		n := min(len(hashes), callKeys) / group * group
		im.fixedCall(&c, data, width, hashes[:n])
		data, hashes = data[n*width:], hashes[n:]
	}
	if len(hashes) > 0 {
		var keys [group * widest]byte
		var sums [group]uint64
		copy(keys[:], data)
		im.fixedCall(&c, keys[:], width, sums[:])
		copy(hashes, sums[:])
	}
}

// What follows hashes keys of mixed lengths. They are sorted by the number of their packets, a
// chunk at a time. So the keys of one call take the same path, and few branches depend on the
// length of one key.
const (
	// chunk is the number of keys that are sorted at a time, a multiple of group.
	chunk = 512

	// mostWhole is the largest number of whole packets of a key that is hashed together with
	// others: a chunk has that number of rounds.
	mostWhole = 7
)

// The classes of keys. Most keys belong to the first three. The first sorting puts all other keys
// into one class.
const (
	atMost15   = iota // copied to where 16 bytes can be read
	atLeast16         // no whole packet before the rest
	onePacket         // one before it
	others            // of the first sorting
	twoPackets        // two before it; the next class has three, and so on
	tooLong    = twoPackets + mostWhole - 1
	noBytes    = tooLong + 1
	classes    = noBytes + 1
)

// classOf is the class of each length, the last being that of all longer ones, and shiftOf the
// place of its count in the first sorting.
var classOf, shiftOf = func() (class, shift [(mostWhole+1)*packetBytes + 2]uint8) {
	for n := range class {
		switch {
		case n == 0:
			class[n] = noBytes
		case n < 16:
			class[n] = atMost15
		case n <= 2*packetBytes:
			class[n] = uint8(atLeast16 + wholePackets(n))
		default:
			class[n] = uint8(twoPackets - 2 + wholePackets(n))
		}
		shift[n] = countBits * min(class[n], others)
	}
	return class, shift
}()

// countBits is the size of a count in the first sorting.
const countBits = 16

// buffer is the memory that a batch needs.
type buffer struct {
	lists   [classes][chunk]int // the keys of each class
	counts  [classes]int
	sums    [chunk]uint64
	headers [chunk]header

	short        [chunk][16]byte // keys, each at the end of its own
	shortHeaders [chunk]header
	slots        [chunk]int // the numbers from 0 on
}

var buffers = sync.Pool{New: func() any {
	b := new(buffer)
	for i := range b.slots {
		b.slots[i] = i
	}
	return b
}}

// header is where a key begins, counted from some data, and its length. The first two words of a
// string and of a slice are one, counted from nothing: assembly may take a pointer for a number.
type header struct{ start, size int }

// packRow says how the last packet is made of a key: see asm.HighwayMixedAVX2.
type packRow struct {
	lower, upper [16]uint8
	sizes        [4]uint32
	_            [16]byte
}

// packRows has a row for each length of what a key ends with.
var packRows = func() (rows [packetBytes + 1]packRow) {
	for n := 1; n <= packetBytes; n++ {
		// The result for the bytes 1, 2, 3, … says where they go.
		var numbers [packetBytes]byte
		for i := range n {
			numbers[i] = byte(i + 1)
		}
		last := load(numbers[:])
		if n < packetBytes {
			last = rest(numbers[:n])
		}
		for i := range 16 {
			number := func(lane int) int { return int(last[lane+i/8] >> (i % 8 * 8) & 0xff) }
			rows[n].lower[i] = packedByte(number(0), min(0, n-16))
			rows[n].upper[i] = packedByte(number(2), n-16)
		}
		for i := range rows[n].sizes {
			rows[n].sizes[i] = uint32(n % packetBytes)
		}
	}
	return rows
}()

// packedByte is where the byte of a number is in the 16 bytes that begin with that of index first;
// 0 is none.
func packedByte(number, first int) uint8 {
	if number == 0 {
		return 255
	}
	return uint8(number - 1 - first)
}

func hashKeys[K []byte | string](im implementation, k *Key, keys []K, hashes []uint64) {
	if !im.batches(len(hashes)) {
		keysSingly(im, k, keys, hashes)
		return
	}
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	for len(hashes) > 0 {
		n := min(len(hashes), chunk)
		im.mixed(k, b, source{unsafe.Pointer(unsafe.SliceData(keys)), unsafe.Sizeof(keys[0]), nil},
			hashes[:n])
		keys, hashes = keys[n:], hashes[n:]
	}
}

func hashOffsets[O Offset](im implementation, k *Key, data []byte, offsets []O, hashes []uint64) {
	if !im.batches(len(hashes)) {
		offsetsSingly(im, k, data, offsets, hashes)
		return
	}
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	for len(hashes) > 0 {
		n := min(len(hashes), chunk)
		start := offsets[0]
		for i, end := range offsets[1 : n+1] {
			b.headers[i%chunk] = header{int(start), int(end - start)}
			start = end
		}
		im.mixed(k, b, b.source(data), hashes[:n])
		offsets, hashes = offsets[n:], hashes[n:]
	}
}

// source is where keys are: their headers, stride bytes from one to the next, and what they count
// from.
type source struct {
	headers unsafe.Pointer
	stride  uintptr
	data    unsafe.Pointer
}

// source returns that of the headers of b.
func (b *buffer) source(data []byte) source {
	return source{unsafe.Pointer(&b.headers), unsafe.Sizeof(header{}),
		unsafe.Pointer(unsafe.SliceData(data))}
}

// size returns the length of key i.
func (s source) size(i int) int {
	return *(*int)(unsafe.Add(s.headers, uintptr(i)*s.stride+unsafe.Offsetof(header{}.size)))
}

// key returns key i, which is not empty.
func (s source) key(i int) []byte {
	at := unsafe.Add(s.headers, uintptr(i)*s.stride)
	if s.data != nil {
		return unsafe.Slice((*byte)(unsafe.Add(s.data, *(*int)(at))), s.size(i))
	}
	return unsafe.Slice(*(**byte)(at), s.size(i))
}

// mixed stores the hashes of at most a chunk of keys.
func (im implementation) mixed(k *Key, b *buffer, from source, hashes []uint64) {
	b.sort(from, len(hashes))
	if keys := b.lists[noBytes][:b.counts[noBytes]]; len(keys) > 0 {
		empty := definition(k.initial, nil)
		for _, i := range keys {
			hashes[i] = empty
		}
	}
	if keys := b.lists[atMost15][:b.counts[atMost15]]; len(keys) > 0 {
		for slot, i := range keys {
			b.copyShort(slot, from.key(i))
		}
		short := source{unsafe.Pointer(&b.shortHeaders), unsafe.Sizeof(header{}),
			unsafe.Pointer(&b.short)}
		im.mixedCall(k, short, b.slots[:padded(len(keys))], 0, &b.sums)
		scatter(hashes, keys, &b.sums)
	}
	for class := atLeast16; class < tooLong; class++ {
		keys := b.lists[class][:b.counts[class]]
		if len(keys) == 0 || class == others {
			continue
		}
		list := b.lists[class][:padded(len(keys))]
		for i := len(keys); i < len(list); i++ {
			list[i] = keys[0]
		}
		im.mixedCall(k, from, list, wholePackets(from.size(keys[0])), &b.sums)
		scatter(hashes, keys, &b.sums)
	}
	for _, i := range b.lists[tooLong][:b.counts[tooLong]] {
		hashes[i] = im.sum64(k, from.key(i))
	}
}

// padded returns a number of keys, rounded up to whole groups.
func padded(keys int) int { return (keys + group - 1) / group * group }

// scatter gives keys their hashes.
func scatter(hashes []uint64, keys []int, sums *[chunk]uint64) {
	for slot, sum := range sums[:len(keys)] {
		hashes[keys[slot]] = sum
	}
}

// sort sorts n keys by their classes.
func (b *buffer) sort(from source, n int) {
	// The counts of the first sorting are in one register. In memory each key would wait for the
	// count that the one before it stored: 1.8 to 4.9 ns instead of 1.2 (3.5 GHz, AVX-512).
	const mask = 1<<countBits - 1
	var counts uint64
	lists := (*[(others + 1) * chunk]int)(unsafe.Pointer(&b.lists))
	offset := unsafe.Offsetof(header{}.size)
	for i := range n {
		size := *(*int)(unsafe.Add(from.headers, offset))
		shift := uint64(shiftOf[min(uint(size), uint(len(shiftOf)-1))]) & 63
		lists[(shift*(chunk/countBits)+counts>>shift&mask)%uint64(len(lists))] = i
		counts += 1 << shift
		offset += from.stride
	}
	clear(b.counts[:])
	for class := range others + 1 {
		b.counts[class] = int(counts >> (class * countBits) & mask)
	}
	for _, i := range b.lists[others][:b.counts[others]] {
		class := classOf[min(uint(from.size(i)), uint(len(classOf)-1))]
		b.lists[class][b.counts[class]] = i
		b.counts[class]++
	}
}

// copyShort copies a key of 1 to 15 bytes to the end of a slot.
func (b *buffer) copyShort(slot int, key []byte) {
	n := len(key)
	start := 16 - n
	to := &b.short[slot]
	switch {
	case n >= 8:
		binary.LittleEndian.PutUint64(to[start&7:], binary.LittleEndian.Uint64(key))
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(key[n-8:]))
	case n >= 4:
		binary.LittleEndian.PutUint32(to[8+start&3:], binary.LittleEndian.Uint32(key))
		binary.LittleEndian.PutUint32(to[12:], binary.LittleEndian.Uint32(key[n-4:]))
	default:
		to[15-(n-1)], to[15-(n-1)/2], to[15] = key[0], key[n-1-(n-1)/2], key[n-1]
	}
	b.shortHeaders[slot] = header{16*slot + start, n}
}
