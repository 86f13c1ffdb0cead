package batch

import (
	"encoding/binary"
	"sync"
	"unsafe"
)

// Group is the number of keys of which the assembly takes a multiple. In less than a group a key
// takes longer together with others than alone, because a batch has a constant cost of 60 ns.
const Group = 8

// chunk is the number of keys that are sorted at a time, a multiple of Group, and row the length of
// a list of them: a multiple of countBits too.
const (
	chunk = 512
	row   = 520
)

// Calls are the calls of a batch of keys of any lengths. For each that Next finds the caller either
// makes the call, of what the methods return, or hashes its only key:
//
//	for c := buffer.Calls(lengths, keys, hashes); c.Next(); {
//		if key, alone := c.Alone(); alone {
//			c.Put(hash(key))
//		} else {
//			…
//		}
//	}
//
// Only numbers change in it: a pointer that is stored through a pointer escapes, and with it the
// keys of the caller.
type Calls struct {
	lengths *Lengths
	keys    Keys
	hashes  []uint64
	buffer  *Buffer

	start int // the first key of the chunk
	class int // of the keys of the call; -1 before the first one of a chunk
	alone int // where they are hashed one at a time, the place of the one whose turn it is
}

// Buffer is the memory that a batch needs.
type Buffer struct {
	lists   [classes][row]int // the keys of each class
	counts  [classes]int
	sums    [chunk]uint64
	headers [chunk]header

	short        [chunk][16]byte // keys, each at the end of its own
	shortHeaders [chunk]header
	slots        [chunk]int // the numbers from 0 on

	padded [Group * Longest]byte
}

var buffers = sync.Pool{New: func() any {
	b := new(Buffer)
	for i := range b.slots {
		b.slots[i] = i
	}
	return b
}}

// NewBuffer returns a buffer, which Free puts back. Neither [Calls] nor [Groups] does so, because
// all that is in one of them would escape with it.
func NewBuffer() *Buffer { return buffers.Get().(*Buffer) }
func (b *Buffer) Free()  { buffers.Put(b) }

// header is where a key begins, counted from some data, and its length. The first two words of a
// string and of a slice are one, counted from nothing: assembly may take a pointer for a number.
type header struct{ start, size int }

// Calls returns the calls for keys, of which there are as many as hashes.
func (b *Buffer) Calls(lengths *Lengths, keys Keys, hashes []uint64) Calls {
	if size, ok := keys.Width(); ok {
		for i := range min(len(hashes), chunk) { // as counted from any chunk's first key
			b.headers[i] = header{i * size, size}
		}
	}
	c := Calls{lengths: lengths, keys: keys, hashes: hashes, buffer: b}
	c.sort()
	return c
}

// Next finds the next call, after it has stored the hashes of the one before.
func (c *Calls) Next() bool {
	b := c.buffer
	if c.class == c.lengths.alone {
		if c.alone++; c.alone < b.counts[c.class] {
			return true
		}
	} else if c.class >= 0 {
		numbers := b.lists[c.class][:b.counts[c.class]]
		hashes := c.hashes[c.start:]
		for slot, sum := range b.sums[:len(numbers)] {
			hashes[numbers[slot]] = sum
		}
	}
	for c.start < len(c.hashes) {
		for c.class++; c.class <= c.lengths.alone; c.class++ {
			if n := b.counts[c.class]; n > 0 {
				c.prepare(b.lists[c.class][:padded(n)], n)
				return true
			}
		}
		c.start += chunk
		c.sort()
	}
	return false
}

// prepare makes whole groups of a list of n keys, and copies short keys.
func (c *Calls) prepare(list []int, n int) {
	if c.class == short {
		for slot, i := range list[:n] {
			c.buffer.copyShort(slot, c.keys.At(c.start+i))
		}
	}
	for i := n; i < len(list); i++ {
		list[i] = list[0]
	}
}

// padded returns a number of keys, rounded up to whole groups.
func padded(keys int) int { return (keys + Group - 1) / Group * Group }

// Alone returns the key of the call if it is hashed alone. Put takes its hash.
func (c *Calls) Alone() (key []byte, alone bool) {
	if c.class != c.lengths.alone {
		return nil, false
	}
	return c.keys.At(c.number()), true
}

