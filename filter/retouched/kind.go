package retouched

import "github.com/bloomlane/bloomlane/filter"

const kindName = "retouched"

// Promises are the promises of this kind of filter: none. A member may be lost, so there are false
// negatives.
const Promises = filter.Promise(0)

// Kind describes this kind of filter to programs that handle every kind: see [filter.Kind]. It has
// no New, because these filters are made of others.
var Kind = filter.Kind{
	Name: kindName, Promises: Promises,
	Source: "Donnet, Baynat and Friedman: Retouched Bloom Filters (CoNEXT, 2006)",
	Decode: filter.DecodeOf(Decode),
}
