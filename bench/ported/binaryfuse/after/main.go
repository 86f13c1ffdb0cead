// Command after asks a list of numbers that never changes.
package main

import (
	"fmt"
	"log"

	"github.com/bloomlane/bloomlane/filter/plain"
)

func main() {
	var listed []uint64
	for i := range uint64(1000) {
		listed = append(listed, i*i)
	}
	list, err := plain.New(plain.Config{Members: len(listed), Rate: 1.0 / (1 << 32)})
	if err != nil {
		log.Fatal(err)
	}
	list.InsertUint64Batch(listed, nil)
	fmt.Println(list.QueryUint64(49), list.QueryUint64(50))
}
