// Package family has the list of the rest of the literature's family of filters: those that count,
// fade, forget exactly or delete otherwise, beside the kinds of
// [github.com/bloomlane/bloomlane/filter/kinds], which come first. They keep the same contract, the
// same laws and the same format of files. But the API of this module may change, while that of the
// others stays: see docs/stability.md.
//
//   - filter/family/bitwise and filter/family/spectral count how often a key came.
//   - filter/family/stable has old keys fade from an endless stream, and filter/family/a2 finds
//     each of the last keys of one.
//   - filter/family/retouched does not find some known keys, at the price of some members.
//   - filter/family/dlbf is the deletable filter as it was published.
//
// A program that knows its kind should import the package of that kind: this one links all of them.
package family

import (
	"github.com/bloomlane/bloomlane/filter/family/a2"
	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/filter/kinds"
)

// All returns the kinds of the family, in the order in which "bloomlane kinds" lists them, behind
// those of [kinds.All].
func All() kinds.List {
	return kinds.List{
		bitwise.Kind,
		spectral.Selection,
		spectral.Increase,
		spectral.Recurring,
		dlbf.Kind,
		stable.Kind,
		a2.Kind,
		retouched.Kind,
	}
}
