package table

import (
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/kernel"
)

// Block is a block of the table: of 256 bits (W = 32), or of 512 (W = 64).
type Block interface {
	kernel.Block256 | kernel.Block512
}

// Device is a table in hardware, whose registers a Bus reaches.
//
// It is not safe for concurrent use. Operations in the hardware go on whatever it does.
type Device[B Block] struct {
	bus         register.Bus
	log2, banks int
}

// maxLog2 is the most that LOG2_BLOCKS of bloomlane_table may be.
const maxLog2 = 20

// Bits of the register Bank.
const (
	inUse = 1 << iota // the bank that operations use
	mirrors
	clears
	ready
)

// NewDevice returns the table on a bus, whose shape it reads. The error is a *[DeviceError] or that
// of the bus.
func NewDevice[B Block](bus register.Bus) (*Device[B], error) {
	d := &Device[B]{bus: bus}
	shape, err := d.read(register.TableShape)
	if err != nil {
		return nil, err
	}
	width, log2, banks := int(shape&0xff), int(shape>>8&0xff), int(shape>>16)
	switch {
	case width != 4*words[B]():
		return nil, mismatch("bits of a lane", width, 4*words[B]())
	case log2 < 1 || log2 > maxLog2:
		return nil, mismatch("log2 of the blocks", log2, maxLog2)
	case banks < 1 || banks > 2:
		return nil, mismatch("banks", banks, 2)
	}
	d.log2, d.banks = log2, banks
	return d, nil
}

// Blocks returns how many blocks a bank has.
func (d *Device[B]) Blocks() int { return 1 << d.log2 }

// Banks returns how many banks the table has: with two it can be rebuilt.
func (d *Device[B]) Banks() int { return d.banks }

// State is what the table does.
type State struct {
	Bank     int  // that operations use
	Mirrored bool // inserts go into the other bank too
	Clearing bool // a bank is being emptied
	Ready    bool // operations are taken: the bank in use is empty or loaded, and the key is whole
}

// State reads what the table does.
func (d *Device[B]) State() (State, error) {
	bits, err := d.read(register.Bank)
	if err != nil {
		return State{}, err
	}
	return State{int(bits & inUse), bits&mirrors != 0, bits&clears != 0, bits&ready != 0}, nil
}

// Flipped reads how many reads of memory found a flipped bit, modulo 2^32. Without PARITY in the
// hardware it is 0.
func (d *Device[B]) Flipped() (uint32, error) { return d.read(register.Flipped) }

// Dump reads the blocks of a bank, each at once, and different ones at different times if
// operations go on.
func (d *Device[B]) Dump(bank int) ([]B, error) {
	if err := d.seek(bank); err != nil {
		return nil, err
	}
	blocks := make([]B, d.Blocks())
	for i := range blocks {
		for j := range words[B]() {
			value, err := d.read(register.Data + uint32(4*j))
			if err != nil {
				return nil, err
			}
			setWord(&blocks[i], j, value)
		}
	}
	return blocks, d.wrapped(bank)
}

// Load inserts blocks into those of a bank: their bits are united, and those that both have are
// marked as collided. So no member of either is lost, whatever operations go on, and an empty bank
// is then what is loaded. Blocks that are loaded twice are collided, and no delete clears them.
//
// Other than as many blocks as the bank has, or another bank than the table has, is refused by a
// *[DeviceError], and nothing is written. After an error of the bus some blocks are loaded.
func (d *Device[B]) Load(bank int, blocks []B) error {
	if len(blocks) != d.Blocks() {
		return mismatch("blocks", len(blocks), d.Blocks())
	}
	if err := d.seek(bank); err != nil {
		return err
	}
	for i := range blocks {
		for j := range words[B]() {
			if err := d.write(register.Data+uint32(4*j), word(&blocks[i], j)); err != nil {
				return fmt.Errorf("block %d: %w", i, err)
			}
		}
	}
	return d.wrapped(bank)
}

