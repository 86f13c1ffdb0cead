package filter_test

import (
	"bytes"
	"encoding/json"
	"expvar"
	"fmt"
	"log"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/kinds"
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
	// Output:
	// msg=empty f.bytes=2048 f.members=0 f.most=0 f.fill=0 f.rate=0 f.scanned=false
}

// All kinds say their state in JSON and in logs, under names that stay.
func TestStateNames(t *testing.T) {
	names := []string{"bytes", "members", "most", "fill", "rate", "scanned"}
	for _, kind := range kinds.All() {
		if kind.New == nil {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: 1000, BitsPerKey: 16,
			Key: keytest.Key(7)})
		if err != nil {
			t.Fatal(err)
		}
		if set, ok := f.(filter.Set); ok {
			for i := range uint64(100) {
				_, _ = set.InsertHash(i * 0x9e3779b97f4a7c15)
			}
		}
		for range 2 { // open, and closed
			text, err := json.Marshal(f)
			var got filter.State
			if err != nil || json.Unmarshal(text, &got) != nil || got != f.State() {
				t.Errorf("%s: %s, want %+v (%v)", kind.Name, text, f.State(), err)
			}
			var fields map[string]any
			if err := json.Unmarshal(text, &fields); err != nil || len(fields) != len(names) {
				t.Errorf("%s: %s (%v)", kind.Name, text, err)
			}
			var line bytes.Buffer
			slog.New(slog.NewJSONHandler(&line, nil)).Info("", "f", f)
			var logged struct{ F filter.State }
			if err := json.Unmarshal(line.Bytes(), &logged); err != nil || logged.F != got {
				t.Errorf("%s: %s (%v)", kind.Name, &line, err)
			}
			_ = f.Close()
		}
	}
	var tags []string
	for field := range reflect.TypeFor[filter.State]().Fields() {
		tags = append(tags, field.Tag.Get("json"))
	}
	if !slices.Equal(tags, names) {
		t.Errorf("names %v, want %v", tags, names)
	}
}
