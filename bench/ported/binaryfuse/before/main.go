// Command before asks a list of numbers that never changes.
package main

import (
	"fmt"
	"log"

	"github.com/FastFilter/xorfilter"
)

func main() {
	var listed []uint64
	for i := range uint64(1000) {
		listed = append(listed, i*i)
	}
	list, err := xorfilter.NewBinaryFuse[uint32](listed)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list.Contains(49), list.Contains(50))
}
