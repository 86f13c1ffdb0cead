// Command before knows which sessions are open.
package main

import (
	"fmt"
	"log"

	"github.com/seiflotfy/cuckoofilter"
)

func main() {
	open := cuckoo.NewFilter(100_000)
	for i := range 1000 {
		if !open.Insert(fmt.Append(nil, "session-", i)) {
			log.Fatal("the filter is full")
		}
	}
	fmt.Println(open.Delete([]byte("session-7")), open.Lookup([]byte("session-7")))
	fmt.Println(open.Count(), open.Lookup([]byte("session-8")))
}
