package base

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Class is what all filters of a kind have in common. F is the type of the filters and T that of
// their tables.
type Class[F, T any] struct {
	Name     string // see [Kind]
	Source   string
	Promises Promise
	Section  string // the name of the words in files of a [Flat] table

	// Table is a table without words: what all tables of the kind have, beside numbers.
	Table T

	// Bind gives a filter the operations by keys, which it embeds, under a key.
	Bind func(f *F, k key.Key)
}

// Body is a filter of a table without its operations: a kind's Filter embeds it beside
// [filter.KeyedSet] or one of its siblings.
//
// A call that changes a filter, such as an insert, a delete, a merge or a reset, must not run
// beside any other call but Close. Any number of goroutines may query a filter that does not
// change, save it and ask for its state, also while another one closes it.
type Body[F, T any, P Table[T]] struct {
	Life[held[T]]
	filter *F // that embeds this
	kind   *Class[F, T]
}

// held is a table and, if its words lie in a file, the contents of that. A mapping lasts as long as
// these contents are reachable, so code that uses the words keeps the table alive.
type held[T any] struct {
	table    T // first: a pointer to it keeps the contents alive too
	contents *file.Contents
}

func (h *held[T]) String() string { return any(&h.table).(fmt.Stringer).String() }

// Live returns the table of a filter, or nil if it is closed. Code that uses the words calls
// [runtime.KeepAlive] with the table after that.
//
// The table is the first field of what holds it, so nil is nil, and a caller with one call of its
// own can still be inlined.
func Live[F, T any, P Table[T]](b *Body[F, T, P]) P {
	return P((*T)(unsafe.Pointer(b.table.Load())))
}

// Open is [Live], but panics with [filter.ErrClosed] if the filter is closed.
func Open[F, T any, P Table[T]](b *Body[F, T, P]) P { return &b.table.Table().table }

func (b *Body[F, T, P]) body() *Body[F, T, P] { return b }

// bodyOf returns the body that a filter embeds.
func bodyOf[F, T any, P Table[T]](f *F) *Body[F, T, P] {
	return any(f).(interface{ body() *Body[F, T, P] }).body()
}

// Make returns a filter of the kind with the table t, under the key of [KeyOrNew].
func Make[F, T any, P Table[T]](kind *Class[F, T], t P, k key.Key) (*F, error) {
	k, err := KeyOrNew(kind.Name, k)
	if err != nil {
		return nil, err
	}
	return made[F, T, P](kind, &held[T]{table: *t}, k, k.Identity()), nil
}

// KeyOrNew returns the key of a new filter of a kind: k, or a random one for the zero Key. For
// [key.Unknown] the error is a *[filter.SizingError].
func KeyOrNew(kind string, k key.Key) (key.Key, error) {
	switch {
	case k.IsUnknown():
		return k, &filter.SizingError{Kind: kind, Field: "Key", Found: k,
			Expected: "a key, or none for a random one"}
	case k.IsZero():
		return key.New(), nil
	}
	return k, nil
}

// Sibling returns a filter of the same kind and key as f, with the table t.
func Sibling[F, T any, P Table[T]](f *F, t P) *F {
	b := bodyOf[F, T, P](f)
	return made[F, T, P](b.kind, &held[T]{table: *t}, any(f).(filter.Stored).Key(),
		b.key)
}

func made[F, T any, P Table[T]](
	kind *Class[F, T],
	h *held[T],
	k key.Key,
	identity key.Identity,
) *F {
	f := new(F)
	kind.Bind(f, k)
	bodyOf[F, T, P](f).become(f, kind, h, identity)
	return f
}

func (b *Body[F, T, P]) become(f *F, kind *Class[F, T], h *held[T], identity key.Identity) {
	b.filter, b.kind = f, kind
	Begin(&b.Life, kind.Name, h, identity)
}

// Reset empties the filter.
func (b *Body[F, T, P]) Reset() {
	t := Open(b)
	Empty(t)
	runtime.KeepAlive(t)
}

// Empty makes a table that of an empty filter, for a Reset that has more to do.
func Empty[T any, P Table[T]](t P) {
	clearMemory(t)
	clearCounts(t)
}

