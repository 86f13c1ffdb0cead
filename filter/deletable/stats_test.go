package deletable

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
)

func TestStats(t *testing.T) {
	f := newFilter(t, 64, 16)
	if got, want := f.Stats(), (Stats{
		Planned: 64, Blocks: 2, Bytes: 128, Regions: 128, PlannedRate: Shape{2}.Rate(64),
	}); got != want {
		t.Errorf("empty: %+v, want %+v", got, want)
	}
	f.InsertHash(0x0123456789abcdef) // the worked example of DESIGN.md: seven different columns
	f.InsertHash(0xfedcba9876543210) // in the other block
	f.InsertHash(0xfedcba9876543210) // again, so that its columns collide
	one := math.Pow(1.0/64, 7)
	if got, want := f.Stats(), (Stats{
		Planned: 64, Members: 3, Inserts: 3, Blocks: 2, Bytes: 128, Regions: 128,
		Ones: 14, Collided: distinctColumns(0xfedcba9876543210), Fill: 14.0 / 896,
		Rate: one, PlannedRate: Shape{2}.Rate(64),
	}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	f.DeleteHash(0x0123456789abcdef)
	f.DeleteHash(0xfedcba9876543210)
	if got := f.Stats(); got.Members != 1 || got.Deleted != 1 || got.Retained != 1 ||
		got.Ones != 7 || got.Rate != one/2 {
		t.Errorf("after deletes: %+v", got)
	}
}

// distinctColumns returns in how many regions the seven positions of a hash lie.
func distinctColumns(hash uint64) int {
	columns := map[uint64]bool{}
	for lane := 1; lane <= 7; lane++ {
		columns[hash*0x9E3779B97F4A7C15>>(64-6*lane)&63] = true
	}
	return len(columns)
}

// Every number has a name in JSON, in lower case; Due is an error, and has none.
func TestNamesInJSON(t *testing.T) {
	text, err := json.Marshal(Health{Due: errors.New("due")})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"planned":0,"members":0,"inserts":0,"deleted":0,"retained":0,"blocks":0,` +
		`"bytes":0,"ones":0,"regions":0,"collided":0,"fill":0,"rate":0,"turnovers":0,` +
		`"planned_turnovers":0,"planned_reinserts":0,"planned_rate":0,"deletability":0,` +
		`"turnovers_left":0}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}
