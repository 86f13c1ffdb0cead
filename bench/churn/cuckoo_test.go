package main

import (
	"math/rand/v2"
	"testing"
)

// Members are found, whatever was refused or deleted; and the rate is that of the paper's section 5.1: 2b/2^f at most,
// b = 4 and f = 16, at a load of nearly all the places.
func TestCuckoo16(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	f := newCuckoo16(9000)
	if f.Bytes() != 8192 {
		t.Fatalf("%d bytes, want 8192", f.Bytes())
	}
	const places = 4096
	var members []uint64
	refused := 0
	for refused == 0 {
		hash := rng.Uint64()
		if refused = f.Insert([]uint64{hash}); refused == 0 {
			members = append(members, hash)
		}
	}
	if load := float64(len(members)) / places; load < 0.93 {
		t.Errorf("full at a load of %.3f, want 0.95 or so", load)
	}
	for range 20_000 {
		i := rng.IntN(len(members))
		if f.Delete(members[i:i+1]) != 1 {
			t.Fatal("a member is not there to be deleted")
		}
		members[i] = members[len(members)-1]
		members = members[:len(members)-1]
		if hash := rng.Uint64(); f.Insert([]uint64{hash}) == 0 {
			members = append(members, hash)
		}
		if len(members) < places*9/10 {
			t.Fatalf("%d members are left", len(members))
		}
	}
	if found := f.Query(members, nil); found != len(members) {
		t.Errorf("%d of %d members are found", found, len(members))
	}
	strangers, hits := make([]uint64, 1<<21), make([]uint64, 1<<15)
	for i := range strangers {
		strangers[i] = rng.Uint64()
	}
	rate := float64(f.Query(strangers, hits)) / float64(len(strangers))
	if want := 8.0 / (1 << 16) * float64(len(members)) / places; rate < want*0.8 || rate > want*1.2 {
		t.Errorf("rate %.3g, want %.3g", rate, want)
	}
}
