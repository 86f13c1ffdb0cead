package sharded

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// Deletes of keys that are not present are counted, one at a time and in batches, by all goroutines.
func TestAbsentDeletes(t *testing.T) {
	f, err := New(deletable.Config{Members: 100_000, BitsPerKey: 16, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	f.InsertUint64(1)
	var goroutines sync.WaitGroup
	const each, batch = 1000, 5000
	for g := range uint64(4) {
		goroutines.Go(func() {
			keys := make([]uint64, batch)
			for i := range keys {
				keys[i] = 1<<40 + g*batch + uint64(i)
			}
			f.DeleteUint64Batch(keys, nil)
			for _, k := range keys[:each] {
				f.DeleteUint64(k)
			}
		})
	}
	goroutines.Wait()
	f.DeleteUint64(1)
	if s, h := f.Stats(), f.Health(); s.Absent != 4*(each+batch) || h.Absent != s.Absent ||
		s.Deleted != 1 {
		t.Errorf("%+v and %+v, want %d absent deletes", s, h, 4*(each+batch))
	}
}

// Statistics have the same names and values in JSON and in logs, and each has its own value.
func TestMetrics(t *testing.T) {
	s := Stats{Stats: deletable.Stats{Planned: 1, Members: 2, Inserts: 3, Deleted: 4, Retained: 5,
		Absent: 18,
		Blocks: 6, Bytes: 7, Ones: 8, Regions: 9, Collided: 10, Fill: 11, Rate: 12, Turnovers: 13,
		PlannedTurnovers: 14, PlannedReinserts: 15, PlannedRate: 16}, Rebuilding: true}
	const want = `{"planned":1,"members":2,"inserts":3,"deleted":4,"retained":5,"absent":18,"blocks":6,` +
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
