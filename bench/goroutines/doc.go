// Package goroutines is no API: it has only tests and a benchmark of filters that several
// goroutines use at once: filter/sharded, a deletable filter behind a lock, and those filters of
// other libraries that goroutines may share. The tests record histories of filter/sharded and check
// them with a checker of linearizability. The benchmark times calls, by the share of those that
// write:
//
//	go test -run '^$' -bench . -cpu 1,2,16 ./bench/goroutines
package goroutines
