package words

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
)

// Merge adds the members of other to f. Both filters must have the same key and size. check, unless
// it is nil, may refuse the tables of two such filters. join joins their words, and Merge the
// numbers. The errors are those of [Both] and of check. On an error f does not change.
func Merge[F, T any, P Table[T]](
	f, other *F,
	check func(to, from P) error,
	join func(to, from P),
) error {
	to, from, err := Both[F, T, P]("merge", f, other)
	if err != nil {
		return err
	}
	if check != nil {
		if err := check(to, from); err != nil {
			return fmt.Errorf("merge: %w", err)
		}
	}
	join(to, from)
	theirs := from.Numbers()
	for i, n := range to.Numbers() {
		switch value := *theirs[i].Value; n.Role {
		case Plan:
			*n.Value = max(*n.Value, value)
		case Count:
			*n.Value = filter.Total(*n.Value, value)
		case State:
			*n.Value = n.Empty
		}
	}
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	return nil
}

// Both returns the tables of two filters for an operation on both, which the error names. They must
// have the same key and size. The errors are those of [filter.CheckMerge], and [filter.ErrClosed]
// if other is nil.
func Both[F, T any, P Table[T]](operation string, f, other *F) (to, from P, err error) {
	if other == nil {
		return nil, nil, fmt.Errorf("%s: %w: found nil, expected a filter", operation,
			filter.ErrClosed)
	}
	b, o := bodyOf[F, T, P](f), bodyOf[F, T, P](other)
	to, from = Live(b), Live(o)
	if err := filter.CheckMerge(operation, b.mergeable(to), o.mergeable(from)); err != nil {
		return nil, nil, err
	}
	return to, from, nil
}

func (b *Body[F, T, P]) mergeable(t P) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	return filter.Mergeable{Open: true, Fingerprint: b.fingerprint,
		Shape: fmt.Sprintf("%s, %v", b.kind.Name, t), Memory: identity(t)}
}
