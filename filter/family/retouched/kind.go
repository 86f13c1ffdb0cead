package retouched

import "github.com/bloomlane/bloomlane/filter/base"

const kindName = "retouched"

// Promises are the promises of this kind of filter: none. A member may be lost, so there are false
// negatives.
const Promises = base.Promise(0)

const from = "a plain, a blocked or a deletable filter, for New of package retouched"

// Kind describes this kind of filter to programs that handle every kind: see [base.Kind]. Its
// filters are made from others.
var Kind = base.Kind{
	Name: kindName, Promises: Promises, From: from, New: base.NewFrom(kindName, from),
	Source: "Donnet, Baynat and Friedman: Retouched Bloom Filters (CoNEXT, 2006)",
	Decode: base.DecodeOf(Decode),
}
