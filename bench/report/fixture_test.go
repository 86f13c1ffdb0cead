package report

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/bench/result"
)

// synthetic returns a run of made-up numbers with every kind of group: what a real one looks like, and
// nothing that was measured. Of the peers one is slower than ours, one faster, one as fast, and one loses
// members.
func synthetic() *result.Run {
	rng := rand.New(rand.NewPCG(1, 1))
	run := &result.Run{
		Schema: result.Schema, Date: "2001-02-03T04:05:06Z", Revision: "0123456789ab", Go: "go1.26.0",
		CPU: "Synthetic CPU of tests @ 1 MHz", Platform: "linux/amd64", Cores: 4,
		CacheBytes: result.Caches{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Last: 32 << 20},
		Features:   []string{"avx512", "avx2", "purego"},
		Notes:      []string{"4 GiB skipped: 2 tables take 8192 MiB, and 4096 MiB are available"},
	}
	const rounds = 12
	samples := func(ns float64, drift []float64) []float64 {
		all := make([]float64, rounds)
		for i := range all {
			all[i] = ns * drift[i] * (1 + 0.02*rng.ExpFloat64())
		}
		return all
	}
	drifts := func() []float64 {
		all := make([]float64, rounds)
		for i := range all {
			all[i] = 1 + 0.2*rng.Float64()
		}
		return all
	}
	add := func(drift []float64, t result.Timing, ns, floor float64) {
		t.Samples = samples(ns, drift)
		t.Least, t.Median, t.Spread = result.Summarize(t.Samples)
		t.Units = 2 << 20
		if floor > 0 {
			ratio := t.Least / floor
			t.Ratio = &ratio
		}
		run.Timings = append(run.Timings, t)
	}
	sizes := []int64{16 << 10, 512 << 10, 16 << 20, 512 << 20, 2 << 30}
	floors := []float64{0.5, 0.6, 2.5, 10.5, 14}
	cost := map[string]float64{"query": 1, "insert": 1.5, "delete": 1.8, "merge": 0.8, "copy": 0.7}
	slow := map[string]float64{"avx512": 0.3, "avx2": 0.8, "purego": 3.5}
	kinds := []struct {
		operation, asked, form, unit string
	}{
		{"query", "hit", "batch", "key"}, {"query", "miss", "batch", "key"}, {"query", "mixed", "batch", "key"},
		{"query", "mixed", "cores", "key"}, {"insert", "", "batch", "key"}, {"delete", "", "batch", "key"}, {"query", "mixed", "single", "key"},
		{"merge", "", "batch", "block"}, {"copy", "", "batch", "block"},
	}
	zero, ahead := 0, 64
	for _, lane := range []int{64, 32} {
		for _, k := range kinds {
			for i, bytes := range sizes {
				for _, pages := range []string{"4KiB", "huge"} {
					for _, cores := range []int{1, 4} {
						if cores > 1 && k.form != result.FormCores {
							continue
						}
						g := result.Group{Operation: k.operation, Asked: k.asked, Form: k.form, Lane: lane, Pages: pages, Bytes: bytes, Cores: cores, Unit: k.unit}
						drift := drifts()
						floor := floors[i] * cost[k.operation] * (1 + 0.2*float64(cores-1))
						if pages == "4KiB" {
							floor *= 1 + 0.2*float64(i)
						}
						add(drift, result.Timing{Group: g, Kind: result.Floor, Name: "avx512, distance 0", Distance: &zero}, 1.5*floor, 0)
						add(drift, result.Timing{Group: g, Kind: result.Floor, Name: "avx512, distance 64", Distance: &ahead}, floor, 0)
						if k.operation == "copy" {
							continue
						}
						for _, name := range run.Features {
							add(drift, result.Timing{Group: g, Kind: result.Kernel, Name: name, Yes: 0.5}, 1.05*floor+slow[name], floor)
						}
					}
				}
			}
		}
		for _, masks := range []int{64, 4096} {
			drift := drifts()
			for _, name := range run.Features {
				add(drift, result.Timing{Group: result.Group{Operation: "match", Form: "batch", Lane: lane, Masks: masks, Cores: 1, Unit: "mask"},
					Kind: result.Kernel, Name: name, Yes: 0.1}, 1+slow[name], 0)
			}
		}
	}

	peers := []struct {
		name   string
		factor float64
		rate   float64
		lost   int64
	}{
		{"parquet-go SBBF", 1.7, 0.0012, 0}, {"arrow-go SBBF", 3.1, 0.0012, 0}, {"quick_peer", 0.8, 0.02, 0},
		{"equal peer", 1.0, 0.0021, 0}, {"BinaryFuse8", 4.5, 0.0039, 0}, {"linvon/cuckoo-filter", 25, 0.0005, 17},
		{"bits-and-blooms/bloom", 22, 0.0005, 0}, {"holiman/bloomfilter", 30, 0.0006, 0}, {"seiflotfy/cuckoofilter", 20, 0.03, 0},
		{"panmari/cuckoofilter", 18, 0.0001, 0}, {"tylertreat/BoomFilters", 130, 0.001, 0}, {"Pebble table filter", 2.2, 0.004, 0},
		{"ristretto z.Bloom", 6, 0.001, 0},
	}
	for _, against := range []string{"equal-bits", "equal-rate"} {
		for _, k := range kinds[2:6] {
			if k.form == result.FormCores {
				continue
			}
			for i, bytes := range sizes {
				g := result.Group{Operation: k.operation, Asked: k.asked, Form: k.form, Against: against, Lane: 64, Pages: "heap",
					Bytes: bytes, Members: bytes / 2, Cores: 1, Unit: k.unit}
				drift := drifts()
				ours := 1.05*floors[i]*cost[k.operation] + 0.5
				add(drift, result.Timing{Group: g, Kind: result.Floor, Name: "avx512, distance 64"}, floors[i], 0)
				add(drift, result.Timing{Group: g, Kind: result.Kernel, Name: "bloomlane 512", Held: 2, Rate: 0.0021}, ours, floors[i])
				for n, p := range peers {
					if k.operation == "delete" && n < 5 && n != 3 {
						continue
					}
					t := result.Timing{Group: g, Kind: result.Peer, Name: p.name, Held: 2, Rate: p.rate, Lost: p.lost}
					if against == "equal-rate" {
						t.Rate, t.Held = 0.0021, 2*(0.7+0.1*float64(n))
					}
					add(drift, t, ours*p.factor, floors[i])
				}
			}
		}
	}

	for _, operation := range []string{"query", "insert"} {
		for _, bytes := range []int64{16 << 10, 512 << 20} {
			for _, name := range []string{"avx512", "purego"} {
				for _, batch := range []int{1, 8, 64, 512} {
					call := 25 + float64(batch)*(2+slow[name])
					run.Latencies = append(run.Latencies, result.Latency{Operation: operation, Lane: 64, Name: name, Batch: batch, Form: "batch",
						Bytes: bytes, Loaded: true, Calls: 1e6, P50: call, P99: 3 * call, P999: 2000 + 10*call, Max: 3e6})
				}
			}
			run.Latencies = append(run.Latencies, result.Latency{Operation: operation, Lane: 64, Name: "purego", Batch: 1, Form: "single",
				Bytes: bytes, Loaded: true, Calls: 1e6, P50: 8, P99: 30, P999: 900, Max: 2e6})
		}
	}

	for n, f := range []struct {
		name    string
		kind    result.Kind
		deletes bool
		base    float64 // of the rate by bits
	}{
		{"bloomlane 512", result.Kernel, true, 0.68}, {"bloomlane 256", result.Kernel, true, 0.69}, {"parquet-go SBBF", result.Peer, false, 0.66},
		{"bits-and-blooms/bloom", result.Peer, false, 0.62}, {"Pebble table filter", result.Peer, false, 0.65}, {"ristretto z.Bloom", result.Peer, false, 0.64},
		{"linvon/cuckoo-filter", result.Peer, true, 0.6}, {"tylertreat/BoomFilters", result.Peer, true, 0.75}, {"BinaryFuse8", result.Peer, false, 0},
	} {
		for _, bits := range []float64{8, 10, 12, 16, 20, 24} {
			rate := math.Pow(f.base, bits)
			a := result.Accuracy{Name: f.name, Kind: f.kind, Members: 1e6, Asked: bits, Bits: bits, Strangers: 1e8}
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
	run.Accuracy[len(run.Accuracy)-7].DeleteLost = 23 // of BoomFilters
	return run
}
