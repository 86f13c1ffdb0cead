package sharded

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// Statistics have the same names and values in JSON and in logs, and each has its own value.
func TestMetrics(t *testing.T) {
	s := Stats{Stats: deletable.Stats{Planned: 1, Members: 2, Inserts: 3, Deleted: 4, Retained: 5,
		Blocks: 6, Bytes: 7, Ones: 8, Regions: 9, Collided: 10, Fill: 11, Rate: 12, Turnovers: 13,
		PlannedTurnovers: 14, PlannedReinserts: 15, PlannedRate: 16}, Rebuilding: true}
	const want = `{"planned":1,"members":2,"inserts":3,"deleted":4,"retained":5,"blocks":6,` +
		`"bytes":7,"ones":8,"regions":9,"collided":10,"fill":11,"rate":12,"turnovers":13,` +
		`"planned_turnovers":14,"planned_reinserts":15,"planned_rate":16,"rebuilding":true}`
	if got, err := json.Marshal(s); err != nil || string(got) != want {
		t.Errorf("%s, want %s (%v)", got, want, err)
	}
	var line bytes.Buffer
	slog.New(slog.NewJSONHandler(&line, nil)).Info("", "f", s)
	var logged struct{ F map[string]any }
	var said map[string]any
	if json.Unmarshal(line.Bytes(), &logged) != nil || json.Unmarshal([]byte(want), &said) != nil ||
		!maps.Equal(logged.F, said) {
		t.Errorf("logged %v, want %v", slices.Sorted(maps.Keys(logged.F)), said)
	}
}
