package deletable_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// exampleKey makes the output of the examples the same every time. Programs leave Config.Key out
// and get a random key.
var exampleKey, _ = key.Parse("0102030000000000000000000000000000000000000000000000000000000000")

func Example() {
	f, err := deletable.New(deletable.Config{Members: 1000, BitsPerKey: 16})
	if err != nil {
		log.Fatal(err)
	}
	f.Insert([]byte("apple"))
	f.Insert([]byte("pear"))
	fmt.Println(f.Query([]byte("apple")), f.Query([]byte("plum")))
	fmt.Println(f.Delete([]byte("apple")), f.Query([]byte("apple")))
	// Output:
	// true false
	// deleted false
}

// New chooses the size for a false-positive rate. Stats has the rate with all planned members in.
func ExampleNew() {
	f, err := deletable.New(deletable.Config{Members: 100_000, Rate: 0.001, Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	for key := range uint64(100_000) {
		f.InsertUint64(key)
	}
	stats := f.Stats()
	fmt.Printf("%d bytes for %d members\n", stats.Bytes, stats.Members)
	fmt.Printf("planned rate %.4f, rate now %.3f\n", stats.PlannedRate, stats.Rate)
	// Output:
	// 231680 bytes for 100000 members
	// planned rate 0.0010, rate now 0.001
}

// Batches answer in bits: bit i%64 of present[i/64] is the answer for key i.
func ExampleFilter_QueryUint64Batch() {
	f, err := deletable.New(deletable.Config{Members: 100, BitsPerKey: 24, Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	f.InsertUint64Batch([]uint64{2, 3, 5, 7}, nil)
	var present [1]uint64
	count := f.QueryUint64Batch([]uint64{1, 2, 3, 4, 5, 6, 7}, present[:])
	fmt.Printf("%d present: %07b, 5 is: %v\n", count, present[0], filter.At(present[:], 4))
	// Output:
	// 4 present: 1010110, 5 is: true
}

// If all seven bits of a key have collided with other inserts, its delete is retained: the key is
// no member any more, but is still found.
func ExampleFilter_DeleteBatch() {
	f, err := deletable.New(deletable.Config{Members: 3, BitsPerKey: 16, Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	pear := []byte("pear")
	f.Insert(pear)
	f.Insert(pear) // a mistake: insert every member once
	keys := [][]byte{pear, []byte("plum")}
	status := make([]deletable.Status, len(keys))
	deleted := f.DeleteBatch(keys, status)
	fmt.Println(deleted, status, f.Query(pear))
	// Output:
	// 0 [retained absent] true
}

// A file does not hold the hash key. Keep the key with it: Open needs it.
func ExampleFilter_Save() {
	folder, err := os.MkdirTemp("", "bloomlane")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "fruit.blm")

	f, err := deletable.New(deletable.Config{Members: 1000, BitsPerKey: 16})
	if err != nil {
		log.Fatal(err)
	}
	f.Insert([]byte("apple"))
	if err := f.Save(path); err != nil {
		log.Fatal(err)
	}
	reopened, err := deletable.Open(path, f.Key())
	if err != nil {
		log.Fatal(err)
	}
	defer reopened.Close()
	fmt.Println(reopened.Query([]byte("apple")))
	_, err = deletable.Open(path, key.New())
	fmt.Println(err != nil)
	// Output:
	// true
	// true
}

// Goroutines query a filter while its file is replaced and opened again. Publish the new filter and
// drop the old one without Close: its file is unmapped when the last goroutine is done with it.
func ExampleOpen_reload() {
	folder, err := os.MkdirTemp("", "bloomlane")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "guests.blm")
	saveGuests(path, "apple", "pear")

	var current atomic.Pointer[deletable.Filter]
	reload := func() {
		fresh, err := deletable.Open(path, exampleKey)
		if err != nil {
			log.Fatal(err)
		}
		current.Store(fresh)
	}
	reload()
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for range 10_000 {
				if !current.Load().Query([]byte("apple")) {
					fmt.Println("apple is lost")
				}
			}
		})
	}
	for range 100 {
		reload()
	}
	readers.Wait()

	f := current.Load()
	fmt.Println(f.Delete([]byte("pear")), f.Query([]byte("pear")))
	if err := f.Save(path); err != nil {
		log.Fatal(err)
	}
	reload()
	fmt.Println(current.Load().Members())
	// Output:
	// deleted false
	// 1
}

// saveGuests writes a filter of some keys to a file.
func saveGuests(path string, guests ...string) {
	f, err := deletable.New(deletable.Config{Members: 1000, BitsPerKey: 16, Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	for _, guest := range guests {
		f.Insert([]byte(guest))
	}
	if err := f.Save(path); err != nil {
		log.Fatal(err)
	}
}

// Shards that are built separately, with one key and one size, become one filter.
func ExampleFilter_Merge() {
	config := deletable.Config{Members: 1000, BitsPerKey: 16, Key: exampleKey}
	monday, err := deletable.New(config)
	if err != nil {
		log.Fatal(err)
	}
	tuesday, err := deletable.New(config)
	if err != nil {
		log.Fatal(err)
	}
	monday.Insert([]byte("apple"))
	tuesday.Insert([]byte("pear"))
	if err := monday.Merge(tuesday); err != nil {
		log.Fatal(err)
	}
	fmt.Println(monday.Members(), monday.Query([]byte("pear")))
	// Output:
	// 2 true
}

// Members come and go while goroutines query. When a rebuild is due, the owner rebuilds the filter
// from its own list. Only the owner writes, and it holds the lock while it writes to the filter
// that the others query.
func ExampleFilter_Rebuild() {
	f, err := deletable.New(deletable.Config{Members: 1000, Rate: 0.01, Turnovers: 1,
		Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	var (
		lock    sync.RWMutex // for writes to f and for its replacement
		members = map[string]bool{}
		readers sync.WaitGroup
		done    = make(chan struct{})
	)
	insert := func(key string) {
		lock.Lock()
		f.Insert([]byte(key))
		lock.Unlock()
		members[key] = true
	}
	remove := func(key string) {
		lock.Lock()
		f.Delete([]byte(key))
		lock.Unlock()
		delete(members, key)
	}

	insert("apple") // it stays a member
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				lock.RLock()
				if !f.Query([]byte("apple")) {
					fmt.Println("apple is lost")
				}
				lock.RUnlock()
			}
		})
	}
	rebuilds, worst := 0, 0.0
	for n := range 10_000 {
		if n >= 999 {
			remove(fmt.Sprint("guest ", n-999))
		}
		insert(fmt.Sprint("guest ", n))
		if f.Due() == nil {
			continue
		}
		worst = max(worst, f.Stats().Rate)
		// the others may query f during the rebuild
		fresh, err := f.Rebuild(context.Background(), func(yield func([]byte, error) bool) {
			for key := range members {
				if !yield([]byte(key), nil) {
					return
				}
			}
		})
		if err != nil {
			log.Fatal(err)
		}
		lock.Lock()
		f = fresh
		lock.Unlock()
		rebuilds++
	}
	close(done)
	readers.Wait()
	fmt.Printf("%d rebuilds, rate %.2f at worst\n", rebuilds, worst)
	// Output:
	// 8 rebuilds, rate 0.01 at worst
}

// A table of flows has buckets by the high bits of the hashes, so it can list the flows of an
// interval of hashes. The packet loop refreshes some blocks whenever a step is due, and the rate
// stays bounded.
func ExampleRefresher() {
	const flows, bucketBits = 20_000, 12
	f, err := deletable.New(deletable.Config{Members: flows, BitsPerKey: 16, Turnovers: 1,
		Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	steps, err := deletable.NewRefresher(f, 1, 64) // one re-insert per insert, 64 blocks per step
	if err != nil {
		log.Fatal(err)
	}
	var buckets [1 << bucketBits][]uint64 // the hashes of the flows
	members := func(low, high uint64) iter.Seq2[uint64, error] {
		return func(yield func(uint64, error) bool) {
			for b := low >> (64 - bucketBits); b <= high>>(64-bucketBits); b++ {
				for _, hash := range buckets[b] {
					if low <= hash && hash <= high && !yield(hash, nil) {
						return
					}
				}
			}
		}
	}
	for packet := range uint64(12 * flows) { // each begins a flow, and the oldest flow ends
		hash := f.HashUint64(packet)
		b := &buckets[hash>>(64-bucketBits)]
		*b = append(*b, hash)
		f.InsertHash(hash)
		if packet >= flows {
			hash := f.HashUint64(packet - flows)
			b := &buckets[hash>>(64-bucketBits)]
			*b = slices.DeleteFunc(*b, func(h uint64) bool { return h == hash })
			f.DeleteHash(hash)
		}
		if first, end, due := steps.Next(); due {
			if err := f.RefreshHash(context.Background(), first, end, members); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Printf("%d members, rate %.1f %%\n", f.Members(), 100*f.Stats().Rate)
	// Output:
	// 20000 members, rate 0.9 %
}

// A filter that is planned for two turnovers reports its health after one.
func ExampleFilter_Health() {
	const members = 100_000
	f, err := deletable.New(deletable.Config{Members: members, Rate: 0.01, Turnovers: 2,
		Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	for key := range uint64(2 * members) {
		if key >= members {
			f.DeleteUint64(key - members)
		}
		f.InsertUint64(key)
	}
	h := f.Health()
	fmt.Printf("%.1f of %.1f turnovers, %.1f left by the rate\n", h.Turnovers, h.PlannedTurnovers,
		h.TurnoversLeft)
	fmt.Printf("false positives: %.1f %% now, %.1f %% planned\n", 100*h.Rate, 100*h.PlannedRate)
	fmt.Printf("deletability: %.0f %%\n", 100*h.Deletability)
	fmt.Println("due:", h.Due != nil)
	// Output:
	// 1.0 of 2.0 turnovers, 1.0 left by the rate
	// false positives: 0.2 % now, 1.0 % planned
	// deletability: 88 %
	// due: false
}

// The expected rates of fresh filters of three sizes.
func ExampleShape_Rate() {
	const members = 1_000_000
	for _, bitsPerKey := range []int{8, 16, 24} {
		size := deletable.Shape{Blocks: members * bitsPerKey / (8 * deletable.BlockBytes)}
		fmt.Printf("%d bits per key: %.3f %%\n", bitsPerKey, 100*size.Rate(members))
	}
	// Output:
	// 8 bits per key: 4.483 %
	// 16 bits per key: 0.207 %
	// 24 bits per key: 0.027 %
}
