package base

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
)

// Merge adds the members of other to f: see [filter.Merger]. check, unless it is nil, may refuse the
// tables of two filters of one key and size. join joins their words, and Merge the numbers. The
// errors are those of [Both] and of check. On an error f does not change.
func Merge[F, T any, P Table[T]](
	b *Body[F, T, P],
	other filter.Stored,
	check func(to, from P) error,
	join func(to, from P),
) error {
	to, from, err := Both("merge", b, other)
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
// be of one kind, key and size. The errors are those of [filter.Merger].
func Both[F, T any, P Table[T]](
	operation string,
	b *Body[F, T, P],
	other filter.Stored,
) (to, from P, err error) {
	f, err := Same[F](operation, other)
	if err != nil {
		return nil, nil, err
	}
	o := bodyOf[F, T, P](f)
	to, from = Live(b), Live(o)
	if err := filter.CheckMerge(operation, b.mergeable(to), o.mergeable(from)); err != nil {
		return nil, nil, err
	}
	return to, from, nil
}

// Same returns another filter, of the type *F, for an operation that the error names. It may be
// wrapped: see [filter.As].
func Same[F any](operation string, other filter.Stored) (*F, error) {
	f, is := filter.As[*F](other)
	switch {
	case other == nil || is && f == nil:
		return nil, fmt.Errorf("%s: %w: found nil, expected a filter", operation, filter.ErrClosed)
	case !is:
		return nil, fmt.Errorf("%s: %w", operation, file.Wrong(file.ErrKind,
			fmt.Sprintf("a %T", other), fmt.Sprintf("a %T", f)))
	}
	return f, nil
}

func (b *Body[F, T, P]) mergeable(t P) filter.Mergeable {
	if t == nil {
		return filter.Mergeable{}
	}
	return filter.Mergeable{Open: true, Fingerprint: b.fingerprint,
		Shape: fmt.Sprintf("%s, %v", b.kind.Name, t), Memory: identity(t)}
}
