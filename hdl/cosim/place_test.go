package cosim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
)

// The parser of a frame's first beat, by the bytes of one, with different places.
var placeBenches = []bench{
	placeBench(64, 14, 18, 22, 54),
	placeBench(64, 70, 74, 66, 30),
	placeBench(128, 14, 62, 70, 78),
}

func placeBench(dataBytes int, ends ...int) bench {
	b := bench{
		name: fmt.Sprintf("place-%d-%d", dataBytes, ends[0]),
		model: Model{Top: "bloomlane_place",
			Parameters: map[string]int{"DATA_BYTES": dataBytes}},
		vectors: 200_000,
	}
	for i, end := range ends {
		b.model.Parameters[fmt.Sprint("END_", i)] = end
	}
	b.check = func(s *Simulation, rng *rand.Rand, n int) error {
		data, place := s.In("data"), s.Out("place")
		return drive(s, n, func(_ int, record []byte) {
			data.SetBytes(record, headers(rng, dataBytes))
		}, func(_ int, record, answer []byte) error {
			return differValue("the place", place.Get(answer),
				uint64(placeOf(data.Bytes(nil, record), ends)))
		})
	}
	return b
}

// headers returns a frame's first bytes, with tags, labels and IPv6 as they may be, or not quite.
func headers(rng *rand.Rand, n int) []byte {
	frame := make([]byte, n)
	for i := range frame {
		frame[i] = byte(rng.Uint32())
	}
	place := 12
	kind := func(values ...uint16) {
		value := values[rng.IntN(len(values))]
		if rng.IntN(16) == 0 {
			value ^= 1 << rng.IntN(16)
		}
		binary.BigEndian.PutUint16(frame[place:], value)
		place += 2
	}
	for range rng.IntN(4) {
		kind(tagKinds...)
		place += 2
	}
	kind(0x8847, 0x8848, 0x86dd, 0x86dd, 0x0800)
	if frame[place-1] < 0x50 && frame[place-2] == 0x88 {
		for range rng.IntN(3) {
			frame[place+2] &^= 1
			place += 4
		}
		frame[place+2] |= 1
		place += 4
		if rng.IntN(2) == 0 {
			frame[place] = 6<<4 | frame[place]&15
		}
	}
	if rng.IntN(4) > 0 {
		frame[place+6] = []byte{0, 43, 60, 6, 17, 44}[rng.IntN(6)]
	}
	if place+41 < n {
		frame[place+41] = byte(rng.IntN(3))
	}
	return frame
}

// placeOf returns which of the ends the headers of a frame have, or 4.
func placeOf(frame []byte, ends []int) int {
	place, tags, labels := 12, 0, 0
	next := func() uint16 { place += 2; return binary.BigEndian.Uint16(frame[place-2:]) }
	kind := next()
	for ; slices.Contains(tagKinds, kind); tags++ {
		if tags == 2 {
			return 4
		}
		place += 2
		kind = next()
	}
	ipv6 := kind == 0x86dd
	if kind == 0x8847 || kind == 0x8848 {
		for bottom := false; !bottom; labels++ {
			if labels == 2 {
				return 4
			}
			bottom = frame[place+2]&1 == 1
			place += 4
		}
		ipv6 = frame[place]>>4 == 6
	}
	if ipv6 {
		extended := slices.Contains([]byte{0, 43, 60}, frame[place+6])
		place += 40
		if extended {
			if place+1 >= len(frame) {
				return 4
			}
			place += 8 + 8*int(frame[place+1])
		}
	}
	if place := slices.Index(ends, place); place >= 0 {
		return place
	}
	return 4
}
