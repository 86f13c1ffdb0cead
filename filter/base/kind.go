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

	// ShowsHashes says that files of the kind have hashes of keys. So its keys are not of
	// [key.SipHash13].
	ShowsHashes bool

	// From is empty, or it says what filters of the kind are made from, instead of a Sizing. Then
	// New returns an error.
	From string

	// New returns an empty filter. Its error is a *[filter.SizingError].
	New func(filter.Sizing) (filter.StoredSet, error)

	// Decode returns the filter whose file has these contents. With [key.Unknown] it takes hashes
	// only. The filter may use the words of the sections as its memory; it then keeps the contents
	// alive. Its error is a *[file.Error].
	Decode func(*file.Contents, key.Key) (filter.Stored, error)
}

// Describe returns the description of a kind for programs that handle every kind. make is its New.
func Describe[F, T any, P Table[T]](
	kind *Class[F, T],
	make func(filter.Sizing) (*F, error),
) Kind {
	return Kind{
		Name: kind.Name, Source: kind.Source, Promises: kind.Promises,
		New: func(s filter.Sizing) (filter.StoredSet, error) {
			return as[filter.StoredSet](make(s))
		},
		Decode: func(c *file.Contents, k key.Key) (filter.Stored, error) {
			return as[filter.Stored](Decode[F, T, P](kind, c, k))
		},
	}
}

// NewOf returns the New of a [Kind] that has no [Class], from the function for its own type.
func NewOf[F filter.StoredSet](
	make func(filter.Sizing) (F, error),
) func(filter.Sizing) (filter.StoredSet, error) {
	return func(s filter.Sizing) (filter.StoredSet, error) { return as[filter.StoredSet](make(s)) }
}

// NewFrom returns the New of a [Kind] whose filters are made from others: an error that says from
// which.
func NewFrom(kind, from string) func(filter.Sizing) (filter.StoredSet, error) {
	return func(filter.Sizing) (filter.StoredSet, error) {
		return nil, &filter.SizingError{Kind: kind, Field: "From", Found: "a Sizing",
			Expected: from}
	}
}

// DecodeOf returns the Decode of a [Kind] that has no [Class], from the function for its own type.
func DecodeOf[F filter.Stored](
	decode func(*file.Contents, key.Key) (F, error),
) func(*file.Contents, key.Key) (filter.Stored, error) {
	return func(c *file.Contents, k key.Key) (filter.Stored, error) {
		return as[filter.Stored](decode(c, k))
	}
}

// as returns nil on an error. A nil pointer of the type F would be a filter that is not nil.
func as[I filter.Stored, F any](f F, err error) (I, error) {
	if err != nil {
		var none I
		return none, err
	}
	return any(f).(I), nil
}
