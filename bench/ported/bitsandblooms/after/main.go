// Command after fetches each page of a crawl once, and keeps what it has seen in a stream.
package main

import (
	"bytes"
	"fmt"
	"log"

	"github.com/bloomlane/bloomlane/filter/plain"
)

func main() {
	pages, err := plain.New(plain.Config{Members: 100_000, Rate: 1e-6})
	hosts, also := plain.New(plain.Config{Bits: 20_000, Hashes: 14})
	if err != nil || also != nil {
		log.Fatal(err, also)
	}
	fetched := 0
	for _, page := range []string{"a/1", "a/2", "a/1", "b/1", "a/2"} {
		if present, _ := pages.InsertStringIfAbsent(page); !present {
			fetched++
		}
		hosts.InsertString(page[:1])
	}

	both := []*plain.Filter{pages, hosts}
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
	fmt.Println(fetched, pages.QueryString("a/2"), hosts.QueryString("b"), hosts.QueryString("c"))
}
