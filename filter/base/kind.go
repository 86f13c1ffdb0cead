package base

import (
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Kind describes a kind of filter, so that programs can take a kind by its name or from a file.
// Packages kinds and family have the lists of all kinds.
type Kind struct {
	Name     string // a word in lower case, in files and on the command line
	Source   string // the paper that describes the filter
	Promises Promise

	// New returns an empty filter. Its error is a *[filter.SizingError]. New is nil if filters of
	// the kind are made from other filters.
	New func(filter.Sizing) (filter.Stored, error)

	// Decode returns the filter whose file has these contents. With [key.Unknown] it takes hashes
	// only. The filter may use the words of the sections as its memory; it then keeps the contents
	// alive. Its error is a *[file.Error].
	Decode func(*file.Contents, key.Key) (filter.Stored, error)
}
