package table

import (
	"errors"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/kernel"
)

var errBus = errors.New("no bus")

// port is a Bus that does what bloomlane_table_port does, without collisions.
type port struct {
	shape    uint32
	banks    [2][][]uint32
	bank     uint32 // of Bank
	address  uint32 // of Block
	words    []uint32
	clearing int  // reads of Bank that still say so
	fails    int  // requests until one fails; 0: none
	deaf     bool // no write does anything
	stuck    bool // no bank is ever empty
	writes   int
}

func newPort[B Block](log2, banks int) *port {
	p := &port{shape: uint32(banks<<16 | log2<<8 | 4*words[B]()), words: make([]uint32, words[B]())}
	for bank := range banks {
		for range 1 << log2 {
			p.banks[bank] = append(p.banks[bank], make([]uint32, len(p.words)))
		}
	}
	return p
}

func (p *port) request() error {
	if p.fails--; p.fails == 0 {
		return errBus
	}
	return nil
}

func (p *port) block() []uint32 { return p.banks[p.address>>31][p.address&^(1<<31)] }

func (p *port) next() {
	p.address = p.address&(1<<31) | (p.address+1)&uint32(len(p.banks[0])-1)
	clear(p.words)
}

func (p *port) Read(address uint32) (uint32, error) {
	if err := p.request(); err != nil {
		return 0, err
	}
	word := int(address-register.Data) / 4
	switch {
	case address == register.TableShape:
		return p.shape, nil
	case address == register.Block:
		return p.address, nil
	case address == register.Bank && p.clearing > 0:
		p.clearing--
		return p.bank | clears, nil
	case address == register.Bank:
		return p.bank | ready, nil
	case address >= register.Data && word < len(p.words):
		value := p.block()[word]
		if word == len(p.words)-1 {
			p.next()
		}
		return value, nil
	}
	return 0, nil
}

func (p *port) Write(address, value uint32) error {
	if err := p.request(); err != nil || p.deaf {
		return err
	}
	p.writes++
	word := int(address-register.Data) / 4
	switch {
	case address == register.Bank && value&clears != 0:
		p.bank &^= mirrors
		for _, block := range p.banks[(1-p.bank&1)*(p.shape>>16-1)] {
			clear(block)
		}
		if p.clearing = 3; p.stuck {
			p.clearing = 1 << 30
		}
	case address == register.Bank:
		p.bank = value
	case address == register.Block:
		p.address = value
		clear(p.words)
	case address >= register.Data && word < len(p.words):
		p.words[word] = value
		if word == len(p.words)-1 {
			for i, w := range p.words {
				p.block()[i] |= w // into an empty block
			}
			p.next()
		}
	}
	return nil
}

// tables256 returns a table of a few members, and one of none.
func tables256() (some, none []kernel.Block256) {
	table := kernel.NewTable256(8)
	for h := range uint64(20) {
		table.Insert(h * 0x9e3779b97f4a7c15)
	}
	return table, kernel.NewTable256(8)
}

// tables512 is the same of the other width.
func tables512() (some, none []kernel.Block512) {
	table := kernel.NewTable512(8)
	for h := range uint64(20) {
		table.Insert(h * 0x9e3779b97f4a7c15)
	}
	return table, kernel.NewTable512(8)
}

// A table that is loaded is dumped as it was, and one that is rebuilt is in the other bank.
func TestDevice(t *testing.T) {
	some256, none256 := tables256()
	testDevice(t, some256, none256)
	some512, none512 := tables512()
	testDevice(t, some512, none512)
}

func testDevice[B Block](t *testing.T, some, none []B) {
	p := newPort[B](3, 2)
	d, err := NewDevice[B](p)
	if err != nil || d.Blocks() != 8 || d.Banks() != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	holds := func(what string, want ...[]B) {
		t.Helper()
		for bank := range want {
			if got, err := d.Dump(bank); err != nil || !slices.Equal(got, want[bank]) {
				t.Errorf("%s: bank %d has %x (%v), want %x", what, bank, got, err, want[bank])
			}
		}
	}
	if err := d.Load(1, some); err != nil {
		t.Error(err)
	}
	holds("loaded", none, some)
	if err := d.Clear(); err != nil {
		t.Error(err)
	}
	holds("emptied", none, none)
	for round := range 3 {
		if err := d.Load(0, some); round == 0 && err != nil {
			t.Error(err)
		}
		err := d.Rebuild(func() ([]B, error) {
			state, err := d.State()
			if want := (State{round % 2, true, false, true}); state != want {
				t.Errorf("the members are listed in %+v, want %+v", state, want)
			}
			return some, err
		})
		state, stateErr := d.State()
		if want := (State{1 - round%2, false, false, true}); err != nil || state != want {
			t.Errorf("rebuilt: %+v, want %+v (%v)", state, want, errors.Join(err, stateErr))
		}
		holds("rebuilt", some, some)
	}
}

