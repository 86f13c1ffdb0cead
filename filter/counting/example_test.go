package counting_test

import (
	"bytes"
	"fmt"

	"github.com/bloomlane/bloomlane/filter/counting"
)

func Example() {
	cached, err := counting.New(counting.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		if _, err := cached.InsertString("/index.html"); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(cached.DeleteString("/index.html"), cached.QueryString("/index.html"))
	fmt.Println(cached.DeleteString("/index.html"), cached.QueryString("/index.html"))
	// Output:
	// retained true
	// deleted false
}

// A proxy tells its neighbours what it has in its cache. It follows what comes and goes with a
// filter, and sends a digest now and then. A neighbour requests from it what the digest shows, and
// the rest from the origin.
func Example_cacheDigest() {
	cached, err := counting.New(counting.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	fetch := func(object string) {
		if _, err := cached.InsertString(object); err != nil {
			fmt.Println(err)
		}
	}
	fetch("/logo.png")
	fetch("/news.html")

	var message bytes.Buffer
	if _, err := cached.WriteTo(&message); err != nil {
		fmt.Println(err)
	}
	digest, err := counting.Read(&message, cached.Key()) // the neighbour has the key too
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("logo:", digest.QueryString("/logo.png"), "about:",
		digest.QueryString("/about.html"))

	cached.DeleteString("/news.html") // evicted for another page
	fetch("/about.html")
	fmt.Println("in the cache:", cached.QueryString("/news.html"),
		cached.QueryString("/about.html"))
	// until the next one
	fmt.Println("in the digest:", digest.QueryString("/news.html"),
		digest.QueryString("/about.html"))
	// Output:
	// logo: true about: false
	// in the cache: false true
	// in the digest: true false
}
