// Command after knows which sessions are open.
package main

import (
	"fmt"
	"log"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
)

func main() {
	open, err := cuckoo.New(cuckoo.Config{Members: 100_000, Rate: 0.0001})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 1000 {
		if _, err := open.Insert(fmt.Append(nil, "session-", i)); err != nil {
			log.Fatal("the filter is full")
		}
	}
	fmt.Println(open.Delete([]byte("session-7")) != filter.Absent, open.Query([]byte("session-7")))
	fmt.Println(open.Members(), open.Query([]byte("session-8")))
}
