package audit_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// A program deletes sessions that it never inserted. Some of them are false positives, so members
// lose bits.
func Example() {
	sessions, err := deletable.New(deletable.Config{Members: 100_000, BitsPerKey: 16,
		Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	// A program leaves both out: these make a short example have the same output each time.
	f, err := audit.New(sessions, audit.Config{Every: 64, Secret: 1})
	if err != nil {
		log.Fatal(err)
	}
	for id := range uint64(100_000) {
		if _, err := f.InsertUint64(id); err != nil {
			log.Fatal(err)
		}
	}
	f.Check(10_000)
	s := f.Stats()
	fmt.Println("before:", s.Alarm(), s.Deletes.NonMembers)

	for id := range uint64(50_000) {
		f.DeleteUint64(1<<40 + id)
	}
	f.Check(10_000)
	s = f.Stats()
	fmt.Println("deletes of non-members:", s.DeletedNonMembers().Part)
	fmt.Println("members were lost:", s.Alarm() != nil)

	// Without an audit the filter counts the deletes that found nothing. The others found a false
	// positive each, and looked like deletes of members.
	fmt.Println("absent:", sessions.Stats().Absent, "of 50000")
	// Output:
	// before: <nil> 0
	// deletes of non-members: 1
	// members were lost: true
	// absent: 49900 of 50000
}

// A filter that was opened has members that the audit does not know, until its owner lists them.
func ExampleFilter_Seed() {
	members := []uint64{1, 2, 3}
	opened, err := deletable.New(deletable.Config{Members: 100, BitsPerKey: 16})
	if err != nil {
		log.Fatal(err)
	}
	hashes := make([]uint64, len(members))
	opened.Key().HashUint64Batch(members, hashes)
	if _, err := opened.InsertHashBatch(hashes, nil); err != nil {
		log.Fatal(err)
	}

	f, err := audit.New(opened, audit.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("all known:", f.Stats().Seeded)
	difference, err := f.Seed(filter.Infallible(slices.Values(hashes)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("all known:", f.Stats().Seeded, difference)
	// Output:
	// all known: false
	// all known: true {0 0}
}

var exampleKey, _ = key.Parse("0100000000000000000000000000000000000000000000000000000000000000")
