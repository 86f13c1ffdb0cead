package main

import "fmt"

// register is a register of arm64, which gets its number when the whole function is known.
type register struct {
	vector bool
	number int

	// The live range, in instructions of the function: whether the last of them reads or writes is
	// not recorded.
	from, to int
}

// The numbers that may be given out. Of the integers R18 is the platform's, Go has R27 for its
// assembler, R28 for the goroutine, R29 and R30 for the frame, the linker may change R16 and R17
// between two functions, and R26 is Go's closure context.
var (
	integerNumbers = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25}
	vectorNumbers  = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
		22, 23, 24, 25, 26, 27, 28, 29, 30, 31}
)

// assign numbers the registers of a function by a linear scan over their live ranges (Poletto and
// Sarkar, "Linear Scan Register Allocation", ACM TOPLAS 1999). There is no spilling: a function that
// needs more registers than there are is an error.
//
// It relies on what the machine guarantees: the instruction that names a register first writes it,
// and is run whenever a later one that names it is.
func assign(code []instruction) error {
	var order []*register
	seen := map[*register]bool{}
	for i, in := range code {
		for _, r := range in.registers {
			if !seen[r] {
				seen[r] = true
				r.from = i
				order = append(order, r)
			}
			r.to = i
		}
	}
	// What a loop finds in a register it must still find there in its next turn.
	var begins []int
	for i, in := range code {
		switch in.loop {
		case loopBegin:
			begins = append(begins, i)
		case loopEnd:
			begin := begins[len(begins)-1]
			begins = begins[:len(begins)-1]
			for _, r := range order {
				if r.from < begin && r.to >= begin {
					r.to = max(r.to, i)
				}
			}
		}
	}
	for i, r := range order { // in the order of from
		taken := map[int]bool{}
		for _, other := range order[:i] {
			// A register whose last reader is the instruction that writes r can be r itself, unless
			// that instruction is also its first and so writes both.
			if other.vector == r.vector && (other.to > r.from || other.from == r.from) {
				taken[other.number] = true
			}
		}
		numbers := integerNumbers
		if r.vector {
			numbers = vectorNumbers
		}
		r.number = -1
		for _, n := range numbers {
			if !taken[n] {
				r.number = n
				break
			}
		}
		if r.number < 0 {
			return fmt.Errorf("instruction %d needs more than %d registers", r.from, len(numbers))
		}
	}
	return nil
}
