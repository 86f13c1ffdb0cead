package sstable

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// table is the type of all filters of Pebble.
const table = 0

// secret is the key of the filters in tests, which have the same bits each time.
var secret = keytest.Sip(41)

// writer makes filters, as Pebble's FilterWriter.
type writer interface {
	AddKey(data []byte)
	Finish(dst []byte) []byte
}

// subject is a way to make filters of tables, and to query them.
type subject struct {
	name       string
	new        func(bits int) writer
	mayContain func(filter, data []byte) bool
}

// subjects are the filters of this package, and Pebble's own.
func subjects() []subject {
	return []subject{
		{"blocked", func(bits int) writer { return newWriter(bits, secret) },
			func(filter, data []byte) bool { return mayContain(secret, filter, data) }},
		{"Pebble", func(bits int) writer { return bloom.FilterPolicy(bits).NewWriter(table) },
			func(filter, data []byte) bool {
				return bloom.FilterPolicy(0).MayContain(table, filter, data)
			}},
	}
}

func newWriter(bits int, k key.Key) *Writer {
	return &Writer{Config: plain.Config{BitsPerKey: float64(bits), Blocked: true, Key: k}}
}

// form is how a number becomes a key.
type form func(dst []byte, n int) []byte

func text(dst []byte, n int) []byte {
	return strconv.AppendInt(append(dst[:0], "user-"...), int64(n), 10)
}

func binaryNumber(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint64(append(dst[:0], "/users/\x00"...), uint64(n))
}

// built returns the filter of the first keys.
func (s subject) built(members, bits int, keyOf form) []byte {
	w := s.new(bits)
	var data [16]byte
	for n := range members {
		w.AddKey(keyOf(data[:], n))
	}
	return w.Finish(nil)
}

// found counts the answers of a number of keys from the first on.
func (s subject) found(filter []byte, first, keys int, keyOf form) (found int) {
	var data [16]byte
	for n := range keys {
		if s.mayContain(filter, keyOf(data[:], first+n)) {
			found++
		}
	}
	return found
}

// The filter of a table has the answers of the filter of package plain, for members and others. It
// does not matter how many tables a writer makes, nor that keys repeat.
func TestAnswers(t *testing.T) {
	w := newWriter(10, secret)
	var data [16]byte
	for _, members := range []int{0, 1, 60, 10_000} {
		f, err := plain.New(plain.Config{Members: max(1, members), BitsPerKey: 10, Blocked: true,
			Key: secret})
		if err != nil {
			t.Fatal(err)
		}
		for n := range members {
			k := text(data[:], n)
			w.AddKey(k)
			w.AddKey(k)
			if _, err := f.Insert(k); err != nil {
				t.Fatal(err)
			}
		}
		const head = "a table's other bytes"
		filter, is := strings.CutPrefix(string(w.Finish([]byte(head))), head)
		if want := f.Shape().Bytes() + 1; !is || len(filter) != want {
			t.Fatalf("%d bytes for %d members, want %d", len(filter), members, want)
		}
		for n := range 2*members + 100 {
			k := text(data[:], n)
			if got, want := mayContain(secret, []byte(filter), k), f.Query(k); got != want {
				t.Fatalf("%d of %d members: %v, want %v", n, members, got, want)
			}
		}
	}
	filter := []byte(subjects()[0].built(1000, 10, text))
	if n := testing.AllocsPerRun(100, func() { mayContain(secret, filter, data[:]) }); n != 0 {
		t.Errorf("a query allocates %v times", n)
	}
}

// docs/recipes/pebble.md has the code of this package, and the sizes and rates of both filters.
func TestPage(t *testing.T) {
	content, err := os.ReadFile("../../docs/recipes/pebble.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for _, name := range []string{"filter.go", "policy.go"} {
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimPrefix(string(code), "//go:build pebble\n\n")
		if !strings.Contains(page, "```go\n"+want+"```\n") {
			t.Errorf("the page does not have the code of %s", name)
		}
	}
	const members, others = 100_000, 1_000_000
	for _, form := range []struct {
		keys  string
		keyOf form
		bits  int
	}{
		{"`user-1`, `user-2`, …", text, 10}, {"the same", text, 16}, {"the same", text, 20},
		{"numbers in 8 bytes", binaryNumber, 10},
	} {
		row := fmt.Sprintf("| %s | %d |", form.keys, form.bits)
		for _, s := range subjects() {
			filter := s.built(members, form.bits, form.keyOf)
			if s.found(filter, 0, members, form.keyOf) != members {
				t.Errorf("%s: a member is lost", s.name)
			}
			found := s.found(filter, members, others, form.keyOf)
			row += fmt.Sprintf(" %.2g |", 100*float64(found)/others)
			bits := 8 * float64(len(filter)) / members
			if math.Abs(bits-float64(form.bits)) > 0.02 {
				t.Errorf("%s has %.3f bits per key, want %d", s.name, bits, form.bits)
			}
		}
		if !strings.Contains(page, "\n"+row+"\n") {
			t.Errorf("the page does not have the row\n%s", row)
		}
	}
}

// large are the filters of many keys that a benchmark has built, by their names.
var large = map[string][]byte{}

// BenchmarkFilters has the times of docs/recipes/pebble.md: of a filter in a cache, of one table,
// and of one in memory, which stands for those of many tables. Of many short counts on a busy
// machine the least is the time.
func BenchmarkFilters(b *testing.B) {
	const table, tables, queries = 100_000, 20_000_000, 1 << 16
	for _, s := range subjects() {
		b.Run("build/"+s.name, func(b *testing.B) {
			for b.Loop() {
				s.built(table, 10, text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*table), "ns/key")
		})
		for _, members := range []int{table, tables} {
			name := fmt.Sprint(s.name, members)
			if large[name] == nil {
				large[name] = s.built(members, 10, text)
			}
			filter := large[name]
			for first, name := range map[int]string{0: "present", members: "absent"} {
				keys := make([][]byte, queries)
				for i := range keys {
					keys[i] = text(nil, first+i*(members/queries))
				}
				b.Run(fmt.Sprintf("query/%s/%d/%s", s.name, members, name), func(b *testing.B) {
					i := 0
					for b.Loop() {
						s.mayContain(filter, keys[i%queries])
						i++
					}
				})
			}
		}
	}
}
