package rolling_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"maps"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// Sessions come and go. Their owner has a list of the open sessions, and the filter asks for it
// when it needs it.
func Example() {
	open := map[uint64]bool{} // by hash
	f, err := rolling.New(rolling.Config{
		Members: 1000, Rate: 0.001,
		Stragglers: func(
			context.Context,
			rolling.Generation,
			rolling.Generation,
		) iter.Seq2[uint64, error] {
			return filter.Infallible(maps.Keys(open))
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for session := range uint64(100_000) {
		if session >= 1000 {
			gone := f.HashUint64(session - 1000)
			f.DeleteHash(gone)
			delete(open, gone)
		}
		hash := f.HashUint64(session)
		if _, err := f.InsertHash(hash); err != nil {
			log.Fatal(err)
		}
		open[hash] = true
	}
	fmt.Println(f.QueryUint64(99_999), f.Stats().Rate <= 0.001)
	// Output:
	// true true
}

// An owner who records the generation of each key deletes from it, and needs no list.
func ExampleFilter_DeleteHashIn() {
	f, err := rolling.New(rolling.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		log.Fatal(err)
	}
	apple := f.HashString("apple")
	if _, err := f.InsertHash(apple); err != nil {
		log.Fatal(err)
	}
	generation := f.Newest() // to be kept with the key
	fmt.Println(f.QueryString("apple"))
	fmt.Println(f.DeleteHashIn(generation, apple), f.QueryString("apple"))
	// Output:
	// true
	// deleted false
}
