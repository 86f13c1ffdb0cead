package spill

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"slices"
)

// parts is the number of intervals.
const parts = 256

// most is how many entries the buffer of an interval holds: all buffers together have 64 MiB. It
// is a variable for the tests.
var most = 1 << 14

// entry is a value, by which entries are sorted, and its tag: a count, or a hash.
type entry struct{ value, tag uint64 }

const entryBytes = 16

// store sorts entries whose values are uniform.
type store struct {
	create func() (*os.File, error) // makes the temporary file
	unite  func(a, b uint64) uint64 // makes one of what goes with equal values
	single bool                     // nothing goes with the values

	parts  [parts]part
	file   *os.File // nil while all entries are in memory
	bytes  int64    // of the file
	packed []byte   // room for a piece of the file
	sorted []entry  // room for the entries of an interval
}

// part is the entries of an interval of values.
type part struct {
	buffer []entry
	pieces []piece
}

// piece is entries in the file.
type piece struct {
	offset  int64
	entries int
}

// add adds an entry.
func (s *store) add(e entry) error {
	index, _ := bits.Mul64(e.value, parts)
	p := &s.parts[index]
	p.buffer = append(p.buffer, e)
	if len(p.buffer) < most {
		return nil
	}
	if p.buffer = s.sort(p.buffer); len(p.buffer) <= most/2 {
		return nil // most were repeats
	}
	if err := s.append(p); err != nil {
		return err
	}
	p.buffer = p.buffer[:0]
	return nil
}

// sort sorts entries, makes one of those with equal values, and returns what is left.
func (s *store) sort(entries []entry) []entry {
	sortFrom(valueBits-8, entries)
	last := 0
	for i, e := range entries {
		switch {
		case i == 0:
		case e.value == entries[last].value:
			entries[last].tag = s.unite(entries[last].tag, e.tag)
		default:
			last++
			entries[last] = e
		}
	}
	return entries[:min(len(entries), last+1)]
}

// valueBits is the width of a value.
const valueBits = 64

// sortFrom sorts entries in place by the digit of their values that begins at bit shift, of 8 bits,
// and those with the same digit by what is below it: far faster than by comparisons. Values are
// uniform, so that few levels are left to do.
func sortFrom(shift int, entries []entry) {
	const few = 24
	if len(entries) <= few || shift < 0 {
		for i := range entries { // by insertion
			for ; i > 0 && entries[i].value < entries[i-1].value; i-- {
				entries[i-1], entries[i] = entries[i], entries[i-1]
			}
		}
		return
	}
	var next, ends [256]int // of the entries of each digit
	for _, e := range entries {
		ends[byte(e.value>>shift)]++
	}
	for digit, end := 0, 0; digit < len(ends); digit++ {
		next[digit] = end
		end += ends[digit]
		ends[digit] = end
	}
	start := 0
	for digit, end := range ends {
		for next[digit] < end {
			e := entries[next[digit]]
			for to := byte(e.value >> shift); int(to) != digit; to = byte(e.value >> shift) {
				e, entries[next[to]] = entries[next[to]], e
				next[to]++
			}
			entries[next[digit]] = e
			next[digit]++
		}
		sortFrom(shift-8, entries[start:end])
		start = end
	}
}

// append writes the buffer of an interval to the end of the file.
func (s *store) append(p *part) error {
	if s.file == nil {
		file, err := s.create()
		if err != nil {
			return keepError(err)
		}
		s.file = file
	}
	written := piece{s.bytes, len(p.buffer)}
	if err := s.write(written, p.buffer); err != nil {
		return err
	}
	p.pieces = append(p.pieces, written)
	s.bytes += int64(len(p.buffer) * s.width())
	return nil
}

// width returns the bytes of an entry in the file.
func (s *store) width() int {
	if s.single {
		return entryBytes / 2
	}
	return entryBytes
}

func (s *store) write(to piece, entries []entry) error {
	s.packed = s.packed[:0]
	for _, e := range entries {
		s.packed = binary.LittleEndian.AppendUint64(s.packed, e.value)
		if !s.single {
			s.packed = binary.LittleEndian.AppendUint64(s.packed, e.tag)
		}
	}
	if _, err := s.file.WriteAt(s.packed, to.offset); err != nil {
		return keepError(err)
	}
	return nil
}

func keepError(err error) error {
	return fmt.Errorf("keep hashes in a temporary file: %w (TMPDIR may name another folder)", err)
}

// read appends the entries of a piece to others.
func (s *store) read(entries []entry, from piece) ([]entry, error) {
	width := s.width()
	s.packed = slices.Grow(s.packed[:0], from.entries*width)[:from.entries*width]
	if _, err := s.file.ReadAt(s.packed, from.offset); err != nil {
		return nil, fmt.Errorf("read hashes from a temporary file: %w", err)
	}
	for packed := s.packed; len(packed) > 0; packed = packed[width:] {
		e := entry{value: binary.LittleEndian.Uint64(packed)}
		if !s.single {
			e.tag = binary.LittleEndian.Uint64(packed[entryBytes/2:])
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// load returns the entries of an interval. They are valid until the next call.
func (s *store) load(p *part) ([]entry, error) {
	if len(p.pieces) == 0 {
		return p.buffer, nil
	}
	s.sorted = s.sorted[:0]
	for _, from := range p.pieces {
		var err error
		if s.sorted, err = s.read(s.sorted, from); err != nil {
			return nil, err
		}
	}
	s.sorted = append(s.sorted, p.buffer...)
	return s.sorted, nil
}

// finish sorts each interval, after the last add, and returns the number of different values. What
// is in the file is written back to where it was read.
func (s *store) finish() (different int, err error) {
	for i := range s.parts {
		p := &s.parts[i]
		entries, err := s.load(p)
		if err != nil {
			return 0, err
		}
		entries = s.sort(entries)
		different += len(entries)
		if len(p.pieces) == 0 {
			p.buffer = entries
			continue
		}
		for j := range p.pieces {
			n := min(len(entries), p.pieces[j].entries)
			p.pieces[j].entries = n
			if err := s.write(p.pieces[j], entries[:n]); err != nil {
				return 0, err
			}
			entries = entries[n:]
		}
		p.buffer = append(p.buffer[:0], entries...)
	}
	return different, nil
}

// each calls do with the entries of one interval after another, in ascending order of their values.
// They are valid until do returns.
func (s *store) each(do func([]entry) error) error {
	for i := range s.parts {
		entries, err := s.load(&s.parts[i])
		if err == nil && len(entries) > 0 {
			err = do(entries)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// close removes the file, and lets go of the memory.
func (s *store) close() {
	if s.file != nil {
		_ = s.file.Close() // nobody needs what is in it
	}
	*s = store{}
}
