// Command after leaves out the look-ups of rows that are in no table, by hashes of their names.
package main

import (
	"fmt"
	"log"

	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/cespare/xxhash/v2"
)

func main() {
	rows, err := plain.New(plain.Config{Members: 100_000, Rate: 1e-6, Blocked: true})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 1000 {
		rows.InsertHash(xxhash.Sum64String(fmt.Sprint("row-", i)))
	}
	found := 0
	for i := range 10_000 {
		if rows.QueryHash(xxhash.Sum64String(fmt.Sprint("row-", i))) {
			found++
		}
	}
	fmt.Println(found)
}
