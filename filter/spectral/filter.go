package spectral

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// MinimumSelection is a filter whose inserts raise all counters of a key, and whose deletes lower
// them. Make one with [NewSelection] or [DecodeSelection]. The embedded [filter.KeyedDeleter] and
// [filter.KeyedCounter] have Insert, Query, Delete, Add, Count and their batches, for keys of
// bytes, strings and uint64s, and Save.
//
// For all filters of this package: a call that changes a filter, such as an insert, an add, a
// delete, a merge or a reset, must not run beside any other call but Close. Any number of
// goroutines may query a filter that does not change, count, save it and ask for its state, also
// while another one closes it.
type MinimumSelection struct {
	filter.KeyedDeleter
	filter.KeyedCounter
	deleter
}

// MinimalIncrease is a filter whose inserts raise only the least counters of a key. It makes fewer
// errors than [MinimumSelection], and nothing is deleted from it. Make one with [NewIncrease] or
// [DecodeIncrease].
type MinimalIncrease struct {
	filter.KeyedSet
	filter.KeyedCounter
	core
}

// RecurringMinimum is a filter with minimum selection and secondary counters for the keys whose
// least counter is a single one. Make one with [NewRecurring] or [DecodeRecurring].
type RecurringMinimum struct {
	filter.KeyedDeleter
	filter.KeyedCounter
	deleter
}

// NewSelection returns an empty filter of the size that c asks for. The error is a
// *[filter.SizingError].
func NewSelection(c Config) (*MinimumSelection, error) {
	return newOf[MinimumSelection](c, selection)
}

// NewIncrease returns an empty filter of the size that c asks for. The error is a
// *[filter.SizingError].
func NewIncrease(c Config) (*MinimalIncrease, error) { return newOf[MinimalIncrease](c, increase) }

// NewRecurring returns an empty filter of the size that c asks for. The error is a
// *[filter.SizingError].
func NewRecurring(c Config) (*RecurringMinimum, error) {
	return newOf[RecurringMinimum](c, recurring)
}

// DecodeSelection returns the filter in the contents of a file. k is the key that the filter had
// when it was saved. With the zero Key the filter takes hashes only. The error is a *[file.Error];
// for a wrong key it wraps [file.ErrWrongKey]. To read a file, give DecodeSelection to
// [filter.OpenAs], [filter.LoadAs] or [filter.ReadAs].
func DecodeSelection(c *file.Contents, k key.Key) (*MinimumSelection, error) {
	return decodeOf[MinimumSelection](c, k, selection)
}

// DecodeIncrease is [DecodeSelection] for a filter with minimal increase.
func DecodeIncrease(c *file.Contents, k key.Key) (*MinimalIncrease, error) {
	return decodeOf[MinimalIncrease](c, k, increase)
}

// DecodeRecurring is [DecodeSelection] for a filter with a recurring minimum.
func DecodeRecurring(c *file.Contents, k key.Key) (*RecurringMinimum, error) {
	return decodeOf[RecurringMinimum](c, k, recurring)
}

// state is what a filter has but for its type.
type state struct {
	key key.Key
	body
	table *table
}

// filterOf is a filter that becomes what has a state.
type filterOf[F any] interface {
	*F
	become(state)
}

func made[F any, P filterOf[F]](s state) *F {
	f := new(F)
	P(f).become(s)
	return f
}

func newOf[F any, P filterOf[F]](c Config, r rule) (*F, error) {
	size, err := c.solve(r)
	if err != nil {
		return nil, err
	}
	if c.Key.IsZero() {
		c.Key = key.New()
	}
	return made[F, P](state{c.Key, body{fingerprint: c.Key.Fingerprint()}, newTable(size)}), nil
}

func decodeOf[F any, P filterOf[F]](c *file.Contents, k key.Key, r rule) (*F, error) {
	s, err := decode(c, k, r)
	if err != nil {
		return nil, err
	}
	return made[F, P](s), nil
}

func (f *MinimumSelection) become(s state) {
	f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(s.key, f),
		filter.NewKeyedCounter(s.key, f)
	f.set(s)
}

