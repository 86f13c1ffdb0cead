package retouched

import "github.com/bloomlane/bloomlane/filter"

// Promises is what the kind promises: nothing. A member may be lost, so there are false negatives.
const Promises = filter.Promise(0)

// Kind is the kind of retouched filters, which are made of others.
var Kind = filter.Kind{
	Name: kindName, Promises: Promises,
	Source: "Donnet, Baynat and Friedman: Retouched Bloom Filters (CoNEXT, 2006)",
	Decode: filter.DecodeOf(Decode),
}
