package words

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// Merge adds the members of other to f. join joins the words of two tables of one size, and Merge
// the numbers. Both filters must have the same key and size. The errors are those of
// [filter.CheckMerge], and [filter.ErrClosed] if other is nil. On an error f does not change.
func Merge[F, T any, P Table[T]](f, other *F, join func(to, from P)) error {
	if other == nil {
		return fmt.Errorf("merge: %w: found nil, expected a filter", filter.ErrClosed)
	}
	b, o := bodyOf[F, T, P](f), bodyOf[F, T, P](other)
	to, from := Live(b), Live(o)
	if err := filter.CheckMerge("merge", b.mergeable(to), o.mergeable(from)); err != nil {
		return err
	}
	join(to, from)
	theirs := from.Numbers()
	for i, n := range to.Numbers() {
		switch value := *theirs[i].Value; n.Role {
		case Plan:
			*n.Value = max(*n.Value, value)
		case Count:
			*n.Value = filter.Total(*n.Value, value)
		}
	}
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	return nil
}

func (b *Body[F, T, P]) mergeable(t P) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	return filter.Mergeable{Open: true, Fingerprint: b.fingerprint,
		Shape: fmt.Sprintf("%s, %v", b.kind.Name, t), Memory: identity(t)}
}
