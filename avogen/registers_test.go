package main

import "testing"

// TestAssign shows which registers may be one, in a function with a loop: before is read where the
// loop begins, so that nothing in the loop may take its place.
func TestAssign(t *testing.T) {
	before, first, second, after, vector := &register{}, &register{}, &register{}, &register{}, &register{vector: true}
	err := assign([]instruction{
		{registers: []*register{before, vector}},
		{loop: loopBegin},
		{registers: []*register{before, first}},
		{registers: []*register{first, second}},
		{registers: []*register{second}, loop: loopEnd},
		{registers: []*register{after}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if before.number == first.number || before.number == second.number {
		t.Error("the register that a loop begins with was overwritten in it")
	}
	if first.number != second.number {
		t.Error("the result of the last instruction that reads a register is in another one")
	}
	if after.number != before.number || vector.number != 0 {
		t.Error("a register that is free was not taken")
	}
}

// Two results of one instruction, which nobody reads, are two registers.
func TestAssignPair(t *testing.T) {
	x, y := &register{}, &register{}
	if err := assign([]instruction{{registers: []*register{x, y}}}); err != nil || x.number == y.number {
		t.Errorf("registers %d and %d, %v", x.number, y.number, err)
	}
}

// A function that needs more registers than there are is refused.
func TestAssignTooMany(t *testing.T) {
	var all []*register
	for range len(integerNumbers) + 1 {
		all = append(all, &register{})
	}
	if err := assign([]instruction{{registers: all}}); err == nil {
		t.Error("there are registers for everything")
	}
}
