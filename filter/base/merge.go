package base

import (
	"fmt"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Merge adds the members of other to f: see [filter.Merger]. check, unless it is nil, may refuse
// the tables of two filters of one key and size. join joins their words, and Merge the numbers. The
// errors are those of [Pair] and of check. On an error f does not change.
func Merge[F, T any, P Table[T]](
	b *Body[F, T, P],
	other filter.Stored,
	check func(to, from P) error,
	join func(to, from P),
) error {
	to, from, err := Pair("merge", b, other)
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
			*n.Value = Total(*n.Value, value)
		case State:
			*n.Value = n.Empty
		}
	}
	runtime.KeepAlive(to)
	runtime.KeepAlive(from)
	return nil
}

// Pair returns the tables of two filters for an operation on both, which the error names. They must
// be of one kind, key and size. The errors are those of [filter.Merger].
func Pair[F, T any, P Table[T]](
	operation string,
	b *Body[F, T, P],
	other filter.Stored,
) (to, from P, err error) {
	f, err := Partner[F](operation, other)
	if err != nil {
		return nil, nil, err
	}
	o := bodyOf[F, T, P](f)
	to, from = Live(b), Live(o)
	if err := CheckMerge(operation, b.mergeable(to), o.mergeable(from)); err != nil {
		return nil, nil, err
	}
	return to, from, nil
}

// Partner returns another filter as a *F, for an operation on both, which the error names. It may
// be wrapped: see [filter.As].
func Partner[F any](operation string, other filter.Stored) (*F, error) {
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

func (b *Body[F, T, P]) mergeable(t P) Mergeable {
	if t == nil {
		return Mergeable{}
	}
	return Mergeable{Open: true, Key: b.key,
		Shape: fmt.Sprintf("%s, %v", b.kind.Name, t), Memory: identity(t)}
}

// Mergeable is what [CheckMerge] needs to know about a filter.
type Mergeable struct {
	Open   bool         // the filter is not closed
	Key    key.Identity // of its hash key
	Shape  string       // its size and settings in words, equal for filters that merge
	Memory any          // a pointer to the start of its table
}

// CheckMerge returns an error unless the filters to and from can be merged, or combined by another
// operation, which op names. The error wraps [filter.ErrClosed], [file.ErrWrongKey],
// [filter.ErrUnequalSize] or [filter.ErrSelf].
func CheckMerge(op string, to, from Mergeable) error {
	switch {
	case !to.Open || !from.Open:
		return fmt.Errorf("%s: %w", op, filter.ErrClosed)
	case to.Key != from.Key:
		return fmt.Errorf("%s: %w: found a %v, expected a %v", op, file.ErrWrongKey, from.Key,
			to.Key)
	case to.Shape != from.Shape:
		return fmt.Errorf("%s: %w: found %s, expected %s", op, filter.ErrUnequalSize, from.Shape,
			to.Shape)
	case to.Memory == from.Memory:
		return fmt.Errorf("%s: %w", op, filter.ErrSelf)
	}
	return nil
}

// FoldError says that not even the whole filter of a kind keeps what a fold should, such as a
// "Rate": it has found, where asked was asked for.
func FoldError(kind, field string, asked, found float64) error {
	return &filter.SizingError{Kind: kind, Field: field, Found: asked,
		Expected: fmt.Sprintf("one that the whole filter keeps: it has %.3g", found)}
}

// Part returns the parts of a fold of a number of parts. The error wraps [filter.ErrIndivisible].
func Part(parts, divisor int) (int, error) {
	if divisor < 1 || parts%divisor != 0 {
		return 0, fmt.Errorf("fold: %w: found %d, of %d", filter.ErrIndivisible, divisor, parts)
	}
	return parts / divisor, nil
}
