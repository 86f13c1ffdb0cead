package vectors

import (
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
)

// Targets returns two targets of an implementation: its single calls, which are compared after
// every record, and its batches.
func Targets(im kernel.Implementation) []Target {
	return []Target{kernelTarget{dispatch.Implementation(im), 1},
		kernelTarget{dispatch.Implementation(im), 256}}
}

// kernelTarget runs an implementation, by single calls if group is 1, and otherwise by batches.
type kernelTarget struct {
	im    dispatch.Implementation
	group int
}

func (t kernelTarget) Name() string {
	if t.group == 1 {
		return t.im.String()
	}
	return t.im.String() + " in batches"
}

func (t kernelTarget) Group() int { return t.group }

func (t kernelTarget) New(blockBits, nblocks int) (Machine, error) {
	var ops operations
	switch blockBits {
	case 256:
		ops = table[uint32]{t.im.Operations256(), dispatch.Lanes(kernel.NewTable256(nblocks))}
	case 512:
		ops = table[uint64]{t.im.Operations512(), dispatch.Lanes(kernel.NewTable512(nblocks))}
	default:
		return nil, fmt.Errorf("blocks of %d bits, want 512 or 256", blockBits)
	}
	if t.group == 1 {
		return singles{ops}, nil
	}
	return &batches{operations: ops}, nil
}

// operations are the operations of one implementation on a table of either width.
type operations interface {
	query(h uint64) bool
	insert(h uint64) bool
	delete(h uint64) kernel.Status
	queryBatch(hashes, present []uint64) int
	insertBatch(hashes, present []uint64) int
	deleteBatch(hashes []uint64, status []kernel.Status) int
	merge(block int, other Block)
	match(block int, hashes, present []uint64) int
	Block(i int) (Block, error)
}

// singles performs records by single calls.
type singles struct{ operations }

func (m singles) Apply(records []Record, results []Result) error {
	for i := range records {
		r := &records[i]
		switch r.Op {
		case Query:
			results[i] = presence(m.query(r.H))
		case Insert:
			results[i] = presence(m.insert(r.H))
		case Delete:
			results[i] = statusResult(uint8(m.delete(r.H)))
		case Merge:
			m.merge(r.Block, r.Mask)
			results[i] = Merged
		case Match:
			results[i] = presence(m.match(r.Block, []uint64{r.H}, nil) == 1)
		}
	}
	return nil
}

// batches performs records by batches.
type batches struct {
	operations
	hashes, present []uint64
	status          []kernel.Status
}

func (m *batches) Apply(records []Record, results []Result) error {
	m.hashes = m.hashes[:0]
	for i := range records {
		m.hashes = append(m.hashes, records[i].H)
	}
	n := len(records)
	m.present = append(m.present[:0], make([]uint64, (n+63)/64)...)
	m.status = append(m.status[:0], make([]kernel.Status, n)...)
	var count, counted int
	switch op := records[0].Op; op {
	case Query:
		count = m.queryBatch(m.hashes, m.present)
	case Insert:
		count = m.insertBatch(m.hashes, m.present)
	case Delete:
		count = m.deleteBatch(m.hashes, m.status)
		for i, status := range m.status {
			results[i] = statusResult(uint8(status))
			if status == kernel.Deleted {
				counted++
			}
		}
		return agree(op, count, counted)
	case Merge:
		for i := range records {
			m.merge(records[i].Block, records[i].Mask)
			results[i] = Merged
		}
		return nil
	case Match:
		// a match has one header and many masks, so records of one block are matched together
		for i, start := 1, 0; i <= n; i++ {
			if i < n && records[i].Block == records[start].Block {
				continue
			}
			var present [4]uint64 // of a group of at most 256
			count += m.match(records[start].Block, m.hashes[start:i], present[:])
			for j := start; j < i; j++ {
				m.present[j/64] |= present[(j-start)/64] >> ((j - start) % 64) & 1 << (j % 64)
			}
			start = i
		}
	}
	for i := range records {
		hit := m.present[i/64]>>(i%64)&1 != 0
		results[i] = presence(hit)
		if hit {
			counted++
		}
	}
	return agree(records[0].Op, count, counted)
}

func agree(op Op, count, counted int) error {
	if count != counted {
		return fmt.Errorf("a batch of %s returns the count %d, but its output has %d", op, count,
			counted)
	}
	return nil
}

// table performs the operations of one implementation on a table of either width.
type table[T fallback.Lane] struct {
	ops    dispatch.Operations[T]
	blocks [][8]T
}

func (t table[T]) query(h uint64) bool           { return t.ops.Query(t.blocks, h) }
func (t table[T]) insert(h uint64) bool          { return t.ops.Insert(t.blocks, h) }
func (t table[T]) delete(h uint64) kernel.Status { return kernel.Status(t.ops.Delete(t.blocks, h)) }
func (t table[T]) queryBatch(hashes, present []uint64) int {
	return t.ops.QueryBatch(t.blocks, hashes, present)
}
func (t table[T]) insertBatch(hashes, present []uint64) int {
	return t.ops.InsertBatch(t.blocks, hashes, present)
}
func (t table[T]) deleteBatch(hashes []uint64, status []kernel.Status) int {
	return t.ops.DeleteBatch(t.blocks, hashes, dispatch.Bytes(status))
}
func (t table[T]) merge(block int, other Block) {
	t.ops.Merge(t.blocks[block:block+1], [][8]T{narrow[T](other)})
}
func (t table[T]) match(block int, hashes, present []uint64) int {
	masks := make([][8]T, len(hashes))
	for i, h := range hashes {
		masks[i] = fallback.Mask[T](h)
	}
	return t.ops.MatchBatch(&t.blocks[block], masks, present)
}
func (t table[T]) Block(i int) (Block, error) { return widen(t.blocks[i]), nil }
