package batch

// Lengths says which keys a hash takes in one call: those of as many whole parts.
type Lengths struct {
	least int // the number of whole parts of the shortest key that is not copied

	// class is the class of each length, the last being that of all longer ones, and shift the
	// place of its count in the first sorting. Alone is the class of the keys that are hashed one
	// at a time: long ones, and those of no byte.
	class, shift [Longest + 2]uint8
	alone        int
}

// Longest is the size of the longest keys that are hashed together with others.
const Longest = 256

// The classes of keys: short ones, then those of each number of whole parts, then those alone. The
// first sorting puts all keys from one class on into that class.
const (
	short   = 0 // copied to where Readable bytes can be read
	others  = 5
	classes = 34 // at most
)

// countBits is the size of a count in the first sorting.
const countBits = 10

// NewLengths returns the classes of a hash whose assembly reads as many bytes before the end of a
// key as readable says, 16 at most. Whole returns the number of the whole parts of a key of a size.
func NewLengths(readable int, whole func(size int) int) *Lengths {
	l := &Lengths{least: whole(readable)}
	class := func(size int) int { return short + 1 + whole(size) - l.least }
	l.alone = class(Longest) + 1
	for size := range l.class {
		switch {
		case size == 0 || size > Longest:
			l.class[size] = uint8(l.alone)
		case size < readable:
			l.class[size] = short
		default:
			l.class[size] = uint8(class(size))
		}
		l.shift[size] = countBits * min(l.class[size], others)
	}
	return l
}

// whole returns the number of whole parts of the keys of a class.
func (l *Lengths) whole(class int) int {
	if class == short {
		return 0
	}
	return l.least + class - (short + 1)
}