func (c *Calls) Put(hash uint64) { c.hashes[c.number()] = hash }

// number is that of the key that is hashed alone.
func (c *Calls) number() int { return c.start + c.buffer.lists[c.class][c.alone] }

// Headers returns where the headers of the keys are: that of number i is stride*i bytes behind the
// first one. It has where the key begins, counted from data, and its length.
func (c *Calls) Headers() (first *byte, stride int, data *byte) {
	if c.class == short {
		return (*byte)(unsafe.Pointer(&c.buffer.shortHeaders)), int(unsafe.Sizeof(header{})),
			&c.buffer.short[0][0]
	}
	headers, size := c.chunk()
	if c.keys.form == inHeaders {
		return (*byte)(headers), size, nil
	}
	start := c.keys.data
	if c.keys.form == ofWidth {
		start = unsafe.Add(start, c.start*int(c.keys.step))
	}
	return (*byte)(headers), size, (*byte)(start)
}

// chunk returns where the headers of the chunk are.
func (c *Calls) chunk() (headers unsafe.Pointer, stride int) {
	if c.keys.form == inHeaders {
		return c.keys.place(c.start), int(c.keys.step)
	}
	return unsafe.Pointer(&c.buffer.headers), int(unsafe.Sizeof(header{}))
}

// List returns the numbers of the keys, in the order in which they are hashed, and how many these
// are: whole groups.
func (c *Calls) List() (numbers *int, n int) {
	n = padded(c.buffer.counts[c.class])
	if c.class == short {
		return &c.buffer.slots[0], n
	}
	return &c.buffer.lists[c.class][0], n
}

// Whole returns the number of whole parts of each key, and Sums where their hashes are stored.
func (c *Calls) Whole() int    { return c.lengths.whole(c.class) }
func (c *Calls) Sums() *uint64 { return &c.buffer.sums[0] }

// sort sorts the keys of a chunk by their classes.
func (c *Calls) sort() {
	n, b, l := min(len(c.hashes)-c.start, chunk), c.buffer, c.lengths
	c.class, c.alone = -1, 0
	if n <= 0 {
		return
	}
	switch c.keys.form {
	case between32:
		putHeaders(b, unsafe.Slice((*uint32)(c.keys.place(c.start)), n+1))
	case between64:
		putHeaders(b, unsafe.Slice((*uint64)(c.keys.place(c.start)), n+1))
	}
	headers, stride := c.chunk()
	// The counts of the first sorting are in one register. In memory each key would wait for the
	// count that the one before it stored: 1.8 to 4.9 ns instead of 1.2 (3.5 GHz, AVX-512).
	const mask = 1<<countBits - 1
	var counts uint64
	// A power of two, so that the compiler knows that an index is within.
	lists := (*[1 << 12]int)(unsafe.Pointer(&b.lists))
	offset := unsafe.Offsetof(header{}.size)
	for i := range n {
		size := *(*int)(unsafe.Add(headers, offset))
		shift := uint64(l.shift[min(uint(size), uint(len(l.shift)-1))]) & 63
		lists[(shift*(row/countBits)+counts>>shift&mask)%uint64(len(lists))] = i
		counts += 1 << shift
		offset += uintptr(stride)
	}
	clear(b.counts[:])
	for class := range others {
		b.counts[class] = int(counts >> (class * countBits) & mask)
	}
	for _, i := range b.lists[others][:counts>>(others*countBits)&mask] {
		size := *(*int)(unsafe.Add(headers, i*stride+int(unsafe.Offsetof(header{}.size))))
		class := l.class[min(uint(size), uint(len(l.class)-1))]
		b.lists[class][b.counts[class]] = i
		b.counts[class]++
	}
}

// putHeaders makes the headers of the keys between offsets.
func putHeaders[O uint32 | uint64](b *Buffer, offsets []O) {
	start := offsets[0]
	for i, end := range offsets[1:] {
		b.headers[i%chunk] = header{int(start), int(end - start)}
		start = end
	}
}

// copyShort copies a key of 1 to 15 bytes to the end of a slot.
func (b *Buffer) copyShort(slot int, key []byte) {
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
