package filter

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// Content is a filter that can be written to a file.
type Content interface {
	Querier

	// Contents returns what a file of the filter holds. Its words are the memory of the filter:
	// they are valid until the filter is written to or becomes unreachable. If the filter is
	// closed, the error wraps [ErrClosed].
	Contents() (*file.Contents, error)

	// Closed reports whether the filter is closed or is a zero value.
	Closed() bool
}

// Stored is a filter with a hash key and with files. [Keyed] has its methods except Contents,
// Closed and Close.
type Stored interface {
	Content
	Key() key.Key
	Save(path string) error
	Close() error
}

// StoredSet is a stored filter that keys can be inserted into. Every kind makes one of a [Sizing],
// unless its filters are made from others.
type StoredSet interface {
	Stored
	Scanner
}

// Rebuilder is a filter that can be built again from a list of its members.
type Rebuilder interface {
	Stored
	// Fresh returns an empty filter with the same plan, size and key.
	Fresh() Stored
}

// Resetter is a filter that can be emptied in place.
type Resetter interface {
	Stored
	// Reset removes all members and clears the history, so that the filter is as new.
	Reset()
}

// Sizing says how many members a filter is for, and how large it is or which rate it has. The
// package of a kind may have more settings; a filter that is made from a Sizing has their defaults.
type Sizing struct {
	// Members is the number of members at a time that the filter is planned for, at least 1.
	Members int

	// BitsPerKey sets the size: the bits of the whole table, divided by Members. Exactly one of
	// BitsPerKey and Rate must be above 0; the other is 0.
	BitsPerKey float64

	// Rate sets the false-positive rate, as a share: 0.01 is 1 %. The filter is the smallest one
	// that is expected to have this rate with the Members in it, and until the end of the Turnovers
	// if they change its rate. It must be at least MinRate(Members), and below 1.
	Rate float64

	// Turnovers is how many times all members will be replaced before the filter is built again.
	// One turnover is as many inserts as there are Members. With 0, a deletable filter has the
	// least room for deletes: package deletable has the numbers.
	Turnovers float64

	// Lifetime says how long members stay. The zero Lifetime is [planning.Oldest]: the oldest
	// member leaves first.
	Lifetime planning.Lifetime

	// Reinserts is how many members are inserted again per insert, because the owner refreshes one
	// part of the filter after another. If it is above 0, the plan has no end, and Turnovers must
	// be 0. It affects the size of a deletable filter only: the other kinds have no blocks to
	// refresh.
	Reinserts float64

	// Key is the hash key. The zero Key stands for a new random key.
	Key key.Key
}

// SizingError says that a filter cannot be made from a [Sizing], or from the settings of its kind.
type SizingError struct {
	Kind     string // the name of the kind
	Field    string // the field of Sizing, or of the Config of the kind
	Found    any    // the value of the field
	Expected string // what the field may be, in words
}

// Error names the kind, the field, what was found and what was expected.
func (e *SizingError) Error() string {
	return fmt.Sprintf("%s filter: %s is %v, expected %s", e.Kind, e.Field, e.Found, e.Expected)
}
