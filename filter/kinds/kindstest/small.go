package kindstest

import (
	"runtime"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// Small tests what a small filter holds in memory beside its table, which begins and ends with a
// cache line: at most most bytes of the name of its kind, or of "" for kinds without one there.
func (suite Suite) Small(t *testing.T, most map[string]int) {
	const line = 64
	held := func() int {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int(s.HeapAlloc)
	}
	for _, kind := range suite.Kinds {
		limit, has := most[kind.Name]
		if !has {
			limit = most[""]
		}
		for _, s := range []filter.Sizing{
			{Members: 100, BitsPerKey: 16}, {Members: 100, Rate: 0.01}, {Members: 1, Rate: 0.1},
			{Members: 100, Rate: 0.01, Turnovers: 1},
		} {
			s.Key = keytest.Key(7)
			filters := make([]filter.Stored, 500)
			before := 0
			for i := range filters {
				if i == 1 { // the first one may leave what all share
					before = held()
				}
				f, err := kind.New(s)
				if err != nil {
					t.Fatalf("%s: %v", kind.Name, err)
				}
				filters[i] = f
			}
			const unit = 16 // of the sizes that Go gives: less is of others
			memory := (held() - before) / (len(filters) - 1) / unit * unit
			table := (filters[0].State().Bytes + line - 1) / line * line
			if memory > table+limit {
				t.Errorf("%s, %+v: %d bytes with a table of %d, want at most %d more", kind.Name, s,
					memory, table, limit)
			}
			runtime.KeepAlive(filters)
		}
	}
}
