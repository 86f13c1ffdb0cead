// Package goroutines is no API: it times filters that several goroutines use at once, by the share
// of operations that write: filter/sharded, a deletable filter behind a lock, and other libraries'
// filters that may be shared.
//
// Its tests record histories of filter/sharded and have a checker of linearizability judge them.
package goroutines
