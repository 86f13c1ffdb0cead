// Package kinds has the list of all kinds of filters. Use it in a program that takes a kind by its
// name, or that opens files without knowing what kind of filter they hold. A program that knows its
// kind should import the package of that kind: this one links all of them.
//
//	f, kind, err := kinds.Open(path, k)
package kinds

import (
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/a2"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/bitwise"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/dlbf"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/retouched"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/filter/spectral"
	"github.com/bloomlane/bloomlane/filter/stable"
)

// All returns the kinds, in the order in which "bloomlane kinds" lists them.
func All() []base.Kind {
	return []base.Kind{
		deletable.Kind,
		plain.Kind,
		plain.BlockedKind,
		counting.Kind,
		bitwise.Kind,
		spectral.Selection,
		spectral.Increase,
		spectral.Recurring,
		cuckoo.Kind,
		dlbf.Kind,
		rolling.Kind,
		stable.Kind,
		a2.Kind,
		elastic.Kind,
		retouched.Kind,
	}
}

// Of returns the kind with this name, and whether there is one.
func Of(name string) (kind base.Kind, found bool) {
	all := All()
	at := slices.IndexFunc(all, func(k base.Kind) bool { return k.Name == name })
	if at < 0 {
		return base.Kind{}, false
	}
	return all[at], true
}

// Decode returns the filter whose file has these contents, and its kind. With [key.Unknown] the
// filter takes hashes only. The error is a *[file.Error]; it wraps [file.ErrKind] if the kind is
// unknown, and [file.ErrWrongKey] if k is the key of another filter.
func Decode(c *file.Contents, k key.Key) (filter.Stored, base.Kind, error) {
	kind, found := Of(c.Kind)
	if !found {
		return nil, kind, file.Wrong(file.ErrKind, "a filter of kind "+c.Kind,
			"a kind that this program knows")
	}
	f, err := kind.Decode(c, k)
	return f, kind, err
}

// Open opens the filter in the file at path, and returns it and its kind. It verifies the whole
// file first; to verify later or never, call [file.Open] and [Decode]. With [key.Unknown] the
// filter takes hashes only. The error is a *[file.Error]; it wraps [file.ErrKind] if the kind is
// unknown, and [file.ErrWrongKey] if k is the key of another filter.
func Open(path string, k key.Key) (filter.Stored, base.Kind, error) {
	c, err := file.Open(path, file.VerifyNow)
	if err != nil {
		return nil, base.Kind{}, err
	}
	f, kind, err := Decode(c, k)
	if err != nil {
		return nil, kind, file.At("open", path, err)
	}
	return f, kind, nil
}
