package streams

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// column is of the table of a stream. A cell is empty where there is nothing to tell.
type column struct {
	name string
	cell func(*served) string
}

// The columns of the streams.
var (
	rate    = column{"rate, %", func(r *served) string { return r.Rate.percent() }}
	fresh   = column{"fresh, %", func(r *served) string { return r.Fresh.percent() }}
	missed  = column{"missed, %", func(r *served) string { return r.Missed.orNone() }}
	refused = column{"refused", func(r *served) string { return quantity.Count(r.Refused) }}
	wrong   = column{"wrong, %",
		ofCounts(cannotCount, func(c *counts) string { return c.Wrong.orNone() })}
	low = column{"low, %", ofCounts("", func(c *counts) string { return c.Low.orNone() })}

	deviation = column{"error",
		ofCounts("", func(c *counts) string { return fmt.Sprintf("%.3g", c.Error) })}

	lost    = column{"lost, %", ofDeletes(func(r *served) share { return r.Lost })}
	stay    = column{"stay, %", ofDeletes(func(r *served) share { return r.Stay })}
	old     = column{"old, %", func(r *served) string { return r.Old.percent() }}
	deleted = column{"deleted, %", func(r *served) string { return r.Deleted.percent() }}
	forgets = column{"forgets", func(r *served) string {
		if r.Owned {
			return "by its owner"
		}
		return "by itself"
	}}
)

func ofCounts(without string, text func(*counts) string) func(*served) string {
	return func(r *served) string {
		if r.Counts == nil {
			return without
		}
		return text(r.Counts)
	}
}

func ofDeletes(of func(*served) share) func(*served) string {
	return func(r *served) string {
		switch s := of(r); {
		case s.Of > 0:
			return s.orNone()
		case r.Refused > 0:
			return "refuses"
		default:
			return cannotDelete
		}
	}
}

// orNone is percent, but 0 where none was found.
func (s share) orNone() string {
	if s.Count == 0 && s.Of > 0 {
		return "0"
	}
	return s.percent()
}

// Page writes the page of a recording, as Markdown.
func (r *compared) Page(w io.Writer) error {
	var b bytes.Buffer
	c := &r.Settings
	fmt.Fprintf(&b, `# All kinds of filters, at equal memory

Each kind serves four streams of keys, if it can. There are %s at a time, or as many inserts in a
window. The multiset has %s draws with an exponent of %g, and the members come and go for %s. All
filters get the same keys, which are hashes. At the end a filter has at most the bits per key above
its table. A filter that grows is made smaller at first.

%s
- *bits*: the bits of its table at the end, per key.
- *rate*: the share of random non-members that are found at the end.
- *missed*: the share of the members that are not found. 0 means that none was missed.
- *refused*: inserts that the filter did not take.

A single share has a 95 %% interval within a tenth of it. Otherwise there are two numbers, the ends
of the interval, or *below* and its upper end. The interval is that of the measured filter. Other
keys would make another filter.
`,
		quantity.Of(c.Members, "member"), quantity.Count(c.Draws*c.Members), c.Exponent,
		quantity.Of(c.Turnovers, "turnover"), r.Where("streams", streamsFile))
	for _, s := range streams {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.name, s.about)
		for _, bits := range c.Bits {
			fmt.Fprintf(&b, "\n%d bits per key:\n\n", bits)
			r.table(&s, bits).Markdown(&b)
		}
	}
	fmt.Fprintf(&b, `
## Time per key

In ns, in batches if the library has them, for filters of %s in the cache and of %s in memory. Half
of the keys of a query or a count are members. An insert puts back what was deleted. If nothing can
be deleted, members are inserted again, and if members leave by themselves, new keys are inserted. A
single time is the least of %d rounds (%d in memory), a quarter of which are within a tenth of it.
Otherwise there are two times: the least, and the lower quartile. Below a kind are the filters of
that kind in other libraries. They take one key per call, except for parquet-go and arrow-go. Some
take only keys of bytes, so a hash is in their times: %s.
`,
		quantity.Bytes(c.Cache), quantity.Bytes(c.Memory), c.Rounds, c.Rounds/2,
		strings.Join(r.hashing(), ", "))
	for _, bits := range c.Bits {
		fmt.Fprintf(&b, "\n%d bits per key:\n\n", bits)
		r.times(bits).Markdown(&b)
	}
	r.WriteLibraries(&b)
	_, err := b.WriteTo(w)
	return err
}

// hashing returns the names of the libraries' filters that hash their keys.
func (r *compared) hashing() (names []string) {
	for _, l := range r.Libraries {
		if l.Hashes {
			names = append(names, l.Name)
		}
	}
	return names
}

// table has what the kinds did with a stream.
func (r *compared) table(s *stream, bits int) *pivot.Table {
	heads := "filter|bits"
	for _, c := range s.columns {
		heads += "|" + c.name
	}
	return pivot.Rows(heads, pivot.Where(r.Served, func(r served) bool {
		return r.Stream == s.name && r.Budget == bits
	}), func(r served) []string {
		if r.Cannot != "" {
			return []string{r.Kind, "", r.Cannot}
		}
		cells := []string{r.Kind, bitsOf(r.Bits)}
		for _, c := range s.columns {
			cells = append(cells, c.cell(&r))
		}
		return cells
	})
}

// times has the times of the kinds and of what is beside them.
func (r *compared) times(bits int) *pivot.Table {
	return pivot.Rows(
		"filter|bits|cache: query|insert|delete|count|memory: query|insert|delete|count",
		pivot.Where(r.Timed, func(t timed) bool { return t.Budget == bits }),
		func(t timed) []string {
			cells := []string{t.Subject, bitsOf(t.Bits)}
			for _, of := range []*times{t.Cache, t.Memory} {
				query, remove, insert, count := of.texts()
				cells = append(cells, query, insert, remove, count)
			}
			return cells
		})
}
