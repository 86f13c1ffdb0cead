package xdp

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// shape returns random prefixes, so many of each length.
func shape(rng *rand.Rand, counts map[int]int) (all []netip.Prefix) {
	seen := map[netip.Prefix]bool{}
	for bits := range 33 {
		for n := 0; n < counts[bits]; {
			a := addressOf(1<<24 + rng.Uint32N(223<<24))
			if p := netip.PrefixFrom(a, bits).Masked(); !seen[p] {
				seen[p] = true
				all = append(all, p)
				n++
			}
		}
	}
	slices.SortFunc(all, netip.Prefix.Compare)
	return all
}

var drop = map[int]int{12: 3, 14: 13, 15: 18, 16: 98, 17: 29, 18: 35, 19: 78, 20: 121, 21: 78, 22: 238, 23: 20, 24: 258}

// routes is the distribution of lengths of a routing table of 950,000 prefixes.
func routes() map[int]int {
	return map[int]int{8: 16, 9: 13, 10: 38, 11: 102, 12: 297, 13: 585, 14: 1200, 15: 2100, 16: 13500, 17: 8400,
		18: 14000, 19: 25500, 20: 44000, 21: 51000, 22: 108000, 23: 97000, 24: 584249}
}

func slab() (kib int) {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var name string
		var n int
		if k, _ := fmt.Sscan(line, &name, &n); k == 2 && (name == "Slab:" || name == "VmallocUsed:" || name == "Percpu:") {
			kib += n
		}
	}
	return kib
}

// freed returns how long close takes, and until nine tenths of so many bytes are back, or -1.
func freed(bytes uint64, close func()) (call, back time.Duration) {
	want := slab() - int(bytes*9/10>>10)
	start := time.Now()
	close()
	call, back = time.Since(start), -1
	for bytes > 8<<20 && time.Since(start) < 6*time.Second {
		if slab() <= want {
			return call, time.Since(start)
		}
		time.Sleep(time.Millisecond)
	}
	return call, back
}

