package plain

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
)

// Fold returns a filter of the same members in half the bits, which merges with filters of that
// size and k. f does not change. The result is the filter that the same inserts make in half the
// bits with the same k. Its rate is higher, and its k is not the best for its size. The error wraps
// [filter.ErrOddSize] or [filter.ErrClosed].
func (f *Filter) Fold() (*Filter, error) {
	t := f.table.Load()
	if t == nil {
		return nil, fmt.Errorf("fold: %w", filter.ErrClosed)
	}
	half, ok := t.Half()
	if !ok || f.blocked && t.Blocks == 1 {
		return nil, fmt.Errorf("fold: %w: found %v", filter.ErrOddSize, t.Shape)
	}
	folded := bloom.NewTable(half)
	folded.Fold(&t.Table)
	runtime.KeepAlive(t)
	g := filterOf(&table{Table: folded}, filter.KeyOf(f), f.blocked, f.planned)
	g.inserts, g.fingerprint = f.inserts, f.fingerprint
	return g, nil
}
