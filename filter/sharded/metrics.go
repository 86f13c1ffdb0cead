package sharded

import (
	"encoding/json"
	"log/slog"
	"reflect"
)

// metrics are Stats under the names that they have in JSON and in logs, which do not change. They
// convert from those of a deletable filter.
type metrics struct {
	Planned          int     `json:"planned"`
	Members          int     `json:"members"`
	Inserts          int     `json:"inserts"`
	Deleted          int     `json:"deleted"`
	Retained         int     `json:"retained"`
	Blocks           int     `json:"blocks"`
	Bytes            int     `json:"bytes"`
	Ones             int     `json:"ones"`
	Regions          int     `json:"regions"`
	Collided         int     `json:"collided"`
	Fill             float64 `json:"fill"`
	Rate             float64 `json:"rate"`
	Turnovers        float64 `json:"turnovers"`
	PlannedTurnovers float64 `json:"planned_turnovers"`
	PlannedReinserts float64 `json:"planned_reinserts"`
	PlannedRate      float64 `json:"planned_rate"`
}

type allMetrics struct {
	metrics
	Repeated   int  `json:"repeated"`
	Rebuilding bool `json:"rebuilding"`
}

func (s Stats) metrics() allMetrics {
	return allMetrics{metrics(s.Stats), s.Repeated, s.Rebuilding}
}

// MarshalJSON returns the statistics as an object with names in lower case, such as planned_rate,
// which do not change:
//
//	expvar.Publish("guests", expvar.Func(func() any { return f.Stats() }))
func (s Stats) MarshalJSON() ([]byte, error) { return json.Marshal(s.metrics()) }

// LogValue returns the statistics as a group of attributes, with the names of the JSON. It
// implements [slog.LogValuer].
func (s Stats) LogValue() slog.Value {
	var attributes []slog.Attr
	all := reflect.ValueOf(s.metrics())
	for _, field := range reflect.VisibleFields(all.Type()) {
		if name := field.Tag.Get("json"); name != "" {
			value := all.FieldByIndex(field.Index).Interface()
			attributes = append(attributes, slog.Any(name, value))
		}
	}
	return slog.GroupValue(attributes...)
}
