package plain_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/plain"
)

func Example() {
	words, err := plain.New(plain.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := words.InsertString("bloom"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(words.QueryString("bloom"), words.Shape().Bits, words.Shape().Hashes)
	// Output: true 14381 10
}

// A browser checks URLs against a list of dangerous ones in two stages. A local filter says at once
// that most URLs are not listed. Only for a URL that the filter shows the browser queries the
// server that has the list.
func Example_blocklist() {
	server := map[string]bool{}
	for site := range 10_000 {
		server[fmt.Sprintf("http://%d.malware.example/", site)] = true
	}
	local, err := plain.New(plain.Config{Members: len(server), Rate: 1e-9})
	if err != nil {
		fmt.Println(err)
		return
	}
	for url := range server {
		if _, err := local.InsertString(url); err != nil {
			fmt.Println(err)
		}
	}
	queries := 0
	dangerous := func(url string) bool {
		if !local.QueryString(url) {
			return false // for certain
		}
		queries++
		return server[url] // or it was a false positive
	}
	for page := range 1000 {
		if url := fmt.Sprintf("http://news.example/%d", page); dangerous(url) {
			fmt.Println("blocked:", url)
		}
	}
	fmt.Println(dangerous("http://4711.malware.example/"), queries, "asked,",
		local.Shape().Bits/8/1000, "kB")
	// Output: true 1 asked, 53 kB
}
