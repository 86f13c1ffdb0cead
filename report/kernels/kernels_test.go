package kernels

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

// Every subject has a time for every operation; the loop over memory comes first, and then the
// implementations, the best first. All times together are no more than has passed.
func TestMeasure(t *testing.T) {
	shape, steps := Shape{1 << 16, 2 * batch, 2}, 0
	begin := time.Now()
	speed := Measure(shape, func() { steps++ })
	took, sum := float64(time.Since(begin).Nanoseconds()), 0.0
	if steps != shape.Steps() {
		t.Errorf("%d steps, want %d", steps, shape.Steps())
	}
	want := []string{Memory}
	for _, im := range dispatch.Implementations() {
		want = append(want, im.String())
	}
	if speed.Bytes != shape.Bytes || speed.Keys != shape.Keys || speed.Rounds != shape.Rounds ||
		speed.Batch != batch || len(speed.Times) != 3 {
		t.Fatalf("%+v", speed)
	}
	for i, operation := range []string{"query", "delete", "insert"} {
		var names []string
		for _, group := range speed.Times[i].By {
			names = append(names, group.Name)
			sum += group.Nanoseconds * float64(speed.Keys)
			if !(group.Nanoseconds > 0) {
				t.Errorf("%s by %s: %g ns/key", operation, group.Name, group.Nanoseconds)
			}
		}
		if speed.Times[i].Operation != operation || !slices.Equal(names, want) {
			t.Errorf("%s by %v, want %s by %v", speed.Times[i].Operation, names, operation, want)
		}
	}
	if sum > took {
		t.Errorf("a round took %g ns, and both together %g", sum, took)
	}
}

// A time is what a subject takes, per key: of each batch the least of the rounds. The clock is one
// that only sleeps move.
func TestTimes(t *testing.T) {
	const batches, rounds = 3, 4
	members := make([]uint64, batches*batch)
	for i := range members {
		members[i] = uint64(i / batch)
	}
	var subjects []subject
	for s := range 2 {
		added := subject{name: string(rune('a' + s))}
		for operation := range added.run {
			var round [batches]int
			added.run[operation] = func(hashes []uint64) {
				b := int(hashes[0])
				// per key, and more in all rounds but one
				took := 100*s + 10*operation + b + 1 + (b+round[b]+1)%rounds
				time.Sleep(time.Duration(took * len(hashes)))
				round[b]++
			}
		}
		subjects = append(subjects, added)
	}
	var speed Speed
	synctest.Test(t, func(*testing.T) {
		speed = Shape{0, len(members), rounds}.time(subjects, members, func() {
			time.Sleep(time.Second)
		})
	})
	for operation, found := range speed.Times {
		for s, by := range found.By {
			if want := float64(100*s + 10*operation + 2); by.Nanoseconds != want {
				t.Errorf("%s by %s: %g ns per key, want %g", found.Operation, by.Name,
					by.Nanoseconds, want)
			}
		}
	}
	if len(speed.Times) != 3 || len(speed.Times[0].By) != 2 {
		t.Errorf("%+v", speed)
	}
}

// What is timed does what it is called: a query writes nothing, a delete takes most members away,
// and an insert brings all bits back. The loops over memory change nothing.
func TestSubjects(t *testing.T) {
	table := newTable(1 << 16)
	members := make([]uint64, batch)
	for i := range members {
		members[i] = workload.Mix(uint64(i) * workload.Step)
	}
	table.QueryInsertBatch(members, nil)
	filled := slices.Clone(table)
	for _, s := range subjectsOf(table) {
		s.run[0](members)
		if !slices.Equal(table, filled) {
			t.Errorf("%s: a query wrote", s.name)
		}
		s.run[1](members)
		found := table.QueryBatch(members, nil)
		if s.name == Memory && found != batch || s.name != Memory && found > batch/2 {
			t.Errorf("%s: after deletes %d of %d are found", s.name, found, batch)
		}
		s.run[2](members)
		if !slices.Equal(table, filled) {
			t.Errorf("%s: an insert did not bring the bits back", s.name)
		}
	}
}

// A large table is as full as a small one, whose blocks it repeats.
func TestNewTable(t *testing.T) {
	small, large := newTable(1<<20), newTable(5<<20)
	if !slices.Equal(small, large[:len(small)]) || len(large) != 5*len(small) {
		t.Errorf("the large table does not begin with the small one, or has %d blocks", len(large))
	}
	ones, collided := small.Count()
	if o, c := large.Count(); o != 5*ones || c != 5*collided {
		t.Errorf("%d bits and %d collided regions, want %d and %d", o, c, 5*ones, 5*collided)
	}
	// 32 keys per block: a data lane of 64 bits has 25.3 of them set, by formula.
	if fill := float64(ones) / float64(len(small)*448); fill < 0.39 || fill > 0.40 {
		t.Errorf("%.3f of the bits are set, want 0.396", fill)
	}
}

// The report says what runs, with a line of times for each operation.
func TestReport(t *testing.T) {
	r := New()
	if r.Active != kernel.Active().String() || r.CPU == "" || r.Features == nil ||
		len(r.Implementations) != len(kernel.Implementations()) || hugePagesFor[r.HugePages] == "" {
		t.Errorf("%+v", r)
	}
	r.Speed = []Speed{{Bytes: 1 << 20, Keys: 65536, Batch: 4096, Rounds: 7, Times: []Time{
		{"query", []By{{Memory, 0.774}, {"purego", 12.345}}},
		{"delete", []By{{Memory, 1}, {"purego", 20}}},
	}}}
	const want = `
ns/key in a table of 1 MiB, in batches of 4,096 keys: 65,536 members, the least of 7 rounds
operation  memory  purego
query        0.77   12.35
delete       1.00   20.00
`
	if got := r.String(); !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "cpu  ") {
		t.Errorf("report\n%s\nwant at its end\n%s", got, want)
	}
	if len(r.Proofs.Changed) > 0 || (len(r.Proofs.Proved) > 0) != (len(asm.Sets) > 0) {
		t.Errorf("%+v", r.Proofs)
	}
	for want, p := range map[string]Proofs{
		"none: this program has no assembly": {},
		"all 2 functions that are proved have the machine code of the proofs": {
			Proved: []string{"A", "B"}},
		"1 of 3 functions have the machine code that is proved, but not B C": {
			Proved: []string{"A"}, Changed: []string{"B", "C"}},
		"all 3 functions that are proved have the machine code of the proofs, 2 of them as of commit 1f": {
			Proved: []string{"A", "B", "C"}, AsOf: map[string][]string{"1f": {"A", "C"}}},
		"all 1 functions that are proved have the machine code of the proofs; their definition is compiled " +
			"for GOAMD64=v1, this program for v3": {Proved: []string{"A"}, Level: "v3"},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
	r.Speed = nil
	if got := r.String(); strings.Contains(got, "ns/key") {
		t.Errorf("a report without times has\n%s", got)
	}
}
