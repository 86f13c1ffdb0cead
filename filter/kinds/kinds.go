// Package kinds has the list of the kinds of filters, for programs that take a kind by its name, or
// from a file.
package kinds

import (
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/a2"
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

// All returns the kinds, in the order in which they are listed.
func All() []filter.Kind {
	return []filter.Kind{
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

// Of returns the kind with a name.
func Of(name string) (kind filter.Kind, found bool) {
	all := All()
	at := slices.IndexFunc(all, func(k filter.Kind) bool { return k.Name == name })
	if at < 0 {
		return filter.Kind{}, false
	}
	return all[at], true
}

// Decode returns the filter of a file's contents, of the kind that these are of: see [filter.Kind].
// Its error is a *[file.Error].
func Decode(c *file.Contents, k key.Key) (filter.Stored, filter.Kind, error) {
	kind, found := Of(c.Kind)
	if !found {
		return nil, kind, file.Wrong(file.ErrKind, "a filter of kind "+c.Kind,
			"a kind that this program knows")
	}
	f, err := kind.Decode(c, k)
	return f, kind, err
}

// Open opens the filter in the file at a path, which is checked whole first: [file.Open], with
// another [file.Verify], and [Decode] leave that to the caller, who then does not save what was not
// verified. The zero Key opens a filter that takes hashes only. Its error is a *[file.Error].
func Open(path string, k key.Key) (filter.Stored, filter.Kind, error) {
	c, err := file.Open(path, file.VerifyNow)
	if err != nil {
		return nil, filter.Kind{}, err
	}
	f, kind, err := Decode(c, k)
	if err != nil {
		return nil, kind, file.At("open", path, err)
	}
	return f, kind, nil
}
