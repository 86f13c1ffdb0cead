// Package splitblock holds our Parquet filters against parquet-go's and arrow-go's: the same bytes, the same
// answers, and times on the same memory. It has tests and benchmarks only; these print their own table:
//
//	go test -run '^$' -bench . -benchtime 1000x ./bench/splitblock | grep ns/key
package splitblock
