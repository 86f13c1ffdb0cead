package filter

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// Kind is a kind of filter. Package kinds has all of them.
type Kind struct {
	Name     string // as files and commands have it: a word in lower case
	Source   string // the paper that it is from
	Promises Promise

	// New returns an empty filter; nil where filters of the kind are made of others. Its error is a
	// *[SizingError].
	New func(Sizing) (Stored, error)

	// Decode returns the filter of a file's contents, which Contents of it gave. It may keep the
	// words of the sections, and keeps the contents in reach as long as it does. Its error is a
	// *[file.Error].
	Decode func(*file.Contents, key.Key) (Stored, error)

	// Merge adds the members of one filter to another of the same key and size, both of the kind;
	// nil where that cannot be. On an error nothing has changed.
	Merge func(to, from Stored) error

	// Intersect leaves in one filter the members that another of the same key and size has too,
	// both of the kind; nil where that cannot be. What is present then was present in both. On an
	// error nothing has changed.
	Intersect func(to, from Stored) error

	// Fold returns the filter of the same members in half the table, which is another; nil where
	// that cannot be.
	Fold func(of Stored) (Stored, error)
}

// MergeOf returns a Kind's Merge, or Intersect, of that of its type. Filters of another kind are an
// error that wraps [file.ErrKind].
func MergeOf[F Stored](merge func(to, from F) error) func(to, from Stored) error {
	return func(to, from Stored) error {
		a, isTo := to.(F)
		b, isFrom := from.(F)
		if !isTo || !isFrom {
			return file.Wrong(file.ErrKind, fmt.Sprintf("a %T and a %T", to, from),
				fmt.Sprintf("two of %T", *new(F)))
		}
		return merge(a, b)
	}
}

// FoldOf returns a Kind's Fold of the fold of its type. A filter of another kind is an error that
// wraps [file.ErrKind].
func FoldOf[F Stored](fold func(F) (F, error)) func(Stored) (Stored, error) {
	return func(of Stored) (Stored, error) {
		f, is := of.(F)
		if !is {
			return nil, file.Wrong(file.ErrKind, fmt.Sprintf("the fold of a %T", of),
				fmt.Sprintf("one of a %T", *new(F)))
		}
		folded, err := fold(f)
		if err != nil {
			return nil, err
		}
		return folded, nil
	}
}

// Content is a filter that can be written to a file.
type Content interface {
	Querier

	// Contents returns what a file of the filter holds. Its words are the filter's own: they are
	// good until the filter is written, or out of reach. Its error wraps [ErrClosed].
	Contents() (*file.Contents, error)

	Closed() bool // or never made
}

// Stored is a filter with a key, and with files. [Keyed] has all of it but Contents and Close.
type Stored interface {
	Content
	Key() key.Key
	Save(path string) error
	Close() error
}

// Rebuilder is a filter that can be built again from a list of its members.
type Rebuilder interface {
	Stored
	Fresh() Stored // an empty filter of the same plan, size and key
}

// Resetter is a filter that can be emptied in place: nothing is left of its history.
type Resetter interface {
	Stored
	Reset()
}

// Sizing says what a filter is for, and how large it is to be. Kinds have settings of their own
// beside it, in their packages; here they take their defaults.
type Sizing struct {
	// Members is the number of members at a time to plan for, at least 1.
	Members int

	// BitsPerKey sizes by memory: bits of the whole table for each of the Members. Exactly one of
	// BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes by the false-positive rate: the smallest filter that is expected to have it with
	// the Members in, and until the end of the Turnovers where they change it. It is [MinRate] at
	// least.
	Rate float64

	// Turnovers is how many times all members are to be replaced before the filter is built again.
	Turnovers float64

	// Lifetime is how long members stay; the zero Lifetime is [planning.Oldest].
	Lifetime planning.Lifetime

	// Reinserts, if it is above 0, is how many members are inserted again per insert, because the
	// owner refreshes the filter's blocks in turn. The plan is then for ever, and Turnovers must be
	// 0. Only the size of a deletable filter depends on it: the other kinds have no blocks to
	// refresh.
	Reinserts float64

	// Key is the hash key; the zero Key means a new random one.
	Key key.Key
}

// SizingError says that there is no filter of a [Sizing], or of a kind's own settings.
type SizingError struct {
	Kind     string
	Field    string // of Sizing, or of the kind's Config
	Found    any
	Expected string
}

func (e *SizingError) Error() string {
	return fmt.Sprintf("%s filter: %s is %v, expected %s", e.Kind, e.Field, e.Found, e.Expected)
}
