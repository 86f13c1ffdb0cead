package cosim

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/fallback"
)

// A Port is an input or an output of a top, and its place in a record.
type Port struct {
	Name   string `json:"name"`
	Bits   int    `json:"bits"`
	Input  bool   `json:"input"`
	Offset int    `json:"offset"` // of its value in a record, in bytes
}

// size returns how many bytes the port takes: those of the type that Verilator gives it.
func (p Port) size() int {
	switch {
	case p.Bits <= 8:
		return 1
	case p.Bits <= 16:
		return 2
	case p.Bits <= 32:
		return 4
	case p.Bits <= 64:
		return 8
	default:
		return (p.Bits + 31) / 32 * 4
	}
}

// Set writes the value of a port of at most 64 bits into a record. Bits beyond the port's must be
// 0.
func (p Port) Set(record []byte, value uint64) {
	rest := record[p.Offset:]
	switch p.size() {
	case 1:
		rest[0] = byte(value)
	case 2:
		binary.NativeEndian.PutUint16(rest, uint16(value))
	case 4:
		binary.NativeEndian.PutUint32(rest, uint32(value))
	default:
		binary.NativeEndian.PutUint64(rest, value)
	}
}

// Get returns the value of a port of at most 64 bits from a record.
func (p Port) Get(record []byte) uint64 {
	rest := record[p.Offset:]
	switch p.size() {
	case 1:
		return uint64(rest[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(rest))
	case 4:
		return uint64(binary.NativeEndian.Uint32(rest))
	default:
		return binary.NativeEndian.Uint64(rest)
	}
}

// SetWords writes the value of a port of more than 64 bits, the least significant 32 bits first.
func (p Port) SetWords(record []byte, words []uint32) {
	for i, word := range words[:p.size()/4] {
		binary.NativeEndian.PutUint32(record[p.Offset+4*i:], word)
	}
}

// Words reads the value of a port of more than 64 bits, the least significant 32 bits first.
func (p Port) Words(record []byte, words []uint32) {
	for i := range words[:p.size()/4] {
		words[i] = binary.NativeEndian.Uint32(record[p.Offset+4*i:])
	}
}

// SetBytes writes the value of a port of any width, the least significant byte first. Missing bytes
// are 0.
func (p Port) SetBytes(record []byte, value []byte) {
	var padded [8]byte
	if p.Bits <= 64 {
		copy(padded[:], value)
		p.Set(record, binary.LittleEndian.Uint64(padded[:]))
		return
	}
	for i := range p.size() / 4 {
		var word [4]byte
		if 4*i < len(value) {
			copy(word[:], value[4*i:])
		}
		binary.NativeEndian.PutUint32(record[p.Offset+4*i:], binary.LittleEndian.Uint32(word[:]))
	}
}

// Bytes appends the value of a port of any width, the least significant byte first, in as many
// bytes as its bits need.
func (p Port) Bytes(value, record []byte) []byte {
	n := len(value) + (p.Bits+7)/8
	if p.Bits <= 64 {
		return binary.LittleEndian.AppendUint64(value, p.Get(record))[:n]
	}
	for i := range p.size() / 4 {
		value = binary.LittleEndian.AppendUint32(value,
			binary.NativeEndian.Uint32(record[p.Offset+4*i:]))
	}
	return value[:n]
}

// setBlock writes a block as the value of a port of 8W bits, lane i at bits [W*i +: W].
func setBlock[T fallback.Lane](p Port, record []byte, block *[fallback.Lanes]T) {
	rest := record[p.Offset:]
	for i, lane := range block {
		if fallback.LaneBits[T]() == 32 {
			binary.NativeEndian.PutUint32(rest[4*i:], uint32(lane))
		} else {
			binary.NativeEndian.PutUint32(rest[8*i:], uint32(lane))
			binary.NativeEndian.PutUint32(rest[8*i+4:], uint32(uint64(lane)>>32))
		}
	}
}

// getBlock reads what setBlock writes.
func getBlock[T fallback.Lane](p Port, record []byte) (block [fallback.Lanes]T) {
	rest := record[p.Offset:]
	for i := range block {
		if fallback.LaneBits[T]() == 32 {
			block[i] = T(binary.NativeEndian.Uint32(rest[4*i:]))
		} else {
			low, high := binary.NativeEndian.Uint32(rest[8*i:]),
				binary.NativeEndian.Uint32(rest[8*i+4:])
			block[i] = T(uint64(high)<<32 | uint64(low))
		}
	}
	return block
}

// declaration is a port in the header of a Verilated model.
var declaration = regexp.MustCompile(
	`VL_(IN|OUT|INOUT)(?:8|16|64|W)?\(&?(\w+),(\d+),(\d+)(?:,\d+)?\);`)

// layout is the interface of a model: what its header declares, and where it is in a record.
type layout struct {
	Ports    []Port `json:"ports"`
	InBytes  int    `json:"in_bytes"`
	OutBytes int    `json:"out_bytes"`
	Clock    bool   `json:"clock"`
	Stream   bool   `json:"stream"`
}

// parseHeader reads the ports of a model from the header that Verilator wrote.
func parseHeader(header string) (layout, error) {
	var l layout
	for _, match := range declaration.FindAllStringSubmatch(header, -1) {
		high, _ := strconv.Atoi(match[3])
		low, _ := strconv.Atoi(match[4])
		port := Port{Name: match[2], Bits: high - low + 1, Input: match[1] == "IN"}
		switch {
		case match[1] == "INOUT" || low != 0:
			return l, fmt.Errorf("cosim: port %s: no driver for %s", port.Name, match[0])
		case port.Name == "clk":
			l.Clock = true
			continue
		case port.Input:
			port.Offset = l.InBytes
			l.InBytes += port.size()
		default:
			port.Offset = l.OutBytes
			l.OutBytes += port.size()
		}
		l.Stream = l.Stream || port.Name == "s_axis_tvalid"
		l.Ports = append(l.Ports, port)
	}
	if len(l.Ports) == 0 {
		return l, fmt.Errorf("cosim: the model has no ports")
	}
	if l.Stream {
		l.Ports = append(l.Ports,
			Port{Name: StreamIn, Bits: 8, Input: true, Offset: l.InBytes},
			Port{Name: StreamOut, Bits: 8, Offset: l.OutBytes})
		l.InBytes++
		l.OutBytes++
	}
	return l, nil
}

// header returns model_ports.h, which tells the driver about the layout.
func (l layout) header() string {
	flag := map[bool]int{true: 1}
	var text strings.Builder
	for _, list := range []struct {
		name  string
		input bool
	}{{"INPUTS", true}, {"OUTPUTS", false}} {
		fmt.Fprintf(&text, "#define %s(PORT)", list.name)
		for _, port := range l.Ports {
			if port.Input == list.input && port.Name != StreamIn && port.Name != StreamOut {
				fmt.Fprintf(&text, " PORT(%s)", port.Name)
			}
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "#define IN_BYTES %d\n#define OUT_BYTES %d\n", l.InBytes, l.OutBytes)
	fmt.Fprintf(&text, "#define CLOCK %d\n#define STREAM %d\n", flag[l.Clock], flag[l.Stream])
	return text.String()
}

func (l layout) port(name string, input bool) Port {
	for _, port := range l.Ports {
		if port.Name == name && port.Input == input {
			return port
		}
	}
	panic(fmt.Sprintf("cosim: the top has no port %s (input: %v)", name, input))
}
