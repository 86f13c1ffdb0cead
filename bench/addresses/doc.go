// Package addresses is no API: it compares exact sets of IPv4 addresses with filters of them, for
// deny lists: memory and the time to ask for one address. It has only a test and benchmarks, which
// print their own table:
//
//	go test -run '^$' -bench . ./bench/addresses
package addresses
