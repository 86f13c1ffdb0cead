package inpacket

import (
	"fmt"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// Device programs the hardware in package hdl, whose registers a Bus reaches. What a method
// programs takes effect at once: a packet sees all of an element, and a header all of a set of
// ports, old or new. After an error the old ones are in effect, but for a key, which may be half
// written.
//
// It is not safe for concurrent use.
type Device[B Block] struct {
	bus                     register.Bus
	ports, tables, keyWords int
	positions               bool
}

// Bits of the register Commit.
const (
	commitElement = 1 << iota
	commitPorts
	commitLimits
)

// NewDevice returns the device on a bus, whose identification, version and width it checks. The
// error is a *[DeviceError] or that of the bus.
func NewDevice[B Block](bus register.Bus) (*Device[B], error) {
	var words [4]uint32
	for i := range words {
		var err error
		if words[i], err = bus.Read(register.ID + uint32(4*i)); err != nil {
			return nil, fmt.Errorf("in-packet filter device: %w", err)
		}
	}
	id, version, shape, form := words[0], words[1], words[2], words[3]
	for _, check := range []struct {
		what            string
		found, expected uint32
	}{
		{"identification", id, register.IDValue},
		{"version of the map", version >> 16, register.VersionValue >> 16},
		{"bits of a lane", shape & 0xff, uint32(laneBits[B]())},
	} {
		if check.found != check.expected {
			return nil, &DeviceError{check.what, int64(check.found), int64(check.expected)}
		}
	}
	ports := int(shape >> 16)
	if ports == 0 {
		ports = 1 << 16
	}
	return &Device[B]{bus: bus, ports: ports, tables: 1 << (shape >> 8 & 7),
		keyWords: int(form & 0xff), positions: form>>8&1 == 1}, nil
}

// Ports returns how many ports the match engine has.
func (d *Device[B]) Ports() int { return d.ports }

// Tables returns how many tables a set of ports has.
func (d *Device[B]) Tables() int { return d.tables }

// SetElement programs the in-line engine with an element, as a mask of any pattern, and what to do
// with it.
func (d *Device[B]) SetElement(op Op, mask B) error {
	return d.write(append(row(register.Element, Words(mask)...),
		word{register.OP, uint32(op)}, word{register.Commit, commitElement}))
}

// SetPorts programs the match engine with one element per port, in all its tables, and clears the
// other ports. The elements must be of as many tables at least, and not plain if the ports hold
// positions; the error is then a *[DeviceError].
func (d *Device[B]) SetPorts(elements []Element[B]) error {
	if len(elements) > d.ports {
		return &DeviceError{"elements for ports", int64(len(elements)), int64(d.ports)}
	}
	for _, e := range elements {
		if len(e.Masks) < d.tables {
			return &DeviceError{"tables of an element", int64(len(e.Masks)), int64(d.tables)}
		}
		if d.positions && e.Positions == nil {
			return &DeviceError{"positions of an element", 0, int64(d.tables)}
		}
	}
	var words []word
	for table := range d.tables {
		for _, w := range PortWrites(elements, table, d.ports) {
			port := uint32(w.Port) | uint32(table)<<16
			if w.Enable {
				port |= 1 << 31
				if d.positions {
					words = append(words, row(register.Element, uint32(w.Positions),
						uint32(w.Positions>>32))...)
				} else {
					words = append(words, row(register.Element, Words(w.Mask)...)...)
				}
			}
			words = append(words, word{register.Port, port})
		}
	}
	return d.write(append(words, word{register.Commit, commitPorts}))
}

// SetLimits programs the most ones that a header may have, and the place of its field in packets.
func (d *Device[B]) SetLimits(fill, place int) error {
	return d.write([]word{{register.FillLimit, uint32(fill)}, {register.Place, uint32(place)},
		{register.Commit, commitLimits}})
}

// SetKey programs the key of the table's hash, which has as many words as the hardware says.
func (d *Device[B]) SetKey(words []uint32) error {
	if len(words) != d.keyWords {
		return &DeviceError{"words of the key", int64(len(words)), int64(d.keyWords)}
	}
	return d.write(row(register.Key, words...))
}

// Counters is what an in-line engine has counted, each modulo 2^48.
type Counters struct {
	Packets, Bytes uint64
	// Packets that ended before their field or had none, and packets above the fill limit.
	Short, Overfull uint64
	// Packets by result: without the element; with it, by a query or an insert; by a delete.
	Absent, Present, Retained, Deleted uint64
}

// Counters reads the counters, one after another.
func (d *Device[B]) Counters() (c Counters, err error) {
	for _, counter := range []struct {
		address uint32
		value   *uint64
	}{
		{register.Packets, &c.Packets}, {register.Bytes, &c.Bytes},
		{register.Short, &c.Short}, {register.Overfull, &c.Overfull},
		{register.Absent, &c.Absent}, {register.Present, &c.Present},
		{register.Retained, &c.Retained}, {register.Deleted, &c.Deleted},
	} {
		if *counter.value, err = d.counter(counter.address); err != nil {
			return Counters{}, err
		}
	}
	return c, nil
}

// PortHeaders reads how many headers named a port, modulo 2^48.
func (d *Device[B]) PortHeaders(port int) (uint64, error) {
	if port < 0 || port >= d.ports {
		return 0, &DeviceError{"port", int64(port), int64(d.ports)}
	}
	return d.counter(register.PortHeaders + 8*uint32(port))
}

// counter reads a counter: its low word, which keeps the high one.
func (d *Device[B]) counter(address uint32) (uint64, error) {
	low, err := d.bus.Read(address)
	if err != nil {
		return 0, fmt.Errorf("in-packet filter device: %w", err)
	}
	high, err := d.bus.Read(address + 4)
	if err != nil {
		return 0, fmt.Errorf("in-packet filter device: %w", err)
	}
	return uint64(high)<<32 | uint64(low), nil
}

// word is what one register is written with.
type word struct{ address, value uint32 }

// row returns the writes of registers that follow each other.
func row(address uint32, values ...uint32) []word {
	words := make([]word, len(values))
	for i, value := range values {
		words[i] = word{address + uint32(4*i), value}
	}
	return words
}

// write writes registers in order.
func (d *Device[B]) write(words []word) error {
	for _, w := range words {
		if err := d.bus.Write(w.address, w.value); err != nil {
			return fmt.Errorf("in-packet filter device: %w", err)
		}
	}
	return nil
}
