package sharded_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/sharded"
)

// exampleKey makes the output of the examples the same every time. Programs leave Config.Key out
// and get a random key.
var exampleKey, _ = key.Parse("0102030000000000000000000000000000000000000000000000000000000000")

// Four goroutines insert into one filter, query it and delete from it.
func Example() {
	f, err := sharded.New(deletable.Config{Members: 4000, Rate: 0.001, Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	var goroutines sync.WaitGroup
	for g := range uint64(4) {
		goroutines.Go(func() {
			for i := range uint64(1000) {
				k := g*1000 + i
				f.InsertUint64(k)
				if !f.QueryUint64(k) {
					log.Fatal("a member was not found")
				}
				if i%2 == 1 {
					f.DeleteUint64(k)
				}
			}
		})
	}
	goroutines.Wait()
	fmt.Println(f.State().Members, "members,", f.QueryUint64(2), f.QueryUint64(3))
	// Output: 2000 members, true false
}

// The members are read from their owner's map while others use the filter. The owner inserts into
// the map first, and deletes from it last.
func ExampleFilter_Rebuild() {
	f, err := sharded.New(deletable.Config{Members: 1000, Rate: 0.001, Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	var guests sync.Map
	for _, guest := range []string{"apple", "pear", "plum"} {
		guests.Store(guest, nil)
		f.InsertString(guest)
	}
	f.DeleteString("pear")
	guests.Delete("pear")

	err = f.Rebuild(context.Background(), filter.Infallible(func(yield func([]byte) bool) {
		guests.Range(func(guest, _ any) bool { return yield([]byte(guest.(string))) })
	}))
	fmt.Println(err, f.QueryString("apple"), f.QueryString("pear"), f.History())
	// Output: <nil> true false {2 0 0}
}

// If goroutines only insert and none queries meanwhile, a filter per goroutine is the fastest. The
// filters have one key and one size, and their merge is bit for bit the filter of all inserts. This
// needs the memory of a filter per goroutine. The merged filter may then be shared.
func Example_merge() {
	const goroutines, members = 4, 100_000
	config := deletable.Config{Members: members, BitsPerKey: 16, Key: exampleKey}
	var parts [goroutines]*deletable.Filter
	var all sync.WaitGroup
	for g := range parts {
		all.Go(func() {
			part, err := deletable.New(config)
			if err != nil {
				log.Fatal(err)
			}
			var keys []uint64
			for k := g; k < members; k += goroutines {
				keys = append(keys, uint64(k))
			}
			part.InsertUint64Batch(keys, nil)
			parts[g] = part
		})
	}
	all.Wait()
	merged := parts[0]
	for _, part := range parts[1:] {
		if err := merged.Merge(part); err != nil {
			log.Fatal(err)
		}
	}
	f, err := sharded.Of(merged)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.State().Members, "members,", f.QueryUint64(99_999))
	// Output: 100000 members, true
}
