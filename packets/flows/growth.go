package flows

import (
	"fmt"
	"math"
	"time"

	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Memory is the bytes of a filter.
type Memory struct {
	Bytes int `json:"bytes"`                 // all
	Lists int `json:"lists_bytes,omitempty"` // of these, which only inserts and deletes read
}

// Growth is the memory of a filter whose size is not fixed.
type Growth struct {
	Made   int    `json:"made_for"` // members
	Start  Memory `json:"start"`
	Mean   Memory `json:"mean"` // over time
	Peak   Memory `json:"peak"` // with both tables, while it moves from one to another
	Grew   int    `json:"grew"` // times
	Shrank int    `json:"shrank"`
}

// blocks returns the bytes that queries read.
func (m Memory) blocks() int { return m.Bytes - m.Lists }

func (m Memory) text() string {
	return fmt.Sprintf("%s bytes (blocks %s, lists %s)",
		quantity.Count(m.Bytes), quantity.Count(m.blocks()), quantity.Count(m.Lists))
}

// scales weigh a filter that grows.
type scales struct {
	Growth
	filter       *elastic.Filter
	blocks       int
	now          Memory
	until        time.Duration // up to where there are bytes and lists
	bytes, lists float64       // over time, in seconds
}

func newScales(f *elastic.Filter, made int) *scales {
	stats := f.Stats()
	start := memoryOf(stats)
	growth := Growth{Made: made, Start: start, Mean: start, Peak: start}
	return &scales{Growth: growth, filter: f, blocks: stats.Blocks, now: start}
}

func memoryOf(s elastic.Stats) Memory { return Memory{s.FastBytes + s.SlowBytes, s.SlowBytes} }

// weigh takes into account what the filter has since a time, and what it had up to then.
func (s *scales) weigh(now time.Duration) {
	seconds := (now - s.until).Seconds()
	s.bytes += float64(s.now.Bytes) * seconds
	s.lists += float64(s.now.Lists) * seconds
	s.until = now
	if now > 0 {
		s.Mean = Memory{int(math.Round(s.bytes / now.Seconds())),
			int(math.Round(s.lists / now.Seconds()))}
	}
	stats := s.filter.Stats()
	if s.now = memoryOf(stats); s.now.Bytes > s.Peak.Bytes {
		s.Peak = s.now
	}
	if stats.Blocks > s.blocks {
		s.Grew++
	} else if stats.Blocks < s.blocks {
		s.Shrank++
	}
	s.blocks = stats.Blocks
}

// weigh takes the memory at a time into account, of a filter that grows.
func (s *subject) weigh(at time.Duration) {
	if s.scales != nil {
		s.scales.weigh(at)
		s.Bytes = s.scales.Peak.Bytes
	}
}

// newElastic makes the filter that grows: for the planned part of the rate, but with no more bits
// per key in its blocks than the others have, up to whole blocks. It takes 2 at least.
func newElastic(p *plan, key key.Key) (*elastic.Filter, error) {
	const block = 256 // bits
	bits := max(2, float64(8*p.Bytes)/float64(p.Members)) * float64(p.start())
	bits = math.Ceil(bits/block) * block
	config := elastic.Config{Members: p.start(), BitsPerKey: bits / float64(p.start()), Key: key}
	if size, err := config.Shape(); err == nil && size.Rate(size.Members) <= planRate*p.rate {
		config.BitsPerKey, config.Rate = 0, planRate*p.rate
	}
	return elastic.New(config)
}
