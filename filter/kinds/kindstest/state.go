package kindstest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// StateNames tests that all kinds say their state in JSON and in logs, under names that stay.
func (suite Suite) StateNames(t *testing.T) {
	names := []string{"bytes", "members", "most", "fill", "rate", "scanned"}
	for _, kind := range suite.Kinds {
		if kind.From != "" {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: 1000, BitsPerKey: 16,
			Key: keytest.Key(7)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(100) {
			_, _ = f.InsertHash(i * 0x9e3779b97f4a7c15)
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
