package report

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// The filters of the synthetic run beside peers, with how many times as long as ours they take.
var synthetics = []struct {
	name   string
	factor float64
	lost   int64
}{{"bloomlane-256", 1, 0}, {"slow peer", 4.5, 0}, {"quick_peer", 0.8, 0}, {"equal peer", 1, 0},
	{"lossy-cuckoo", 25, 17}}

// each calls do for each subject of a run.
func each(run *result.Run, do func(g result.Group, s *result.Subject)) {
	for _, g := range run.Groups {
		for i := range g.Subjects {
			do(g, &g.Subjects[i])
		}
	}
}

// keep leaves those groups and subjects of a run that are chosen.
func keep(run *result.Run, groups func(g result.Group) bool, subjects func(s result.Subject) bool) {
	run.Groups = pivot.Where(run.Groups, groups)
	for i := range run.Groups {
		g := &run.Groups[i]
		g.Subjects = slices.DeleteFunc(g.Subjects,
			func(s result.Subject) bool { return !subjects(s) })
	}
}

// synthetic returns a run of made-up numbers with every kind of group: what a real one looks like,
// and nothing that was measured.
func synthetic() *result.Run {
	rng := rand.New(rand.NewPCG(1, 1))
	run := &result.Run{
		Schema: result.Schema, Machine: result.Machine{Date: "2001-02-03T04:05:06Z",
			Revision: "0123456789ab", Go: "go1.26.0", CPU: "Synthetic CPU of tests @ 1 MHz",
			Platform: "linux/amd64", Cores: 4},
		CacheBytes:      result.Caches{L1: 32 << 10, L2: 1 << 20, L3: -1, Last: 1 << 20},
		Implementations: []string{"avx512", "purego"}, PlainLoops: true,
		Notes: []string{
			"4 GiB skipped: 2 tables take 8192 MiB, and 4096 MiB are available",
		},
		Libraries: []result.Library{
			{Name: "quick_peer", Module: "example.org/quick", Version: "v1.2.3", Use: "as it is",
				Hashes: true, Hash: "quickhash"},
			{Name: "slow hash", Module: "example.org/slow", Use: "a key per call",
				Hash: "slowhash", Keyed: true},
			{Name: "open hash", Module: "example.org/open", Use: "a key per call",
				Hash: "openhash"},
		},
	}
	var drift []float64
	subject := func(kind result.Kind, name string, ns float64) result.Subject {
		s := result.Subject{Kind: kind, Name: name, Rounds: len(drift), Units: 2 << 20}
		for _, slow := range drift {
			s.Samples = append(s.Samples, ns*slow*(1+0.02*rng.ExpFloat64()))
		}
		s.Least = ns
		return s
	}
	add := func(c result.Conditions, make func() []result.Subject) {
		drift = nil
		for range 12 {
			drift = append(drift, 1+0.2*rng.Float64())
		}
		run.Groups = append(run.Groups, result.Group{Conditions: c, Subjects: make()})
	}
	sizes, floors := []int64{16 << 10, 16 << 20, 2 << 30}, []float64{0.5, 2.5, 14}
	cost := map[string]float64{"query": 1, "insert": 1.5, "delete": 1.8, "merge": 0.8, "build": 2}
	for _, width := range []int{512, 256} {
		for i, bytes := range sizes {
			for _, c := range []result.Conditions{
				{Operation: "query", Keys: "hit", Form: "batch", Pages: "huge",
					Cores: 1, Unit: "key"},
				{Operation: "query", Keys: "mixed", Form: "batch", Pages: "4KiB",
					Cores: 1, Unit: "key"},
				{Operation: "query", Keys: "mixed", Form: "batch", Pages: "huge",
					Cores: 1, Unit: "key"},
				{Operation: "delete", Form: "batch", Pages: "huge", Cores: 1, Unit: "key"},
				{Operation: "insert", Form: "batch", Pages: "huge", Cores: 1, Unit: "key"},
				{Operation: "insert", Form: "single", Pages: "huge", Cores: 1, Unit: "key"},
				{Operation: "merge", Form: "batch", Pages: "huge", Cores: 1, Unit: "block"},
				{Operation: "query", Keys: "mixed", Form: "cores", Pages: "huge",
					Cores: 1, Unit: "key"},
				{Operation: "query", Keys: "mixed", Form: "cores", Pages: "huge",
					Cores: 4, Unit: "key"},
			} {
				c.BlockBits, c.Bytes = width, bytes
				floor := floors[i] * cost[c.Operation] * (1 + 0.2*float64(c.Cores-1))
				add(c, func() []result.Subject {
					return []result.Subject{
						subject(result.Floor, "avx512, distance 0", 1.5*floor),
						subject(result.Floor, "avx512, distance 128", floor),
						subject(result.Implementation, "avx512", 1.05*floor+0.3),
						subject(result.Implementation, "purego", 1.05*floor+3.5),
					}
				})
			}
		}
		add(result.Conditions{Operation: "match", Form: "batch", BlockBits: width, Masks: 64,
			Cores: 1, Unit: "mask"}, func() []result.Subject {
			return []result.Subject{subject(result.Implementation, "avx512", 1.37)}
		})
		add(result.Conditions{Operation: "query", Keys: "mixed", Form: "calls", BlockBits: width,
			Bytes: 16 << 10, Cores: 1, Unit: "key"}, func() (all []result.Subject) {
			for _, batch := range []int{1, 8, 64} {
				s := subject(result.Implementation, result.BatchMethods, 0.9+24/float64(batch))
				s.Batch = batch
				all = append(all, s)
			}
			return append(all, subject(result.Implementation, result.Methods, 2.9))
		})
		for _, loaded := range []bool{false, true} {
			run.Latencies = append(run.Latencies,
				result.Latency{Operation: "query", BlockBits: width, Batch: 1, Form: "single",
					Bytes: 16 << 10, Loaded: loaded, Calls: 1e6, Collected: 11, P50: 8, P99: 33,
					P999: 912, Max: 2.5e6}, result.Latency{Operation: "query", BlockBits: width,
					Batch: 8, Form: "batch", Bytes: 16 << 10, Loaded: loaded, Calls: 1e6,
					Collected: 12, P50: 42, P99: 61,
					P999: 1234, Max: 3.5e6})
		}
	}
	for i, length := range []string{"8", "16", "8-64"} {
		ns := 3 + float64(i)
		add(result.Conditions{Operation: "hash", KeyBytes: length, Form: "batch", Cores: 1,
			Unit: "key"}, func() []result.Subject {
			return []result.Subject{
				subject(result.Implementation, "avx512", ns),
				subject(result.Implementation, "purego", 12*ns),
				subject(result.Implementation, result.Methods, 4*ns),
				subject(result.Peer, "slow hash", 10*ns), subject(result.Peer, "open hash", 0.7*ns),
			}
		})
	}
	for i, length := range []string{"8", "16"} {
		extra := 3.25 * float64(i)
		add(result.Conditions{Operation: "query", Keys: "miss", KeyBytes: length,
			Form: result.FormStack, BlockBits: 512, Pages: "heap", Bytes: 2 << 30, Cores: 1,
			Unit: "key"}, func() []result.Subject {
			return []result.Subject{
				subject(result.Implementation, result.StepHash, 3.75+extra),
				subject(result.Implementation, result.StepIndex, 4.95+extra),
				subject(result.Implementation, result.StepReady, 16),
				subject(result.Implementation, result.StepKeys, 20+extra),
			}
		})
	}
	for _, against := range []string{result.AtEqualBits, result.AtEqualRate} {
		for i, bytes := range sizes[1:] {
			for _, c := range []result.Conditions{{Operation: "build"},
				{Operation: "query", Keys: "mixed"}, {Operation: "insert"}} {
				c.Form, c.Against, c.Pages, c.Bytes, c.Members, c.Cores, c.Unit = "batch", against,
					"heap", bytes, bytes/2, 1, "key"
				c.KeyBytes = "16"
				ours := 7 + floors[i+1]*cost[c.Operation]
				add(c, func() []result.Subject {
					all := []result.Subject{
						subject(result.Implementation, "deletable", ours),
						subject(result.Implementation, "deletable-single", 3*ours),
						subject(result.Peer, "slow peer", 2*ours),
						subject(result.Peer, "quick_peer", 0.9*ours),
					}
					for n := range all {
						all[n].BytesPerKey, all[n].Rate = 2, 0.0023
					}
					return all
				})
			}
		}
	}
	for _, against := range []string{result.AtEqualBits, result.AtEqualRate} {
		for i, bytes := range sizes {
			for _, c := range []result.Conditions{{Operation: "build"},
				{Operation: "query", Keys: "mixed"}, {Operation: "delete"}, {Operation: "insert"}} {
				c.Form, c.Against, c.Pages, c.Bytes, c.Members, c.Cores, c.Unit = "batch", against,
					"heap", bytes, bytes/2, 1, "key"
				ours := 1.05*floors[i]*cost[c.Operation] + 0.5
				add(c, func() []result.Subject {
					all := []result.Subject{subject(result.Floor, "avx512, distance 128",
						floors[i]), subject(result.Implementation, "bloomlane-512", ours)}
					for _, f := range synthetics {
						s := subject(result.Peer, f.name, ours*f.factor)
						if s.Lost = f.lost; f.name == "bloomlane-256" {
							s.Kind = result.Implementation
						}
						all = append(all, s)
					}
					for n := range all[1:] {
						all[n+1].BytesPerKey, all[n+1].Rate = 2, 0.0021
					}
					return all
				})
			}
		}
	}
	add(result.Conditions{Operation: "select", Keys: "tenth", Form: result.FormSelection,
		Pages: "huge", BlockBits: 512, Bytes: 16 << 10, Cores: 1,
		Unit: "key"}, func() []result.Subject {
		return []result.Subject{
			subject(result.Implementation, "avx512"+result.SelectBitmap, 0.97),
			subject(result.Implementation, "avx512"+result.SelectLoop, 1.29),
			subject(result.Implementation, "avx512", 1.06),
		}
	})
	for n, f := range []struct {
		name    string
		kind    result.Kind
		deletes bool
		base    float64 // of the rate by bits
	}{
		{"bloomlane-512", result.Implementation, true, 0.68},
		{"bloomlane-256", result.Implementation, true, 0.69},
		{"slow peer", result.Peer, false, 0.62},
		{"lossy-cuckoo", result.Peer, true, 0.6}, {"fuse", result.Peer, false, 0},
	} {
		for _, bits := range []float64{8, 16, 24} {
			rate := math.Pow(f.base, bits)
			a := result.Accuracy{Name: f.name, Kind: f.kind, Members: 1e6, Asked: bits, Bits: bits,
				NonMembers: 1e8}
			if f.base == 0 {
				rate, a.Bits = 0.0039, 9.04
			}
			predicted := rate * 0.97
			a.Positives, a.Rate, a.Predicted = int64(1e8*rate), rate, &predicted
			if f.deletes {
				d := 1 - math.Exp(-(bits-5)/4) - 0.05*float64(n)/8
				p := d * 0.99
				a.Deletable, a.PredictedDeletable = &d, &p
			}
			run.Accuracy = append(run.Accuracy, a)
		}
	}
	run.Accuracy[len(run.Accuracy)-4].DeleteLost = 23 // of lossy-cuckoo
	return run
}
