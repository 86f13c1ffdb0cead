package filter_test

import (
	"expvar"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// A filter is a metric of package expvar. The page /debug/vars of the program then has its state.
func ExampleKeyed_MarshalJSON() {
	f, err := deletable.New(deletable.Config{Members: 1000, BitsPerKey: 16})
	if err != nil {
		log.Fatal(err)
	}
	guests := expvar.Func(func() any { return f })
	expvar.Publish("guests", guests)
	fmt.Println(guests)
	// Output: {"bytes":2048,"members":0,"most":0,"fill":0,"rate":0,"scanned":false}
}

// A line of a log has the state of a filter, and never its key or its table.
func ExampleKeyed_LogValue() {
	f, err := deletable.New(deletable.Config{Members: 1000, BitsPerKey: 16})
	if err != nil {
		log.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	logger.Info("empty", "f", f)
	logger.Info("of another", "f", filter.State{Members: 1999999.6, Most: 3999999.6})
	// Output:
	// msg=empty f.bytes=2048 f.members=0 f.most=0 f.fill=0 f.rate=0 f.scanned=false
	// msg="of another" f.bytes=0 f.members=2000000 f.most=4000000 f.fill=0 f.rate=0 f.scanned=false
}
