package cosim

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// The registers by themselves, in the shapes that are furthest from those of the other benches.
var registerBenches = []bench{
	registerBench("registers-300", shape{64, 300, 0, 3, 16}),
	registerBench("registers-1", shape{64, 1, 1, 0, 0}),
}

// shape are the parameters of bloomlane_control.
type shape struct{ w, ports, positions, log2Tables, keyWords int }

func registerBench(name string, p shape) bench {
	return bench{name, Model{Top: "bloomlane_control", Parameters: map[string]int{"W": p.w, "PORTS": p.ports,
		"POSITIONS": p.positions, "LOG2_TABLES": p.log2Tables, "KEY_WORDS": p.keyWords}}, 20_000,
		func(s *Simulation, rng *rand.Rand, n int) error { return checkRegisters(s, rng, n, p) }}
}

// checkRegisters makes an access in most clocks, and compares all that the registers put out with
// the model, in that clock: what a write says, and what is committed.
func checkRegisters(s *Simulation, rng *rand.Rand, n int, p shape) error {
	rst, valid, write, at, strobe, data := s.In("rst"), s.In("bus_valid"), s.In("bus_write"), s.In("bus_address"),
		s.In("bus_strobe"), s.In("bus_data")
	ready, answer, refused := s.Out("bus_ready"), s.Out("bus_answer"), s.Out("bus_error")
	mask, portKey := s.Out("program_mask"), s.Out("port_key")
	elementBytes, keyBits := p.w, 8*p.w // 8 lanes
	if p.positions == 1 {
		keyBits = 7 * map[int]int{32: 5, 64: 6}[p.w]
	}
	type levels struct{ op, place, fill uint64 }
	start := levels{opPass, 0, uint64(8 * p.w)}
	var (
		element     = make([]byte, elementBytes)
		shadow, now = start, start
		bank        uint64
		seen        = map[string]int{}
	)
	expect := func(out []byte, name string, want uint64) error {
		return differValue(name, s.Out(name).Get(out), want)
	}
	element32 := func(i int) []byte { return element[4*i : 4*i+4] }
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		rst.Set(record, bit(i < 2 || rng.IntN(500) == 0))
		valid.Set(record, bit(rng.IntN(8) > 0))
		write.Set(record, bit(rng.IntN(4) > 0))
		strobe.Set(record, 15)
		if rng.IntN(16) == 0 {
			strobe.Set(record, rng.Uint64N(16))
		}
		address, value := 4*rng.IntN(0x40), rng.Uint32()
		switch rng.IntN(8) {
		case 0:
			address = register.Commit
		case 1, 2:
			address = register.Port
			value = uint32(rng.IntN(p.ports+2)) | uint32(rng.IntN(1<<p.log2Tables+1))<<16 | value&(1<<31)
		case 3:
			address = []int{register.FillLimit, register.Place, register.OP}[rng.IntN(3)]
			value >>= []int{0, 22, 23, 29, 30}[rng.IntN(5)]
		case 4:
			address = register.Key + 4*rng.IntN(17)
		case 5:
			address = []int{register.Shape, register.Form, register.ID, register.Version}[rng.IntN(4)]
		}
		at.Set(record, uint64(address|rng.IntN(16)<<12))
		data.Set(record, uint64(value))
	}, func(i int, record, out []byte) error {
		if i == 0 { // the first reset
			return nil
		}
		reset := rst.Get(record) == 1
		address, value := int(at.Get(record)&0xfff), uint32(data.Get(record))
		isWrite := write.Get(record) == 1
		word, key := (address-register.Element)/4, (address-register.Key)/4
		isElement := address >= register.Element && word < elementBytes/4
		isKey := address >= register.Key && key < p.keyWords
		port, table := int(value&0xffff), int(value>>16&0xff)
		legal := isElement || isKey
		want := uint32(0)
		switch address {
		case register.ID:
			want = register.IDValue
		case register.Version:
			want = register.VersionValue
		case register.Shape:
			want = uint32(p.ports<<16 | p.log2Tables<<8 | p.w)
		case register.Form:
			want = uint32(p.positions<<8 | p.keyWords)
		case register.Commit:
			legal = true
		case register.FillLimit:
			want, legal = uint32(shadow.fill), value <= uint32(8*p.w)
		case register.Place:
			want, legal = uint32(shadow.place), value < 8
		case register.OP:
			want, legal = uint32(shadow.op), value < 4
		case register.Port:
			legal = port < p.ports && table < 1<<p.log2Tables
		}
		if isElement {
			b := element32(word)
			want = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		}
		legal = legal && strobe.Get(record) == 15
		does := valid.Get(record) == 1 && isWrite && legal && !reset
		commits := does && address == register.Commit
		if err := errors.Join(
			differValue("bus_ready", ready.Get(out), bit(!reset)),
			expect(out, "program_valid", bit(commits && value&1 != 0)),
			expect(out, "port_write", bit(does && address == register.Port)),
			expect(out, "key_write", bit(does && isKey)),
			expect(out, "op", now.op), expect(out, "place", now.place), expect(out, "fill_limit", now.fill),
			expect(out, "bank", bank), expect(out, "program_op", shadow.op),
		); err != nil {
			return err
		}
		if !bytes.Equal(mask.Bytes(nil, out)[:elementBytes], element) {
			return fmt.Errorf("program_mask is %x, want %x", mask.Bytes(nil, out), element)
		}
		if valid.Get(record) == 1 && !reset {
			err := differValue(fmt.Sprintf("bus_error at %#x of %#x", address, value), refused.Get(out),
				bit(isWrite && !legal))
			if !isWrite {
				err = errors.Join(err, differValue(fmt.Sprintf("%#x", address), answer.Get(out), uint64(want)))
			}
			if err != nil {
				return err
			}
		}
		if does && address == register.Port {
			seen["ports"]++
			stored := append([]byte(nil), element[:(keyBits+7)/8]...)
			if keyBits%8 != 0 {
				stored[len(stored)-1] &= 1<<(keyBits%8) - 1
			}
			if err := errors.Join(
				expect(out, "port_number", uint64(port)), expect(out, "port_enable", uint64(value>>31)),
				expect(out, "port_table", (1-bank)<<p.log2Tables|uint64(table)),
			); err != nil {
				return err
			}
			if got := portKey.Bytes(nil, out)[:len(stored)]; !bytes.Equal(got, stored) {
				return fmt.Errorf("port_key is %x, want %x", got, stored)
			}
		}
		switch {
		case reset:
			clear(element)
			shadow, now, bank = start, start, 0
		case !does:
		case isElement:
			seen["words"]++
			b := element32(word)
			b[0], b[1], b[2], b[3] = byte(value), byte(value>>8), byte(value>>16), byte(value>>24)
		case isKey:
			seen["keys"]++
			return errors.Join(expect(out, "key_word", uint64(key)), expect(out, "key_data", uint64(value)))
		case address == register.FillLimit:
			shadow.fill = uint64(value)
		case address == register.Place:
			shadow.place = uint64(value)
		case address == register.OP:
			shadow.op = uint64(value)
		case commits:
			seen["commits"]++
			if value&1 != 0 {
				now.op = shadow.op
			}
			bank ^= uint64(value >> 1 & 1)
			if value&4 != 0 {
				now.place, now.fill = shadow.place, shadow.fill
			}
		}
		return nil
	})
	if err == nil && (min(seen["ports"], seen["words"], seen["commits"]) < n/200 || p.keyWords > 0 && seen["keys"] == 0) {
		err = fmt.Errorf("of %d accesses %v did something: %w", n, seen, errNarrow)
	}
	return err
}