// What does not fit is refused before anything is written.
func TestRefusal(t *testing.T) {
	some, _ := tables256()
	for _, shape := range []uint32{0, 2<<16 | 3<<8 | 64, 2<<16 | 21<<8 | 32, 2<<16 | 32,
		3<<16 | 3<<8 | 32, 3<<8 | 32, 1<<24 | 1<<16 | 3<<8 | 32, ^uint32(0)} {
		var wrong *DeviceError
		if _, err := NewDevice[kernel.Block256](&port{shape: shape}); !errors.As(err, &wrong) {
			t.Errorf("shape %#x: %v", shape, err)
		}
	}
	p := newPort[kernel.Block256](3, 1)
	d, err := NewDevice[kernel.Block256](p)
	if err != nil {
		t.Fatal(err)
	}
	_, dump := d.Dump(1)
	for what, err := range map[string]error{
		"fewer blocks": d.Load(0, some[:7]),
		"more blocks":  d.Load(0, append(some, some...)),
		"other bank":   d.Load(1, some),
		"negative":     d.Load(-1, some),
		"dump":         dump,
		"one bank": d.Rebuild(func() ([]kernel.Block256, error) {
			t.Error("the members are asked for")
			return nil, nil
		}),
	} {
		var wrong *DeviceError
		if !errors.As(err, &wrong) || p.writes != 0 {
			t.Errorf("%s: %v, after %d writes", what, err, p.writes)
		}
	}
	p.deaf, p.address = true, 3
	var wrong *DeviceError
	if err := d.Load(0, some); !errors.As(err, &wrong) || wrong.Found != 3 {
		t.Errorf("writes are refused without an error: %v", err)
	}
	p.deaf, p.stuck = false, true
	var clearing *ClearingError
	if err := d.Clear(); !errors.As(err, &clearing) || clearing.Reads != 8+64 {
		t.Errorf("a bank is never empty: %v", err)
	}
}

// Where a rebuild fails, the bank in use is what it was, and inserts go into it alone.
func TestRebuildFails(t *testing.T) {
	some, _ := tables256()
	errList := errors.New("no list")
	for _, c := range []struct {
		list []kernel.Block256
		err  error
	}{{some, nil}, {some[:3], nil}, {nil, errList}} {
		for n := 0; ; n++ {
			p := newPort[kernel.Block256](3, 2)
			d, err := NewDevice[kernel.Block256](p)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Load(0, some); err != nil {
				t.Fatal(err)
			}
			p.fails = n
			err = d.Rebuild(func() ([]kernel.Block256, error) { return c.list, c.err })
			failed := n > 0 && p.fails <= 0
			p.fails = 0
			if n > 0 && !failed {
				if n < 7 {
					t.Errorf("a rebuild takes %d requests", n-1)
				}
				break
			}
			var wrong *DeviceError
			switch {
			case failed && !errors.Is(err, errBus),
				n == 0 && c.err != nil && !errors.Is(err, c.err),
				n == 0 && len(c.list) == 3 && !errors.As(err, &wrong),
				n == 0 && len(c.list) == 8 && err != nil:
				t.Errorf("request %d fails: %v", n, err)
			}
			state, stateErr := d.State()
			blocks, dumpErr := d.Dump(state.Bank)
			if err := errors.Join(stateErr, dumpErr); err != nil || !slices.Equal(blocks, some) {
				t.Errorf("request %d fails: bank %d has %x (%v)", n, state.Bank, blocks, err)
			}
			if c.list == nil && n == 0 && state.Mirrored {
				t.Error("inserts still go into both banks")
			}
		}
	}
}
