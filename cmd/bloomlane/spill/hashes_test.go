package spill

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shrink makes buffers small, so that hashes are cut into many pieces.
func shrink(t *testing.T, entries int) {
	before := most
	most = entries
	t.Cleanup(func() { most = before })
}

// model is the different hashes of some, and how often each came.
func model(order Order, hashes []uint64) (different, times []uint64) {
	count, last := map[uint64]uint64{}, map[uint64]int{}
	for i, hash := range hashes {
		count[hash]++
		last[hash] = i
	}
	different = slices.Sorted(maps.Keys(count))
	if order == Latest {
		slices.SortFunc(different, func(a, b uint64) int { return last[a] - last[b] })
	}
	if order == Counted {
		for _, hash := range different {
			times = append(times, count[hash])
		}
	}
	return different, times
}

// Each hash comes once, in its order and with its count, however often it was added, and wherever
// the hashes are cut: by no piece, by pieces that end with a buffer, and by many.
func TestHashes(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 7))
	inputs := map[string][]uint64{
		"none": {}, "one": {42}, "bounds": {1<<64 - 1, 0, 1<<64 - 1, 1 << 63, 1<<56 - 1, 1 << 56},
		"one key": slices.Repeat([]uint64{7 << 50}, 5000),
	}
	for _, different := range []uint64{1, 3, 50, 5000, 1 << 40} {
		hashes := make([]uint64, 20_000)
		for i := range hashes {
			hashes[i] = random.Uint64N(different) * 0x9E3779B97F4A7C15
		}
		inputs[fmt.Sprint(different, " different")] = hashes
	}
	crowded := make([]uint64, 5000) // all in one interval
	for i := range crowded {
		crowded[i] = random.Uint64() >> 8
	}
	inputs["one interval"] = crowded
	close := make([]uint64, 5000) // their low bytes differ
	for i := range close {
		close[i] = uint64(i*7919) % 5000
	}
	inputs["neighbours"] = close
	for _, entries := range []int{2, 7, 64, 1 << 14} {
		shrink(t, entries)
		for name, hashes := range inputs {
			for _, order := range []Order{Sorted, Counted, Latest} {
				path := filepath.Join(t.TempDir(), "f")
				files := 0
				h := New(order, func() (*os.File, error) {
					files++
					return os.Create(fmt.Sprint(path, files))
				})
				for i, end := 0, 0; i < len(hashes); i = end {
					for end = i + 1; end < min(i+3, len(hashes)) && hashes[end] == hashes[i]; {
						end++
					}
					if err := h.AddTimes(hashes[i], uint64(end-i)); err != nil {
						t.Fatal(err)
					}
				}
				n, err := h.Different()
				want, wantTimes := model(order, hashes)
				if err != nil || n != len(want) || h.Added() != len(hashes) {
					t.Fatalf("%s, order %d, buffers of %d: %d of %d (%v), want %d", name, order,
						entries, n, h.Added(), err, len(want))
				}
				for range 2 {
					var got, times []uint64
					err := h.Each(func(hashes, counts []uint64) error {
						got, times = append(got, hashes...), append(times, counts...)
						return nil
					})
					if err != nil || !slices.Equal(got, want) || !slices.Equal(times, wantTimes) {
						t.Fatalf("%s, order %d, buffers of %d: other hashes or counts (%v)", name,
							order, entries, err)
					}
				}
				if spilled := entries < 64 && len(want) >= 5000; spilled && files == 0 {
					t.Errorf("%s, buffers of %d: no file", name, entries)
				}
				if len(want) < 2 && files != 0 {
					t.Errorf("%s, buffers of %d: a file for %d hashes", name, entries, len(want))
				}
				h.Close()
				h.Close()
			}
		}
	}
}

// An error of the file ends the adding, and is the error of all that follows.
func TestFileFails(t *testing.T) {
	shrink(t, 4)
	broken := errors.New("broken")
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what   string
		create func() (*os.File, error)
		says   string
	}{
		{"made", func() (*os.File, error) { return nil, broken }, "broken"},
		{"written", func() (*os.File, error) { return os.Open(path) }, "write " + path},
		{"read", func() (*os.File, error) {
			return os.OpenFile(path, os.O_WRONLY, 0)
		}, "read " + path},
	} {
		var file *os.File
		h := New(Sorted, func() (_ *os.File, err error) {
			file, err = test.create()
			return file, err
		})
		for i := range uint64(2000) {
			_ = h.Add(i * 0x9E3779B97F4A7C15)
		}
		added := h.Err()
		_, err := h.Different()
		if err == nil || !strings.Contains(err.Error(), test.says) ||
			!strings.Contains(err.Error(), "temporary file") {
			t.Errorf("not %s: %v, want %q", test.what, err, test.says)
		}
		if (added != nil) != (test.what != "read") || added != nil && h.Add(1) != added {
			t.Errorf("not %s: Add says %v", test.what, added)
		}
		h.Close()
		if file != nil && !errors.Is(file.Close(), os.ErrClosed) {
			t.Errorf("not %s: the file stays open", test.what)
		}
	}
}

// An error of who takes the hashes ends Each.
func TestEachEnds(t *testing.T) {
	h := New(Sorted, nil)
	for i := range uint64(4) {
		if err := h.Add(i << 62); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Different(); err != nil {
		t.Fatal(err)
	}
	full, calls := errors.New("full"), 0
	err := h.Each(func(_, _ []uint64) error {
		if calls++; calls == 2 {
			return full
		}
		return nil
	})
	if err != full || calls != 2 {
		t.Errorf("%v after %d calls, want %v after 2", err, calls, full)
	}
}

// The numbers by which the latest are sorted go to most of the intervals, however many there are.
// So memory holds few of them at a time.
func TestLatestAreInManyParts(t *testing.T) {
	for _, added := range []int{1 << 12, 1<<12 + 1, 12_345} {
		h := New(Latest, nil)
		for i := range added {
			if err := h.Add(uint64(i) * 0x9E3779B97F4A7C15); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Different(); err != nil {
			t.Fatal(err)
		}
		most, used := 0, 0
		for i := range h.latest.parts {
			most = max(most, len(h.latest.parts[i].buffer))
			used += min(1, len(h.latest.parts[i].buffer))
		}
		if used < parts/2 || most > 2*added/parts+2 {
			t.Errorf("%d hashes are in %d parts, %d in one", added, used, most)
		}
	}
}