// Clear empties the other bank, or the only one, and waits until it is empty. With one bank the
// table takes no operations meanwhile, and those under way have no result.
func (d *Device[B]) Clear() error {
	state, err := d.State()
	if err != nil {
		return err
	}
	return d.clear(state.Bank)
}

func (d *Device[B]) clear(bank int) error {
	if err := d.write(register.Bank, uint32(bank|clears)); err != nil {
		return err
	}
	return d.settle()
}

// Rebuild replaces a table of two banks while operations go on, and no member is absent meanwhile:
// it empties the other bank, lets inserts go into both from then on, asks list for the table of the
// members, loads it into the other bank, and switches to that.
//
// What list returns has each key that was inserted before list was called and is not deleted.
// Inserts that come later may be in it or not; a key that is deleted later is still present. With
// an error of list, which is returned, or blocks that Load would refuse, the table in use is what
// it was, and inserts go into it alone; with an error of the bus they may go into both.
func (d *Device[B]) Rebuild(list func() ([]B, error)) error {
	if d.banks != 2 {
		return mismatch("banks", d.banks, 2)
	}
	state, err := d.State()
	if err != nil {
		return err
	}
	from := state.Bank
	if err := d.clear(from); err != nil {
		return err
	}
	if err := d.refill(from, list); err != nil {
		return errors.Join(err, d.write(register.Bank, uint32(from)))
	}
	if err := d.write(register.Bank, uint32(1-from)); err != nil {
		return err
	}
	if state, err = d.State(); err == nil && state.Bank == from {
		err = mismatch("bank in use", from, 1-from)
	}
	return err
}

// refill makes the other bank what it is to be once operations use it.
func (d *Device[B]) refill(from int, list func() ([]B, error)) error {
	if err := d.write(register.Bank, uint32(from|mirrors)); err != nil {
		return err
	}
	blocks, err := list()
	if err != nil {
		return err
	}
	return d.Load(1-from, blocks)
}

// settle waits until a write of Bank need not wait. A read takes a clock of the table at least, and
// a bank is empty after as many clocks as it has blocks, and a few.
func (d *Device[B]) settle() error {
	reads := d.Blocks() + 64
	for range reads {
		state, err := d.State()
		if err != nil || !state.Clearing {
			return err
		}
	}
	return &ClearingError{reads}
}

// seek goes to the first block of a bank.
func (d *Device[B]) seek(bank int) error {
	if bank < 0 || bank >= d.banks {
		return mismatch("bank", bank, d.banks-1)
	}
	return d.write(register.Block, uint32(bank)<<31)
}

// wrapped returns an error unless the last block was passed, and the first is the next: some buses
// report nothing of what the hardware refused.
func (d *Device[B]) wrapped(bank int) error {
	next, err := d.read(register.Block)
	if first := uint32(bank) << 31; err == nil && next != first {
		err = mismatch("next block", next, first)
	}
	return err
}

func (d *Device[B]) read(address uint32) (uint32, error) {
	value, err := d.bus.Read(address)
	if err != nil {
		return 0, fmt.Errorf("table device: %w", err)
	}
	return value, nil
}

func (d *Device[B]) write(address, value uint32) error {
	if err := d.bus.Write(address, value); err != nil {
		return fmt.Errorf("table device: %w", err)
	}
	return nil
}

// words is how many words of 32 bits a block has.
func words[B Block]() int {
	var block B
	if _, ok := any(block).(kernel.Block256); ok {
		return len(kernel.Block256{})
	}
	return 2 * len(kernel.Block512{})
}

// word returns a word of a block: lane 0 comes first, and the low half of a lane of 64 bits.
func word[B Block](block *B, i int) uint32 {
	if block, ok := any(block).(*kernel.Block256); ok {
		return block[i]
	}
	return uint32(any(block).(*kernel.Block512)[i/2] >> (i % 2 * 32))
}

// setWord sets a word of a block, which is 0.
func setWord[B Block](block *B, i int, value uint32) {
	if block, ok := any(block).(*kernel.Block256); ok {
		block[i] = value
		return
	}
	any(block).(*kernel.Block512)[i/2] |= uint64(value) << (i % 2 * 32)
}
