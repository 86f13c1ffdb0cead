package filter_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bloomlane/bloomlane/filter/rolling"
)

// event is one of a stream. Its sender repeats it until it hears that it has arrived.
type event struct {
	id   uint64
	hour int
}

// firsts sends on what is no repetition, as far back as the window of seen goes. In this filter the
// only error is that somebody has closed it.
func firsts(seen *rolling.Filter, events <-chan event, out chan<- event) {
	defer close(out)
	hour := 0
	for e := range events {
		for ; hour < e.hour; hour++ {
			_ = seen.Rotate(context.Background())
		}
		if seen.QueryUint64(e.id) {
			continue
		}
		_, _ = seen.InsertUint64(e.id)
		out <- e
	}
}

// A stream without repetitions: an event passes once in three to four hours. A new event is lost at
// the rate of the filter, so the rate is low.
func Example_window() {
	seen, err := rolling.New(rolling.Config{Members: 100_000, Rate: 1e-9, Expire: true})
	if err != nil {
		log.Fatal(err)
	}
	events, out := make(chan event), make(chan event)
	go func() {
		defer close(events)
		for i := range uint64(3000) {
			events <- event{id: i % 1000, hour: int(i) / 1500} // each three times
		}
		events <- event{id: 7, hour: 9} // has left the window
	}()
	go firsts(seen, events, out)
	passed := 0
	for range out {
		passed++
	}
	fmt.Println(passed, "events")
	// Output: 1001 events
}
