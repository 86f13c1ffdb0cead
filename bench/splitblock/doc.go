// Package splitblock is no API: it compares this project's Parquet filters with those of parquet-go
// and arrow-go: their bytes, their answers, and their times on the same memory. It has only tests
// and a benchmark:
//
//	go test -run '^$' -bench . -benchtime 20ms -count 10 ./bench/splitblock
package splitblock
