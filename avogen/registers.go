package main

import (
	"fmt"
	"slices"
)

// register is a register of arm64, which gets its number when the whole function is known.
type register struct {
	vector bool
	number int

	// run is the registers, this one being the first, whose numbers follow one another; nil where
	// it is in none or not its first.
	run []*register

	from, to int // the first and the last instruction that names it
}

// vectors returns n vector registers whose numbers follow one another.
func vectors(n int) []*register {
	run := make([]*register, n)
	for i := range run {
		run[i] = &register{vector: true, number: unassigned}
	}
	run[0].run = run
	return run
}

func integer() *register { return &register{number: unassigned} }

const unassigned = -1

// The numbers that may be given out. Of the integers the linker uses R16 and R17, the platform R18,
// and Go R26 for closures, R27 for its assembler, R28 for the goroutine, R29 and R30 for the frame.
var (
	integerNumbers = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21,
		22, 23, 24, 25}
	vectorNumbers = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
		18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}
)

// live returns the instructions without those whose result is not read.
func live(code []instruction) []instruction {
	readers := map[*register]int{}
	for _, in := range code {
		for _, r := range in.registers {
			readers[r]++
		}
	}
	kept := len(code)
	for i, in := range slices.Backward(code) {
		if in.pure && readers[in.registers[len(in.registers)-1]] == 1 {
			for _, r := range in.registers {
				readers[r]--
			}
			continue
		}
		kept--
		code[kept] = code[i]
	}
	return code[kept:]
}

// assign numbers the registers of a function by a linear scan over their live ranges (Poletto and
// Sarkar, "Linear Scan Register Allocation", ACM TOPLAS 1999). There is no spilling: a function
// that needs more registers than there are is an error.
//
// The instruction that names a register first must be the one that writes it.
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
	var begins []int
	for i, in := range code {
		switch in.region {
		case loopBegin, skipBegin:
			begins = append(begins, i)
		case loopEnd, skipEnd:
			begin := begins[len(begins)-1]
			begins = begins[:len(begins)-1]
			for _, r := range order {
				// A register that a loop reads must keep its value until the next turn.
				if in.region == loopEnd && r.from < begin && r.to >= begin {
					r.to = max(r.to, i)
				}
				// It may have never been run.
				if begin < r.from && r.from < i && i < r.to {
					return fmt.Errorf("instruction %d names what may not have been written at %d",
						r.to, r.from)
				}
			}
		}
	}
	for _, r := range order {
		if r.number != unassigned {
			continue
		}
		run, numbers := r.run, integerNumbers
		if run == nil {
			run = []*register{r}
		}
		if r.vector {
			numbers = vectorNumbers
		}
		if !replace(r, code[r.from]) && !place(run, numbers, order) {
			return fmt.Errorf("instruction %d needs more than %d registers", r.from, len(numbers))
		}
	}
	return nil
}

// replace gives a register the number of one that the instruction which writes it is the last to
// read, if there is one. (No instruction with two results reads a register of their kind.)
//
// So an instruction that writes half of a vector register and empties the rest waits only for its
// sources. This also holds in llvm-mca, which assumes that the instruction keeps the rest. Without
// such a source, place overwrites the oldest value.
func replace(r *register, in instruction) bool {
	if len(r.run) > 1 {
		return false
	}
	for _, source := range in.registers {
		if source.vector == r.vector && source.number != unassigned && source.to == r.from &&
			source.from < r.from {
			r.number = source.number
			return true
		}
	}
	return false
}

// place gives a run of registers the numbers that have been free for the longest time, of those
// that are free for it.
func place(run []*register, numbers []int, all []*register) bool {
	best, bestUsed := unassigned, 0
	for _, first := range numbers[:len(numbers)-len(run)+1] {
		free, used := true, -1
		for i, r := range run {
			for _, other := range all {
				if other.number == first+i && other.vector == r.vector {
					free = free && !conflict(r, other)
					used = max(used, other.to)
				}
			}
		}
		if free && (best == unassigned || used < bestUsed) {
			best, bestUsed = first, used
		}
	}
	if best == unassigned {
		return false
	}
	for i, r := range run {
		r.number = best + i
	}
	return true
}

// conflict reports whether two registers of a kind need two numbers: they do where both are live,
// and where one instruction writes both. One that is last read where the other is first written can
// be that.
func conflict(r, other *register) bool {
	return r.from == other.from || r.from < other.to && other.from < r.to
}
