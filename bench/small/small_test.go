package small

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/cespare/xxhash/v2"
	"github.com/greatroar/blobloom"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/plain"
)

const rate = 0.01

// one is a filter of a library.
type one struct {
	insert func(key uint64)
	has    func(key uint64) bool
	save   func(w io.Writer) error
}

// library makes a filter for a number of members, and reads the next one of a stream.
type library struct {
	name string
	make func(members int) (one, error)
	read func(r io.Reader) (one, error)
}

var secret = keytest.Key(7)

func libraries() []library {
	blocked := func(members int) (*plain.Filter, error) {
		return plain.New(plain.Config{Members: members, Rate: rate, Blocked: true, Key: secret})
	}
	deletes := func(members int) (*deletable.Filter, error) {
		return deletable.New(deletable.Config{Members: members, Rate: rate, Key: secret})
	}
	return []library{
		ours("blocked", blocked, func(r io.Reader) (*plain.Filter, error) {
			return plain.Read(r, secret)
		}),
		ours("deletable", deletes, func(r io.Reader) (*deletable.Filter, error) {
			return deletable.Read(r, secret)
		}),
		{"blobloom", func(members int) (one, error) {
			return blobOne(blobloom.NewOptimized(blobloom.Config{
				Capacity: uint64(members), FPRate: rate})), nil
		}, func(r io.Reader) (one, error) {
			loader, err := blobloom.NewLoader(r)
			if err != nil {
				return one{}, err
			}
			f, err := loader.Load(nil)
			return blobOne(f), err
		}},
		{"bits-and-blooms", func(members int) (one, error) {
			return bitsOne(bloom.NewWithEstimates(uint(members), rate)), nil
		}, func(r io.Reader) (one, error) {
			f := new(bloom.BloomFilter)
			_, err := f.ReadFrom(r)
			return bitsOne(f), err
		}},
	}
}

// ours is the library of a kind of this project.
func ours[F interface {
	filter.Stored
	InsertUint64(key uint64) (present bool, err error)
	QueryUint64(key uint64) bool
	WriteTo(w io.Writer) (int64, error)
}](name string, make func(members int) (F, error), read func(io.Reader) (F, error)) library {
	of := func(f F, err error) (one, error) {
		return one{
			func(key uint64) { _, _ = f.InsertUint64(key) }, f.QueryUint64,
			func(w io.Writer) error { _, err := f.WriteTo(w); return err },
		}, err
	}
	return library{name, func(members int) (one, error) { return of(make(members)) },
		func(r io.Reader) (one, error) {
			next, err := file.Next(r)
			if err != nil {
				return one{}, err
			}
			return of(read(next))
		}}
}

func blobOne(f *blobloom.Filter) one {
	hash := func(key uint64) uint64 {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], key)
		return xxhash.Sum64(b[:])
	}
	return one{func(key uint64) { f.Add(hash(key)) },
		func(key uint64) bool { return f.Has(hash(key)) },
		func(w io.Writer) error { _, err := blobloom.Dump(w, f, ""); return err }}
}

func bitsOne(f *bloom.BloomFilter) one {
	of := func(key uint64) []byte { return binary.LittleEndian.AppendUint64(nil, key) }
	return one{func(key uint64) { f.Add(of(key)) }, func(key uint64) bool { return f.Test(of(key)) },
		func(w io.Writer) error { _, err := f.WriteTo(w); return err }}
}

// members returns the members of a filter, 100 to 10,000, as many small ones as large ones by the
// logarithm.
func members(i int) int { return []int{100, 200, 500, 1000, 2000, 5000, 10_000}[i%7] }

func key(filter, member int) uint64 { return uint64(filter)<<32 | uint64(member) }

// result is what a number of filters took.
type result struct {
	make, fill, save, read time.Duration
	held, saved            int // bytes
	keys                   int
}

// run makes, fills, saves and reads n filters, and checks the members of each.
func run(tb testing.TB, l library, n int) (r result) {
	tb.Helper()
	check := func(err error) {
		if err != nil {
			tb.Fatalf("%s: %v", l.name, err)
		}
	}
	held := func() int {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int(s.HeapAlloc)
	}
	all := make([]one, n)
	before := held()
	var err error
	start := time.Now()
	for i := range all {
		all[i], err = l.make(members(i))
		check(err)
	}
	r.make = time.Since(start)
	r.held = held() - before
	start = time.Now()
	for i := range all {
		for member := range members(i) {
			all[i].insert(key(i, member))
		}
		r.keys += members(i)
	}
	r.fill = time.Since(start)
	var stream bytes.Buffer
	w := bufio.NewWriter(&stream)
	start = time.Now()
	for i := range all {
		check(all[i].save(w))
	}
	check(w.Flush())
	r.save, r.saved = time.Since(start), stream.Len()
	clear(all)
	start = time.Now()
	in := bufio.NewReader(&stream)
	for i := range all {
		all[i], err = l.read(in)
		check(err)
	}
	r.read = time.Since(start)
	found, queries := 0, 0
	for i := range all {
		for member := range members(i) {
			if !all[i].has(key(i, member)) {
				tb.Fatalf("%s: member %d of filter %d is lost", l.name, member, i)
			}
		}
		for member := range 20 {
			queries++
			if all[i].has(key(i, 1<<20+member)) {
				found++
			}
		}
	}
	if found > queries/20 {
		tb.Errorf("%s: %d of %d non-members are present", l.name, found, queries)
	}
	return r
}

// What each library saves in one stream is read back, filter by filter.
func TestStream(t *testing.T) {
	for _, l := range libraries() {
		t.Run(l.name, func(t *testing.T) { run(t, l, 70) })
	}
}

func Benchmark100000(b *testing.B) {
	const n = 100_000
	for _, l := range libraries() {
		b.Run(l.name, func(b *testing.B) {
			var r result
			for b.Loop() {
				r = run(b, l, n)
			}
			b.ReportMetric(float64(r.make.Nanoseconds())/n, "ns/new")
			b.ReportMetric(float64(r.fill.Nanoseconds())/float64(r.keys), "ns/insert")
			b.ReportMetric(float64(r.save.Nanoseconds())/n, "ns/save")
			b.ReportMetric(float64(r.read.Nanoseconds())/n, "ns/read")
			b.ReportMetric(float64(r.held)/n, "B/held")
			b.ReportMetric(float64(r.saved)/n, "B/saved")
		})
	}
}
