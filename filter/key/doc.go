// Package key has the secret keys under which filters hash: HighwayHash-64, so that whoever does not
// know the key cannot choose members or queries that collide, and a filter that others choose the keys
// of stays as good as its plan.
//
// Filters that are to be merged need the same [Key], and so does a filter that is read back from its
// file, which does not hold it.
package key
