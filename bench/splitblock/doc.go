// Package splitblock is no API: it compares this project's Parquet filters with those of parquet-go
// and arrow-go: their bytes, their answers, and their times on the same memory. It has only tests
// and benchmarks, which print their own table:
//
//	go test -run '^$' -bench . -benchtime 1000x ./bench/splitblock | grep ns/key
package splitblock
