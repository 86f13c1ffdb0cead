package kindstest

import (
	"runtime"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// Small tests what a small filter holds in memory beside its table, which begins and ends with a
// cache line: at most most bytes of the name of its kind, or of "" for kinds without one there. Its
// file has little more than the table.
func (suite Suite) Small(t *testing.T, most map[string]int) {
	const line, file = 64, 512
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
			c, err := filters[0].Contents()
			if err != nil {
				t.Fatal(err)
			}
			if more := int(c.Size()) - filters[0].State().Bytes; more > file {
				t.Errorf("%s, %+v: a file of %d bytes more than the table, want at most %d",
					kind.Name, s, more, file)
			}
			runtime.KeepAlive(filters)
		}
	}
}