func TestMeasure(t *testing.T) {
	if os.Getenv("BLOOMLANE_MEASURE") == "" {
		t.Skip()
	}
	object := compile(t, "testdata/measure.c")
	rng := rand.New(rand.NewPCG(57, 4))
	hosts := map[int]int{32: 1_000_000}
	both := map[int]int{32: 1_000_000}
	for bits, n := range drop {
		both[bits] = n
	}
	const packets, slice = 1 << 20, 1 << 19
	for _, list := range []struct {
		name   string
		counts map[int]int
	}{{"routes", routes()}, {"DROP", drop}, {"a million hosts", hosts}, {"both", both}} {
		if only := os.Getenv("BLOOMLANE_MEASURE"); only != "all" && !strings.Contains(only, list.name) {
			continue
		}
		members := shape(rng, list.counts)
		u := union{}
		for _, p := range members {
			u[p] = true
		}
		onlyHosts := len(list.counts) == 1
		top := Lengths{}
		for bits := range list.counts {
			top.IPv4 = append(top.IPv4, bits)
		}
		slices.SortFunc(top.IPv4, func(a, b int) int { return list.counts[b] - list.counts[a] })
		top.IPv4 = top.IPv4[:min(8, len(top.IPv4))]
		fmt.Printf("# %s: %d prefixes of %d lengths\n", list.name, len(members), len(list.counts))
		fmt.Printf("%-22s %8s %8s %8s %8s %9s %9s %9s %9s %9s\n", "subject", "none", "1 %", "all", "99.9 %", "B/entry",
			"load ms", "tenth ms", "free ms", "innocent")
		in := func() uint32 {
			p := members[rng.IntN(len(members))]
			b := p.Addr().As4()
			return binary.BigEndian.Uint32(b[:]) + uint32(rng.Uint64N(1<<(32-p.Bits())))
		}
		out := func() uint32 {
			for {
				x := 1<<24 + rng.Uint32N(223<<24)
				found := false
				for bits := range list.counts {
					found = found || u[netip.PrefixFrom(addressOf(x), bits).Masked()]
				}
				if !found {
					return x
				}
			}
		}
		var mixes [3][]uint32
		for i, share := range []float64{0, 0.01, 1} {
			for range packets {
				x := uint32(0)
				if rng.Float64() < share {
					x = in()
				} else {
					x = out()
				}
				var b [4]byte
				binary.BigEndian.PutUint32(b[:], x)
				mixes[i] = append(mixes[i], binary.NativeEndian.Uint32(b[:]))
			}
		}
		tenth := len(members) / 10
		longest := 32 // that has a place in the filter
		if list.counts[32] == 0 && len(members) > 10_000 {
			longest = 24
		}
		fresh := shape(rng, map[int]int{longest: tenth})
		fresh = slices.DeleteFunc(fresh, func(p netip.Prefix) bool { return u[p] })
		gone := slices.Clone(members)
		rng.Shuffle(len(gone), func(i, j int) { gone[i], gone[j] = gone[j], gone[i] })
		gone = gone[:tenth]
		slices.SortFunc(gone, netip.Prefix.Compare)
		type subject struct {
			name    string
			program *ebpf.Program
			sources *ebpf.Map
			bytes   uint64
			load    time.Duration
			change  func(insert, remove []netip.Prefix) error
			close   func()
		}
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		ours := func(name string, options Options, config deletable.Config) subject {
			p, err := loaded(object, "ours", options)
			must(err)
			start := time.Now()
			table, err := p.NewTable(config)
			must(err)
			must(table.InsertBatch(members))
			must(p.Replace(Deny, table))
			load := time.Since(start)
			bytes, err := table.Memory()
			must(err)
			return subject{name, p.program, p.collection.Maps["sources"], bytes, load,
				func(insert, remove []netip.Prefix) error {
					if err := table.InsertBatch(insert); err != nil {
						return err
					}
					if err := p.Replace(Deny, table); err != nil {
						return err
					}
					_, err := table.DeleteBatch(remove, nil)
					return err
				}, func() { must(p.Replace(Deny, nil)); must(table.Close()); must(p.Close()) }}
		}
		kernels := func(name, program, own string, keyed bool) subject {
			spec := specOf(t, object)
			for other := range spec.Programs {
				if other != program {
					delete(spec.Programs, other)
				}
			}
			if own != "" {
				spec.Maps[own].MaxEntries = uint32(len(members) + tenth)
			}
			c, err := ebpf.NewCollection(spec)
			must(err)
			m := c.Maps[own]
			key := func(p netip.Prefix) any {
				b := p.Addr().As4()
				if program == "lpm" {
					return [2]uint32{uint32(p.Bits()), binary.NativeEndian.Uint32(b[:])}
				}
				return binary.NativeEndian.Uint32(b[:])
			}
			start := time.Now()
			change := func(insert, remove []netip.Prefix) error {
				for _, p := range insert {
					if keyed {
						err = m.Put(key(p), uint8(1))
					} else {
						err = m.Put(nil, key(p))
					}
					if err != nil {
						return err
					}
				}
				for _, p := range remove {
					if err := m.Delete(key(p)); err != nil {
						return err
					}
				}
				return nil
			}
			bytes := uint64(0)
			if own != "" {
				must(change(members, nil))
				info, err := m.Info()
				must(err)
				bytes, _ = info.Memlock()
			}
			s := subject{name, c.Programs[program], c.Maps["sources"], bytes, time.Since(start), change, c.Close}
			if own == "" || !keyed {
				s.change = nil
			}
			return s
		}
		lpm := func() subject { return kernels("BPF LPM trie", "lpm", "lpm4", true) }
		t.Run(list.name, func(t *testing.T) { live(t, object, members, fresh, gone, onlyHosts, mixes) })
		if os.Getenv("BLOOMLANE_LIVE") == "only" || os.Getenv("BLOOMLANE_LIVE") == "" && list.name != "routes" {
			continue
		}
		all := []func() subject{
			func() subject { return kernels("bare parse", "bare", "", false) },
			func() subject { return ours("ranges", Options{}, deletable.Config{Members: 1, Rate: 0.01}) },
			func() subject {
				return ours("filter, 16 bits", Options{FilterIPv4: true, Lengths: top},
					deletable.Config{Members: len(members) + tenth, BitsPerKey: 16})
			},
			func() subject {
				return ours("filter, rate 1e-5", Options{FilterIPv4: true, Lengths: top},
					deletable.Config{Members: len(members) + tenth, Rate: 1e-5, Turnovers: 1})
			},
			func() subject {
				return ours("exact, 16 bits", Options{FilterIPv4: true, Lengths: top, Mode: Exact},
					deletable.Config{Members: len(members) + tenth, BitsPerKey: 16})
			},
			lpm,
		}
		if onlyHosts {
			all = append(all, func() subject { return kernels("BPF hash", "hash", "hash4", true) },
				func() subject { return kernels("BPF Bloom filter", "bloom", "bloom4", false) })
		}
		frame := frame(netip.IPv4Unspecified(), netip.IPv4Unspecified())
		run := func(s *subject, from, n int) float64 {
			binary.LittleEndian.PutUint32(frame[38:], uint32(from))
			_, took, err := s.program.Benchmark(frame, n, nil)
			must(err)
			return float64(took.Nanoseconds())
		}
		var made []subject
		least := make([][3]float64, len(all))
		for _, make := range all {
			made = append(made, make())
		}
		innocent := make([]int, len(all))
		for mix := range mixes {
			for i := range made {
				memory, err := mapped(made[i].sources, packets*4)
				must(err)
				for j, x := range mixes[mix] {
					binary.NativeEndian.PutUint32(memory[4*j:], x)
				}
				must(unmap(memory))
				least[i][mix] = 0
			}
			for slices_ := range packets / slice {
				best := make([]float64, len(all))
				for i := range best {
					best[i] = math.MaxFloat64
				}
				for range 4 {
					for i := range made {
						best[i] = min(best[i], run(&made[i], slices_*slice, slice))
					}
				}
				for i := range best {
					least[i][mix] += best[i] / (packets / slice)
				}
			}
			if mix == 0 {
				for i := range made {
					for j := range 100_000 {
						binary.LittleEndian.PutUint32(frame[38:], uint32(j))
						v, err := made[i].program.Run(&ebpf.RunOptions{Data: frame})
						must(err)
						if v == 1 {
							innocent[i]++
						}
					}
				}
			}
		}
		for i := range made {
			s := &made[i]
			tail, change := 0.0, time.Duration(0)
			if s.change != nil {
				start := time.Now()
				must(s.change(fresh, gone))
				change = time.Since(start)
				var stop atomic.Bool
				done := make(chan int)
				go func() {
					n := 0
					for !stop.Load() {
						one := fresh[n%len(fresh) : n%len(fresh)+1]
						if s.change(nil, one) != nil || s.change(one, nil) != nil {
							break
						}
						n++
					}
					done <- n
				}()
				var each []float64
				// one packet each: for more the kernel changes code, and waits, in each call
				for j := range 30_000 {
					each = append(each, run(s, j, 1))
				}
				stop.Store(true)
				<-done
				slices.Sort(each)
				tail = each[len(each)*999/1000]
			}
			call, free := freed(s.bytes, s.close)
			fmt.Printf("%-22s %8.1f %8.1f %8.1f %8.0f %9.2f %9.1f %9.1f %9.1f %9.5f closed %.1f\n", s.name, least[i][0], least[i][1],
				least[i][2], tail, float64(s.bytes)/float64(len(members)), s.load.Seconds()*1e3, change.Seconds()*1e3,
				free.Seconds()*1e3, float64(innocent[i])/100_000, call.Seconds()*1e3)
		}
	}
}
