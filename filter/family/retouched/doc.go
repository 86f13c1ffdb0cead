// Package retouched makes a filter that does not find some given keys: false positives that hurt,
// such as an address that must not be blocked. It clears bits so that these troublesome keys are no
// longer present. Each member that has a cleared bit is lost, so use it if some false positives
// cost more than some false negatives.
//
// [New] makes such a filter of a plain, a blocked or a deletable one, its members and the
// troublesome keys. It returns a [Report]: which bits were cleared, which keys were bought off, and
// which members were lost for them. The new filter can be queried and saved. Nothing is inserted
// into it, because that would set cleared bits again. Members that come later go into a second
// filter next to it.
//
//	f, report, err := retouched.New(blocked, retouched.Config{
//		Members:     members,     // hashes of all members
//		Troublesome: troublesome, // hashes of the keys that must not be found
//		Protected:   protected,   // hashes of members that must not be lost
//	})
//
// # The contract
//
//   - A member may be missed: the kind has no promises. The report says which members are lost. A
//     protected member never is.
//   - Troublesome keys are bought off in the order of their source, and stay absent. Some may
//     remain: because of protected members, or because a Budget, Target or Bits of the [Config]
//     ended the work.
//   - No other key becomes present, so the rate of false positives falls.
//   - The filter that it is made of must not change during New, and is as it was afterwards.
//
// Errors are a *[filter.SizingError] for a bad Config, an *[AbsentError] for members that the
// filter does not find, a *[TooManyError] for more than 2^32 - 1 bits of keys, a *[file.Error] for
// a bad file, an error that wraps that of a source, and one that wraps [filter.ErrClosed] after
// Close.
//
// # Time and memory
//
// Time and memory grow with the number of keys, and not with their product. Sources may have any
// length, because only keys that are present are kept. Beside two and a half times the filter, New
// needs some 30 bytes per bit that may be cleared, 30 + 8 k bytes per troublesome key that is
// present, and 13 + 8 j bytes per member that has j of these bits. docs/measurements/kinds.md
// has times and a comparison of the algorithms, and docs/theory/retouched.md the equations.
//
// The alternative is a second filter of the keys that must not be present, which a program asks for
// what this one finds. It loses fewer members and needs more memory.
//
// Source: Donnet, Baynat and Friedman, "Retouched Bloom Filters: Allowing Networked Applications to
// Trade Off Selected False Positives Against False Negatives", CoNEXT 2006, and its extended
// version, whose numbers of sections, equations and algorithms are used here.
package retouched