func clearCounts[T any, P Table[T]](t P) {
	for _, n := range t.Numbers() {
		if n.Role >= Count {
			*n.Value = n.Empty
		}
	}
}

// Clone returns a copy of the filter, in memory of its own.
func (b *Body[F, T, P]) Clone() *F {
	from := Open(b)
	table := *from
	to := P(&table)
	if err := fitLike(to, from); err != nil {
		panic(err) // from has the same numbers and words
	}
	runtime.KeepAlive(from)
	return Sibling(b.filter, to)
}

// Fresh returns an empty filter of the same plan, size and key: see [filter.Rebuilder].
func (b *Body[F, T, P]) Fresh() filter.Stored {
	table := *Open(b)
	to := P(&table)
	renew(to)
	clearCounts(to)
	return any(Sibling(b.filter, to)).(filter.Stored)
}

// Equal reports whether both filters have the same key, numbers and words: they have the same plan,
// size, history and members, and go on alike.
func (b *Body[F, T, P]) Equal(other *F) bool {
	t := Open(b)
	o := bodyOf[F, T, P](other)
	u := Open(o)
	equal := b.kind == o.kind && b.key == o.key &&
		slices.EqualFunc(t.Numbers(), u.Numbers(), func(n, m Number) bool {
			return *n.Value == *m.Value
		}) && slices.EqualFunc(sectionsOf(t), sectionsOf(u), slices.Equal[[]uint64])
	if more, ok := any(t).(Comparer[T]); ok {
		equal = equal && more.Agrees(u)
	}
	runtime.KeepAlive(t)
	runtime.KeepAlive(u)
	return equal
}

// State describes the filter: see [filter.State]. Of a closed one it is zero.
func (b *Body[F, T, P]) State() (s filter.State) {
	if t := Live(b); t != nil {
		s = t.State()
		if flat, ok := any(t).(Flat); ok {
			s.Bytes = 8 * len(flat.Memory())
		}
		runtime.KeepAlive(t)
	}
	return s
}

// ScanFill returns the share of the table in use and the most that an insert adds to it: see
// [filter.Scanner].
func (b *Body[F, T, P]) ScanFill() (fill, most float64, err error) {
	t := Live(b)
	if t == nil {
		return 0, 0, filter.ErrClosed
	}
	fill, most = t.Scan()
	runtime.KeepAlive(t)
	return fill, most, nil
}

// based is what every filter of the base has.
type based interface {
	numbers() []Number
	checkWhole() error
}

func (b *Body[F, T, P]) numbers() []Number { return Open(b).Numbers() }

func (b *Body[F, T, P]) checkWhole() error {
	t := Open(b)
	defer runtime.KeepAlive(t)
	c, err := b.Contents()
	if err != nil {
		return err
	}
	f, err := Decode[F, T, P](b.kind, c, key.Unknown())
	if err != nil {
		return err
	}
	other := Open(bodyOf[F, T, P](f))
	if copies(t) { // a memory that is not the words need not be of one form
		table := *t
		if err := fitLike(&table, t); err != nil {
			return err
		}
		t = &table
	}
	if reflect.DeepEqual(other, t) {
		return nil
	}
	var fields []string
	told, has := reflect.ValueOf(other).Elem(), reflect.ValueOf(t).Elem()
	for i := range has.NumField() {
		if fmt.Sprint(told.Field(i)) != fmt.Sprint(has.Field(i)) {
			fields = append(fields, has.Type().Field(i).Name)
		}
	}
	return fmt.Errorf("%s: found the fields %v, expected only what numbers and words say",
		b.kind.Name, fields)
}

// NumbersOf returns the numbers of a filter, or nil if it is not made from a [Body].
func NumbersOf(f filter.Stored) []Number {
	if b, ok := f.(based); ok {
		return b.numbers()
	}
	return nil
}

// CheckWhole returns an error if a filter that is made from a [Body] has something that its numbers
// and words do not say, such as a counter that Numbers forgets: files, copies and comparisons would
// do without it.
func CheckWhole(f filter.Stored) error {
	if b, ok := f.(based); ok {
		return b.checkWhole()
	}
	return nil
}
