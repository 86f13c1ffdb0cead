package batch

import (
	"sync"
	"unsafe"
)

// Buffer is where headers are made, of keys that have none in memory.
type Buffer [chunk]header

// header is how a slice or a string begins: where the key begins, and its length.
type header struct{ start, size int }

// chunk is the most keys of a call whose headers are made.
const chunk = 512

var buffers = sync.Pool{New: func() any { return new(Buffer) }}

// Buffer returns the buffer that the headers of keys need, and nil if they need none.
func (k Keys) Buffer() *Buffer {
	if k.form == inHeaders {
		return nil
	}
	return buffers.Get().(*Buffer)
}

// Free gives a buffer back.
func (b *Buffer) Free() {
	if b != nil {
		buffers.Put(b)
	}
}

// Headers say where the keys of a batch are, for one call of assembly after another:
//
//	b := keys.Buffer()
//	for h := keys.Headers(b, len(hashes)); h.Next(most); {
//		…
//	}
//	b.Free()
//
// A buffer is freed by itself: what a method lets escape is all that its receiver points to, and
// these would be the keys of the caller.
type Headers struct {
	keys   Keys
	count  int
	buffer *Buffer

	start, n int // the keys of the call
}

// Headers returns the headers of a number of keys, in the buffer that these need.
func (k Keys) Headers(b *Buffer, count int) Headers {
	if width, ok := k.Width(); ok {
		for i := range min(count, chunk) { // as counted from any call's first key
			b[i] = header{i * width, width}
		}
	}
	return Headers{keys: k, count: count, buffer: b}
}

// Next goes on to the next call, of most keys at most, and reports whether there is one.
func (h *Headers) Next(most int) bool {
	h.start += h.n
	h.n = min(h.count-h.start, most)
	if h.buffer != nil {
		h.n = min(h.n, chunk)
	}
	switch h.keys.form {
	case between32:
		putHeaders(h.buffer, unsafe.Slice((*uint32)(h.keys.place(h.start)), h.n+1))
	case between64:
		putHeaders(h.buffer, unsafe.Slice((*uint64)(h.keys.place(h.start)), h.n+1))
	}
	return h.n > 0
}

// putHeaders makes the headers of the keys between offsets.
func putHeaders[O uint32 | uint64](b *Buffer, offsets []O) {
	start := offsets[0]
	for i, end := range offsets[1:] {
		b[i%chunk] = header{int(start), int(end - start)}
		start = end
	}
}

// Keys returns the number of the first key of the call, and how many there are.
func (h *Headers) Keys() (start, n int) { return h.start, h.n }

// From returns where the header of key i of the call is, and how many bytes lie from one to the
// next. The first word of a header counts from data.
func (h *Headers) From(i int) (first *byte, stride int, data *byte) {
	if h.buffer == nil {
		return (*byte)(h.keys.place(h.start + i)), int(h.keys.step), nil
	}
	bytes := h.keys.data
	if h.keys.form == ofWidth {
		bytes = unsafe.Add(bytes, h.start*int(h.keys.step))
	}
	return (*byte)(unsafe.Pointer(&h.buffer[i])), int(unsafe.Sizeof(header{})), (*byte)(bytes)
}
