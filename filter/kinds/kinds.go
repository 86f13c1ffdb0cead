// Package kinds has the list of the kinds of filters whose API is stable. Use it in a program that
// takes a kind by its name, or that opens files without knowing what kind of filter they hold. A
// program that knows its kind should import the package of that kind: this one links all of them.
//
//	f, kind, err := kinds.All().Open(path, k)
//
// The rest of the literature's family is in a module of its own, which may change. A program that
// takes those kinds too has a longer list:
//
//	all := slices.Concat(kinds.All(), family.All()) // github.com/bloomlane/bloomlane/filter/family
package kinds

import (
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// List is a list of kinds with different names.
type List []base.Kind

// All returns the kinds, in the order in which "bloomlane kinds" lists them.
func All() List {
	return List{
		deletable.Kind,
		plain.Kind,
		plain.BlockedKind,
		counting.Kind,
		cuckoo.Kind,
		rolling.Kind,
		elastic.Kind,
	}
}

// Of returns the kind with this name, and whether there is one.
func (l List) Of(name string) (kind base.Kind, found bool) {
	i := slices.IndexFunc(l, func(k base.Kind) bool { return k.Name == name })
	if i < 0 {
		return base.Kind{}, false
	}
	return l[i], true
}

// Decode returns the filter whose file has these contents, and its kind. With [key.Unknown] the
// filter takes hashes only. The error is a *[file.Error]; it wraps [file.ErrKind] if the kind is
// not in the list, and [file.ErrWrongKey] if k is the key of another filter.
func (l List) Decode(c *file.Contents, k key.Key) (filter.Stored, base.Kind, error) {
	kind, found := l.Of(c.Kind)
	if !found {
		return nil, kind, file.Wrong(file.ErrKind, "a filter of kind "+c.Kind,
			"a kind that this program knows")
	}
	f, err := kind.Decode(c, k)
	return f, kind, err
}

// Open opens the filter in the file at path, and returns it and its kind. It verifies the whole
// file first; to verify later or never, call [file.Open] and [List.Decode]. With [key.Unknown] the
// filter takes hashes only. The error is a *[file.Error]; it wraps [file.ErrKind] if the kind is
// unknown, and [file.ErrWrongKey] if k is the key of another filter.
func (l List) Open(path string, k key.Key) (filter.Stored, base.Kind, error) {
	c, err := file.Open(path, file.VerifyNow)
	if err != nil {
		return nil, base.Kind{}, err
	}
	f, kind, err := l.Decode(c, k)
	if err != nil {
		return nil, kind, file.At("open", path, err)
	}
	return f, kind, nil
}
