package filter_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// The lines of a file are an iterator.
func ExampleKeyedSet_InsertStringSeq() {
	f, err := deletable.New(deletable.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		log.Fatal(err)
	}
	guests := func(yield func(string) bool) {
		_ = yield("apple") && yield("pear")
	}
	n, err := f.InsertStringSeq(guests)
	fmt.Println(n, err, f.QueryString("pear"))
	// Output: 2 <nil> true
}

// A source of lines yields each line that is not empty, and the error of its reader last.
func TestLines(t *testing.T) {
	gone := errors.New("the list is gone")
	long := strings.Repeat("a", bufio.MaxScanTokenSize)
	for _, test := range []struct {
		list io.Reader
		want []string
		err  error
	}{
		{strings.NewReader(""), nil, nil},
		{strings.NewReader("ada\nbob\r\n\n eve "), []string{"ada", "bob", " eve "}, nil},
		{strings.NewReader("ada\nada\n"), []string{"ada", "ada"}, nil},
		{strings.NewReader("ada\n" + long), []string{"ada"}, bufio.ErrTooLong},
		{io.MultiReader(strings.NewReader("ada\nbo"), iotest.ErrReader(gone)),
			[]string{"ada", "bo"}, gone},
	} {
		var got []string
		var failed error
		for key, err := range filter.Lines(test.list) {
			if err == nil && failed == nil {
				got = append(got, string(key))
			}
			failed = errors.Join(failed, err)
		}
		if !slices.Equal(got, test.want) || !errors.Is(failed, test.err) || (failed == nil) != (test.err == nil) {
			t.Errorf("%q and %v, want %q and %v", got, failed, test.want, test.err)
		}
	}
	for range filter.Lines(strings.NewReader("ada\nbob\n")) {
		break // nothing more is yielded
	}
}

// The keys of an iterator are inserted as those of a batch are: fewer than a batch, as many, and
// more.
func TestInsertSeq(t *testing.T) {
	config := deletable.Config{Members: 2000, BitsPerKey: 16,
		Key: keytest.Key(3)}
	for _, n := range []int{0, 1, 511, 512, 513, 1024, 1700} {
		var numbers []uint64
		var texts []string
		for i := range uint64(n) {
			numbers, texts = append(numbers, i), append(texts, fmt.Sprint(i))
		}
		for name, insert := range map[string]func(f, g *deletable.Filter) (int, error){
			"numbers": func(f, g *deletable.Filter) (int, error) {
				_, _ = g.InsertUint64Batch(numbers, nil)
				return f.InsertUint64Seq(slices.Values(numbers))
			},
			"strings": func(f, g *deletable.Filter) (int, error) {
				_, _ = g.InsertStringBatch(texts, nil)
				return f.InsertStringSeq(slices.Values(texts))
			},
			"bytes": func(f, g *deletable.Filter) (int, error) {
				_, _ = g.InsertStringBatch(texts, nil)
				var memory []byte // of every key
				return f.InsertSeq(func(yield func([]byte) bool) {
					for _, text := range texts {
						if memory = append(memory[:0], text...); !yield(memory) {
							return
						}
					}
				})
			},
		} {
			f, err := deletable.New(config)
			if err != nil {
				t.Fatal(err)
			}
			g := f.Clone()
			if got, err := insert(f, g); got != n || err != nil || !f.Equal(g) {
				t.Errorf("%d %s: %d inserted, %v; equal: %v", n, name, got, err, f.Equal(g))
			}
		}
	}
}

// A filter that is full ends the iterator, and says how many keys are in.
func TestInsertSeqRefused(t *testing.T) {
	f, err := cuckoo.New(cuckoo.Config{Members: 1000, BitsPerKey: 16})
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	n, err := f.InsertUint64Seq(func(yield func(uint64) bool) {
		for i := range uint64(1 << 20) {
			if taken++; !yield(i) {
				return
			}
		}
	})
	if err == nil || n >= taken || float64(n) != f.State().Members {
		t.Errorf("%d of %d keys inserted, %g members: %v", n, taken, f.State().Members, err)
	}
	_ = f.Close()
	if n, err := f.InsertUint64Seq(func(func(uint64) bool) {
		t.Error("a closed filter reads the iterator")
	}); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %d, %v", n, err)
	}
	var zero filter.KeyedSet
	if _, err := zero.InsertSeq(nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("never made: %v", err)
	}
}
