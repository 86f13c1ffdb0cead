package main

import (
	"slices"
	"testing"
)

// TestAssign shows which registers may be one, in a function with a loop: before is read where the
// loop begins, so that nothing in the loop may take its place.
func TestAssign(t *testing.T) {
	before, first, second, vector := integer(), integer(), integer(), vectors(1)[0]
	err := assign([]instruction{
		{registers: []*register{before, vector}},
		{region: loopBegin},
		{registers: []*register{before, first}},
		{registers: []*register{first, second}},
		{registers: []*register{second}, region: loopEnd},
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
	if vector.number != 0 {
		t.Error("an integer took the place of a vector")
	}
}

// A function may have more registers than there are numbers, but not live at once.
func TestAssignReuses(t *testing.T) {
	var code []instruction
	for range 2 * len(integerNumbers) {
		r := integer()
		code = append(code, instruction{registers: []*register{r}},
			instruction{registers: []*register{r}})
	}
	if err := assign(code); err != nil {
		t.Error(err)
	}
}

// Two results of one instruction are two registers, also if no instruction reads them.
func TestAssignPair(t *testing.T) {
	x, y := integer(), integer()
	if err := assign([]instruction{{registers: []*register{x, y}}}); err != nil ||
		x.number == y.number {
		t.Errorf("registers %d and %d, %v", x.number, y.number, err)
	}
}

// The registers of a run follow one another, also where others are in the way.
func TestAssignRun(t *testing.T) {
	others, run := vectors(len(vectorNumbers)-4), vectors(4)
	others[0].run = nil
	code := []instruction{{registers: others}, {registers: run[:2]}, {registers: run[2:]},
		{registers: others}, {registers: run}}
	if err := assign(code); err != nil {
		t.Fatal(err)
	}
	for i, r := range run {
		if r.number != run[0].number+i {
			t.Errorf("register %d of a run that begins with %d is %d", i, run[0].number, r.number)
		}
		if slices.ContainsFunc(others,
			func(other *register) bool { return other.number == r.number }) {
			t.Errorf("register %d of a run overwrites another", i)
		}
	}
}

// A function that cannot be is refused.
func TestAssignRefuses(t *testing.T) {
	var all []*register
	for range len(integerNumbers) + 1 {
		all = append(all, integer())
	}
	if err := assign([]instruction{{registers: all}}); err == nil {
		t.Error("there are registers for everything")
	}
	r := integer()
	if err := assign([]instruction{{region: skipBegin}, {registers: []*register{r}},
		{region: skipEnd}, {registers: []*register{r}}}); err == nil {
		t.Error("what may have been left out is read")
	}
}

// An instruction whose result is not read is left out, with those that only it reads.
func TestLive(t *testing.T) {
	x, y, z := integer(), integer(), integer()
	code := live([]instruction{
		{text: "x", pure: true, registers: []*register{x}},
		{text: "y", pure: true, registers: []*register{x, y}},
		{text: "z", pure: true, registers: []*register{y, z}},
		{text: "kept", registers: []*register{x}},
	})
	if len(code) != 2 || code[0].text != "x" || code[1].text != "kept" {
		t.Errorf("%d instructions are left", len(code))
	}
}
