package deletable_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/sharded"
	"github.com/bloomlane/bloomlane/kernel"
)

// over returns a filter over the words of a table, and the table.
func over(config deletable.Config) (*deletable.Filter, kernel.Table512, error) {
	size, err := config.Shape()
	if err != nil {
		return nil, nil, err
	}
	table := kernel.NewTable512(size.Blocks)
	f, err := deletable.Over(table.Words(), config)
	return f, table, err
}

// A filter over the caller's words keeps all laws.
func TestLawsOverWords(t *testing.T) {
	kind := deletable.Kind
	kind.New = base.NewOf(func(s filter.Sizing) (*deletable.Filter, error) {
		f, _, err := over(deletable.Config(s))
		return f, err
	})
	filtertest.RunAgain(t, kind, nil)
}

// The words are the table: what a filter, or a sharded filter that takes it, inserts and deletes is
// seen in them at once, and copies and new filters do not write to them. Close leaves them.
func TestWordsAreTheTable(t *testing.T) {
	const member, other, third = 0x0123456789abcdef, 0xfedcba9876543210, 0x5555aaaa3333cccc
	config := deletable.Config{Members: 64, BitsPerKey: 16, Key: keytest.Key(1)}
	f, table, err := over(config)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, want kernel.Table512) {
		t.Helper()
		if !slices.Equal(table, want) {
			t.Errorf("%s: the words are others", what)
		}
	}
	want := kernel.NewTable512(len(table))
	want.Insert(member)
	want.Insert(other)
	f.InsertHash(member)
	f.InsertHash(other)
	same("inserts", want)
	for name, g := range map[string]filter.Stored{"clone": f.Clone(), "fresh": f.Fresh()} {
		g.(filter.Set).InsertHash(third)
		same(name, want)
	}
	want.Delete(other)
	f.DeleteHash(other)
	same("a delete", want)
	g, err := sharded.Of(f)
	if err != nil {
		t.Fatal(err)
	}
	want.Insert(third)
	g.InsertHash(third)
	same("a sharded filter", want)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	same("close", want)
	f, table, _ = over(config)
	f.InsertHash(member)
	f.Reset()
	same("reset", kernel.NewTable512(len(table)))
}

// Words with a history, such as those that another program left, are taken with it.
func TestDecodeOverWords(t *testing.T) {
	const member = 0x0123456789abcdef
	config := deletable.Config{Members: 64, BitsPerKey: 16, Key: keytest.Key(1)}
	f, left, err := over(config)
	if err != nil {
		t.Fatal(err)
	}
	f.InsertHash(member)
	c, err := f.Contents() // whose attributes a program keeps
	if err != nil {
		t.Fatal(err)
	}
	c.Sections[0].Words = left.Words()
	g, err := deletable.Decode(c, config.Key)
	if err != nil {
		t.Fatal(err)
	}
	if g.Members() != 1 || g.DeleteHash(member) != deletable.Deleted {
		t.Errorf("%d members", g.Members())
	}
	if ones, _ := left.Count(); ones != 0 {
		t.Errorf("%d bits are set after the delete", ones)
	}
}

func TestOverAllocatesNoTable(t *testing.T) {
	config := deletable.Config{Members: 1 << 20, BitsPerKey: 16, Key: keytest.Key(1)}
	_, table, err := over(config)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := deletable.Over(table.Words(), config); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	bytes := after.TotalAlloc - before.TotalAlloc
	if most := uint64(64 << 10); bytes > most {
		t.Errorf("%d bytes for a filter over %d, expected at most %d", bytes,
			8*len(table.Words()), most)
	}
}

// Words that are too few, too many, beside the start of a cache line or not zero are refused.
func TestOverRefuses(t *testing.T) {
	config := deletable.Config{Members: 64, BitsPerKey: 16}
	words := kernel.NewTable512(3).Words()
	used := kernel.NewTable512(2).Words()
	used[9] = 1
	for expected, words := range map[string][]uint64{
		"words is a slice of 0, expected one of 16":                            nil,
		"words is a slice of 15, expected one of 16":                           words[:15],
		"words is a slice of 24, expected one of 16":                           words,
		"words is a slice that begins 8 bytes into a cache line, expected one": words[1:17],
		"words is a slice that begins 32 bytes into a cache line":              words[4:20],
		"words is a slice with 0x1 at 9, expected zeros":                       used,
	} {
		f, err := deletable.Over(words, config)
		var sizing *filter.SizingError
		if f != nil || !errors.As(err, &sizing) || !strings.Contains(err.Error(), expected) {
			t.Errorf("%v, expected %q", err, expected)
		}
	}
	if _, err := deletable.Over(words[:16], deletable.Config{}); err == nil {
		t.Error("no plan, no error")
	}
}
