package native

import (
	"encoding/binary"
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// State is what an instruction reads and changes beside memory. The assembly knows its layout.
type State struct {
	General [16]uint64
	Flags   uint64
	Opmasks [8]uint64
	Vectors [32][8]uint64
}

// What the assembly loads, stores and keeps.
var (
	state    State
	kept     [4]uintptr // the code's address; the stack, the frame and the goroutine of the caller
	branched bool
	stubs    [4]uintptr // where an instruction of a level goes on, and a branch
	lock     sync.Mutex
)

func addresses()
func run256()
func run512()

// The arena has the instruction in its middle, so that its operand relative to it is there too.
const (
	arenaSize = 32 << 20
	codeAt    = arenaSize / 2
	slotsAt   = codeAt + 1<<16 // the values of rax and rsp
	operandAt = codeAt + 1<<17
	stubsAt   = codeAt + 1<<12
)

// Arena is memory with one instruction to run, and with its operand.
type Arena struct {
	memory []byte
	wide   bool
	next   int
}

// NewArena maps memory for instructions. wide is for those of AVX-512, and loads all its registers.
func NewArena(wide bool) (*Arena, error) {
	memory, err := syscall.Mmap(-1, 0, arenaSize,
		syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("memory for instructions: %w", err)
	}
	return &Arena{memory: memory, wide: wide}, nil
}

// Close unmaps the memory.
func (a *Arena) Close() error { return syscall.Munmap(a.memory) }

func (a *Arena) base() uint64 { return uint64(uintptr(unsafe.Pointer(&a.memory[0]))) }

// Operand returns an address in the middle of free memory.
func (a *Arena) Operand() uint64 { return a.base() + operandAt }

// Next returns the address after the instruction.
func (a *Arena) Next() uint64 { return a.base() + uint64(a.next) }

// At returns memory of the arena.
func (a *Arena) At(address uint64, length int) []byte {
	offset := address - a.base()
	return a.memory[offset : offset+uint64(length)]
}

// near is less than what a short branch can reach.
const near = 64

// Place puts an instruction into the arena. distance is how far a branch goes from the next
// instruction, or zero.
func (a *Arena) Place(code []byte, distance int) {
	lock.Lock()
	defer lock.Unlock()
	addresses()
	after, taken := stubs[0], stubs[1]
	if a.wide {
		after, taken = stubs[2], stubs[3]
	}
	place := codeAt
	emit := func(code ...byte) { place += copy(a.memory[place:], code) }
	relative := func(to int) []byte {
		return binary.LittleEndian.AppendUint32(nil, uint32(to-place))
	}
	load := func(slot int, opcode ...byte) {
		emit(opcode...)
		place += 4
		to := relative(slotsAt + 8*slot)
		place -= 4
		emit(to...)
	}
	load(0, 0x48, 0x8b, 0x05)             // mov rax, [rip + …]
	load(1, 0x48, 0x8b, 0x25)             // mov rsp, [rip + …]
	if distance < 0 && distance > -near { // not into these loads
		emit(0xe9, near, 0, 0, 0)
		place += near
	}
	emit(code...)
	a.next = place
	leave := func(from, stub int, target uintptr) {
		place = from
		emit(0xe9) // jmp to the stub, which jumps to the address after it
		place += 4
		to := relative(stub)
		place -= 4
		emit(to...)
		place = stub
		emit(0xff, 0x25, 0, 0, 0, 0)
		emit(binary.LittleEndian.AppendUint64(nil, uint64(target))...)
	}
	leave(a.next, stubsAt, after)
	if distance != 0 {
		leave(a.next+distance, stubsAt+64, taken)
	}
}

// Run runs the instruction on the state, and says whether it branched.
func (a *Arena) Run(s *State) bool {
	lock.Lock()
	defer lock.Unlock()
	state, branched = *s, false
	kept[0] = uintptr(a.base() + codeAt)
	binary.LittleEndian.PutUint64(a.memory[slotsAt:], s.General[0])
	binary.LittleEndian.PutUint64(a.memory[slotsAt+8:], s.General[4])
	if a.wide {
		run512()
	} else {
		run256()
	}
	*s = state
	return branched
}