func (f *MinimalIncrease) become(s state) {
	f.KeyedSet, f.KeyedCounter = filter.NewKeyedSet(s.key, f), filter.NewKeyedCounter(s.key, f)
	f.set(s)
}

func (f *RecurringMinimum) become(s state) {
	f.KeyedDeleter, f.KeyedCounter = filter.NewKeyedDeleter(s.key, f),
		filter.NewKeyedCounter(s.key, f)
	f.set(s)
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *MinimumSelection) Fresh() filter.Stored {
	return made[MinimumSelection](f.fresh(filter.KeyOf(f)))
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *MinimalIncrease) Fresh() filter.Stored {
	return made[MinimalIncrease](f.fresh(filter.KeyOf(f)))
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (f *RecurringMinimum) Fresh() filter.Stored {
	return made[RecurringMinimum](f.fresh(filter.KeyOf(f)))
}

// Clone returns a copy of the filter, in memory of its own.
func (f *MinimumSelection) Clone() *MinimumSelection {
	return made[MinimumSelection](f.clone(filter.KeyOf(f)))
}

// Clone returns a copy of the filter, in memory of its own.
func (f *MinimalIncrease) Clone() *MinimalIncrease {
	return made[MinimalIncrease](f.clone(filter.KeyOf(f)))
}

// Clone returns a copy of the filter, in memory of its own.
func (f *RecurringMinimum) Clone() *RecurringMinimum {
	return made[RecurringMinimum](f.clone(filter.KeyOf(f)))
}

// Equal reports whether both filters have the same key, plan, size, history and counters.
func (f *MinimumSelection) Equal(other *MinimumSelection) bool {
	t := f.table.Table()
	return f.equal(t, &other.core)
}

// Equal reports whether both filters have the same key, plan, size, history and counters.
func (f *MinimalIncrease) Equal(other *MinimalIncrease) bool {
	t := f.table.Table()
	return f.equal(t, &other.core)
}

// Equal reports whether both filters have the same key, plan, size, history and counters.
func (f *RecurringMinimum) Equal(other *RecurringMinimum) bool {
	t := f.table.Table()
	return f.equal(t, &other.core)
}

// Merge adds the members of other, which must have the same key and size, and does not change. The
// counters add up, so that f is then the filter of all inserts of both. The error wraps
// [file.ErrWrongKey], [filter.ErrUnequalSize] or [filter.ErrSelf], or [filter.ErrClosed] if one of
// the two is closed or other is nil. On an error f does not change.
func (f *MinimumSelection) Merge(other *MinimumSelection) error {
	if other == nil {
		return errNil
	}
	return f.merge(&other.core)
}

// Merge adds the members of other, which must have the same key and size, and does not change. The
// counters add up, so that no count is too low. A single filter of all inserts would have some
// lower counts. The errors are those of the Merge of [MinimumSelection].
func (f *MinimalIncrease) Merge(other *MinimalIncrease) error {
	if other == nil {
		return errNil
	}
	return f.merge(&other.core)
}

// UnmarshalBinary makes f the filter that MarshalBinary wrote. f keeps its hash key, which must be
// that of the written filter. A zero or closed filter has no key, and takes hashes only from then
// on. On an error f does not change. It implements [encoding.BinaryUnmarshaler].
func (f *MinimumSelection) UnmarshalBinary(b []byte) error {
	g, err := filter.UnmarshalAs(b, f, DecodeSelection)
	if err == nil {
		f.become(g.state(g.Key()))
	}
	return err
}

// UnmarshalBinary makes f the filter that MarshalBinary wrote, as that of [MinimumSelection] does.
func (f *MinimalIncrease) UnmarshalBinary(b []byte) error {
	g, err := filter.UnmarshalAs(b, f, DecodeIncrease)
	if err == nil {
		f.become(g.state(g.Key()))
	}
	return err
}

// UnmarshalBinary makes f the filter that MarshalBinary wrote, as that of [MinimumSelection] does.
func (f *RecurringMinimum) UnmarshalBinary(b []byte) error {
	g, err := filter.UnmarshalAs(b, f, DecodeRecurring)
	if err == nil {
		f.become(g.state(g.Key()))
	}
	return err
}
