// Package goroutines is no API: it times filters that several goroutines use at once, by the share
// of operations that write: filter/sharded, a deletable filter behind a lock, and those filters of
// other libraries that goroutines may share.
//
// Its tests record histories of filter/sharded and check them with a checker of linearizability.
package goroutines
