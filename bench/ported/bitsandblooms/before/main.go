// Command before fetches each page of a crawl once, and keeps what it has seen in a stream.
package main

import (
	"bytes"
	"fmt"
	"log"

	"github.com/bits-and-blooms/bloom/v3"
)

func main() {
	pages, hosts := bloom.NewWithEstimates(100_000, 1e-6), bloom.New(20_000, 14)
	fetched := 0
	for _, page := range []string{"a/1", "a/2", "a/1", "b/1", "a/2"} {
		if !pages.TestOrAddString(page) {
			fetched++
		}
		hosts.AddString(page[:1])
	}

	both := []*bloom.BloomFilter{pages, hosts}
	var state bytes.Buffer
	for _, filter := range both {
		if _, err := filter.WriteTo(&state); err != nil {
			log.Fatal(err)
		}
	}
	for _, filter := range both {
		if _, err := filter.ReadFrom(&state); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(fetched, pages.TestString("a/2"), hosts.TestString("b"), hosts.TestString("c"))
}
