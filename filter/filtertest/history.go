package filtertest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// short returns n, or less of it with -short.
func short(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// owner is a program that owns a filter and knows its members.
type owner struct {
	s       *subject
	t       *testing.T
	f       filter.Stored
	rng     *rand.Rand
	planned int // members
	// each key as often as it is a member; in the order of the inserts if the kind forgets
	members []uint64
	times   map[uint64]int

	// counts of statuses; visible is how many of the deleted keys are still present
	deleted, visible, retained, absent int
}

func newOwner(t *testing.T, s *subject, sizing filter.Sizing, seed uint64) *owner {
	t.Helper()
	return &owner{
		s: s, t: t, f: s.empty(t, sizing), rng: rand.New(rand.NewPCG(11, seed)),
		planned: sizing.Members, times: map[uint64]int{},
	}
}

// form returns one of the forms.
func (o *owner) form() *form { return &forms[o.rng.IntN(len(forms))] }

// insert inserts a new key, or sometimes a member, if members may be inserted again. It returns
// false if the insert fails.
func (o *owner) insert() bool {
	o.t.Helper()
	n := o.rng.Uint64()
	repeated := -1
	if o.s.repeats() && len(o.members) > 0 && o.rng.IntN(8) == 0 {
		repeated = o.rng.IntN(len(o.members))
		n = o.members[repeated]
	}
	form := o.form()
	before := o.f.QueryHash(hash(o.f, n))
	present, err := form.insert(o.f, n)
	if err != nil {
		return false
	}
	if present != before {
		o.t.Fatalf("insert of %s: present is %v, a query said %v just before", form.name,
			present, before)
	}
	if !o.form().query(o.f, n) {
		o.t.Fatalf("insert of %s: the key is not present right after", form.name)
	}
	if repeated >= 0 && o.s.promises(base.Forgets) { // it is the latest now
		o.members = slices.Delete(o.members, repeated, repeated+1)
	}
	o.members = o.s.kept(append(o.members, n), o.planned)
	o.times[n]++
	return true
}

// recounts are the kinds whose status of a key that is still a member may be Deleted: see
// [filter.Deleted].
var recounts = []string{"cuckoo"}

// delete deletes a member.
func (o *owner) delete() {
	o.t.Helper()
	i := o.rng.IntN(len(o.members))
	n := o.members[i]
	o.members[i] = o.members[len(o.members)-1]
	o.members = o.members[:len(o.members)-1]
	o.times[n]--
	form := o.form()
	status := form.delete(o.f, n)
	present := o.form().query(o.f, n)
	switch status {
	case filter.Absent:
		if o.s.promises(base.NoFalseNegatives) {
			o.t.Fatalf("delete of %s: a member is absent", form.name)
		}
	case filter.Retained:
		if !present {
			o.t.Fatalf("delete of %s: a retained key is not visible any more", form.name)
		}
		o.retained++
	case filter.Deleted:
		o.deleted++
		if present {
			o.visible++
		}
	default:
		o.t.Fatalf("delete of %s: status %d", form.name, status)
	}
	if o.times[n] > 0 && status == filter.Deleted && !slices.Contains(recounts, o.s.kind.Name) {
		o.t.Fatalf("delete of %s: the status of a key that is still a member is %v", form.name,
			status)
	}
	if o.times[n] > 0 && !present && o.s.promises(base.NoFalseNegatives) {
		o.t.Fatalf("delete of %s: the key is a member %d times more, and is not present",
			form.name, o.times[n])
	}
}

// deleteAbsent deletes a key that is not present, if it finds one. Nothing may change.
func (o *owner) deleteAbsent() {
	o.t.Helper()
	n := o.rng.Uint64()
	if o.f.QueryHash(hash(o.f, n)) {
		return
	}
	before := content(o.t, o.f)
	form := o.form()
	if status := form.delete(o.f, n); status != filter.Absent {
		o.t.Fatalf("delete of %s: status %v of a key that is not present, want absent",
			form.name, status)
	}
	if !bytes.Equal(content(o.t, o.f), before) {
		o.t.Fatalf("delete of %s: an absent key changed the filter", form.name)
	}
	o.absent++
}

// check fails the test unless every member is present and their number is right.
func (o *owner) check() {
	o.t.Helper()
	if o.s.promises(base.NoFalseNegatives) {
		if found := o.form().queryBatch(o.f, o.members, nil); found != len(o.members) {
			o.t.Fatalf("%d of %d members are present", found, len(o.members))
		}
	}
	if o.s.promises(base.Counts) {
		for n, times := range o.times {
			if count := o.form().count(o.f, n); count < uint64(times) {
				o.t.Fatalf("the count of a member that is in %d times is %d", times, count)
			}
		}
	}
	checkMembers(o.t, o.s, o.f, len(o.members))
	state := o.f.State()
	if !(state.Fill >= 0 && state.Fill <= 1 && state.Rate >= 0 && state.Rate <= 1 &&
		state.Bytes > 0) {
		o.t.Fatalf("state %+v", state)
	}
}

// checkMembers fails the test unless State has the number of members. A kind that deletes counts
// them and must be exact. The others estimate it from bits, and may be off by a tenth.
func checkMembers(t *testing.T, s *subject, f filter.Stored, want int) {
	t.Helper()
	if s.promises(base.Forgets) {
		return
	}
	got, off := f.State().Members, 0.0
	if !s.promises(base.Deletes) {
		off = 3 + float64(want)/10
	}
	if math.Abs(got-float64(want)) > off {
		t.Fatalf("the state has %g members, want %d", got, want)
	}
}

// Under the contract of deletion every member is present after any inserts and deletes, in a filter
// so small that most inserts collide. A kind that forgets has as many of the latest members as
// planned.
func history(t *testing.T, s *subject) {
	members := 200
	o := newOwner(t, s, s.tight(t, members), 1)
	o.check()
	for step := range short(8000) {
		switch {
		case !s.promises(base.Deletes):
			if len(o.members) == 2*members {
				o.check()
				return
			}
			o.insert()
		case o.rng.IntN(2*members) >= len(o.members):
			o.insert() // also where it may refuse
		default:
			o.delete()
		}
		if s.promises(base.Deletes) && step%16 == 0 {
			o.deleteAbsent()
		}
		if step%32 == 0 {
			o.check()
		}
	}
	o.check()
}

// In a filter with room, a deleted member is not present any more.
func sparse(t *testing.T, s *subject) {
	if s.promises(base.Forgets) {
		return
	}
	members := short(2000)
	o := newOwner(t, s, s.roomy(members), 2)
	for range members {
		if !o.insert() {
			t.Fatalf("%d of %d planned members are refused", len(o.members), members)
		}
	}
	o.check()
	if !s.promises(base.Deletes) {
		return
	}
	distinct := map[uint64]bool{}
	for _, n := range o.members {
		distinct[n] = true
	}
	for len(o.members) > 0 {
		o.delete()
		if len(o.members)%64 == 0 {
			o.check()
			o.deleteAbsent()
		}
	}
	left := 0
	for n := range distinct {
		if o.f.QueryHash(hash(o.f, n)) {
			left++
		}
	}
	// An eighth of the members were inserted twice, and a kind may have to keep these.
	if most := members/4 + 10; left > most || o.deleted < members*3/4-10 || o.absent == 0 {
		t.Errorf("%d of %d members are present after their deletes, at most %d may be; %d "+
			"deleted, %d retained, %d absent",
			left, len(distinct), most, o.deleted, o.retained, o.absent)
	}
	if o.visible > members/4+10 {
		t.Errorf("%d of %d members were deleted and stayed present", o.visible, members)
	}
}
