package agreement

import (
	"bytes"
	"net/netip"
	"time"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/siphash"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/xdp"
)

// executor is a machine with the filter of a scenario's file.
type executor interface {
	// judge stores whether the machine drops each frame.
	judge(frames [][]byte, dropped []bool) error
	// change inserts addresses, or deletes them, one after another, and stores the result of each:
	// of an insert 1 if it was present before, of a delete a [filter.Status].
	change(insert bool, addresses []netip.Addr, results []uint8) error
	// blocks reads the table.
	blocks(table kernel.Table512) error
	// cost measures a packet.
	cost(frames [][]byte) (Cost, error)
	close() error
}

// Cost is what a packet costs a machine.
type Cost struct {
	PerPacket float64 `json:"per_packet"`
	Unit      string  `json:"unit"`              // ns or clocks
	What      string  `json:"what"`              // what was measured
	Latency   int     `json:"latency,omitempty"` // of a packet alone, in the same unit
}

// machine makes an executor.
type machine struct {
	name  string // as pictures have it
	start func(*scenario) (executor, error)
}

// goCode is Go on one implementation: batches of frames are read, hashed and looked up.
type goCode struct {
	im    dispatch.Implementation
	key   *siphash.Key
	table kernel.Table512

	four, six       []byte // addresses of a batch
	fourAt, sixAt   []int  // the frames that have them
	hashes, present []uint64
}

func goMachine(im dispatch.Implementation) machine {
	return machine{"Go, " + im.String(), func(s *scenario) (executor, error) {
		f, err := deletable.Read(bytes.NewReader(s.file), s.config.Key)
		if err != nil {
			return nil, err
		}
		secret := s.config.Key.Bytes()
		return &goCode{im: im, table: f.CloneTable(),
			key: siphash.New([siphash.Size]byte(secret[len(secret)-siphash.Size:]))}, nil
	}}
}

func (g *goCode) hash(data []byte, width int, hashes []uint64) {
	for i := range hashes {
		hashes[i] = g.key.Sum64(data[i*width:][:width])
	}
}

func (g *goCode) judge(frames [][]byte, dropped []bool) error {
	g.four, g.six, g.fourAt, g.sixAt = g.four[:0], g.six[:0], g.fourAt[:0], g.sixAt[:0]
	for i, frame := range frames {
		dropped[i] = false
		switch source := xdp.Parse(frame).Source; {
		case source.Is4():
			bytes := source.As4()
			g.four, g.fourAt = append(g.four, bytes[:]...), append(g.fourAt, i)
		case source.Is6():
			bytes := source.As16()
			g.six, g.sixAt = append(g.six, bytes[:]...), append(g.sixAt, i)
		}
	}
	look := func(data []byte, width int, places []int) {
		if len(g.hashes) < len(places) {
			g.hashes, g.present = make([]uint64, len(places)), make([]uint64, (len(places)+63)/64)
		}
		hashes := g.hashes[:len(places)]
		g.hash(data, width, hashes)
		g.im.QueryBatch512(dispatch.Lanes(g.table), hashes, g.present)
		for i, frame := range places {
			dropped[frame] = g.present[i/64]>>(i%64)&1 == 1
		}
	}
	look(g.four, 4, g.fourAt)
	look(g.six, 16, g.sixAt)
	return nil
}

func (g *goCode) change(insert bool, addresses []netip.Addr, results []uint8) error {
	hashes := make([]uint64, len(addresses))
	for i, a := range addresses {
		g.hash(a.AsSlice(), a.BitLen()/8, hashes[i:i+1])
	}
	if !insert {
		g.im.DeleteBatch512(dispatch.Lanes(g.table), hashes, results)
		return nil
	}
	present := make([]uint64, (len(hashes)+63)/64)
	g.im.InsertBatch512(dispatch.Lanes(g.table), hashes, present)
	for i := range results {
		results[i] = uint8(present[i/64] >> (i % 64) & 1)
	}
	return nil
}

func (g *goCode) blocks(table kernel.Table512) error {
	copy(table, g.table)
	return nil
}

// rounds is how often frames are judged for their cost.
const rounds = 20

func (g *goCode) cost(frames [][]byte) (Cost, error) {
	dropped := make([]bool, len(frames))
	best := time.Duration(1<<63 - 1)
	for range rounds {
		start := time.Now()
		if err := g.judge(frames, dropped); err != nil {
			return Cost{}, err
		}
		best = min(best, time.Since(start))
	}
	return Cost{PerPacket: float64(best.Nanoseconds()) / float64(len(frames)), Unit: "ns",
		What: "reading, hashing and looking up, in batches"}, nil
}

func (g *goCode) close() error { return nil }
