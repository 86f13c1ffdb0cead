// Package splitblock is no API: it holds our Parquet filters against parquet-go's and arrow-go's,
// in bytes, answers, and times on the same memory. It has tests and benchmarks only; these print
// their own table:
//
//	go test -run '^$' -bench . -benchtime 1000x ./bench/splitblock | grep ns/key
package splitblock
