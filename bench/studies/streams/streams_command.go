package streams

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/report/progress"
)

// Command returns the command.
func Command() *cobra.Command {
	return recording.Command(&cobra.Command{
		Use:   "streams",
		Short: "Compare all kinds of filters on the same streams of keys",
		Long: `Compare all kinds of filters at equal memory on the same streams of keys: a static
set, a multiset, a stream with duplicates, and members that come and go. It prints a page of
Markdown, and takes some minutes.

The page has, for each kind and each stream that it can serve, the rate of false positives, the
members that are missed, and the errors of counts; and the times of operations, beside other
libraries' filters. If a kind cannot do something, the page says so in a word.`,
	}, new(compared), standardStreams, quickStreams, (*settings).run)
}

func (c *settings) run(stderr io.Writer) (*compared, error) {
	peers := besides()
	r := &compared{Run: recording.Begin(peers), Settings: *c}
	d, err := newData(c)
	if err != nil {
		return nil, err
	}
	bar := progress.Start(stderr, "streams", int64(len(c.Bits)*(len(streams)+2)), "")
	defer bar.Done()
	for _, bits := range c.Bits {
		for _, s := range streams {
			for _, kind := range entries() {
				row, err := d.give(&s, &kind, bits)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", s.name, kind.Name, err)
				}
				r.Served = append(r.Served, row)
			}
			bar.Add(1)
		}
		if err := c.each(bits, func(t *timer) error {
			bar.Add(1)
			return r.time(peers, bits, t)
		}); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// give returns what a kind does with a stream.
func (d *data) give(s *stream, kind *base.Kind, bits int) (row served, err error) {
	first := served{Kind: kind.Name, Stream: s.name, Budget: bits, Cannot: s.cannot(kind)}
	members := len(d.members)
	if s.drawn {
		members = len(d.keys)
	}
	if first.Cannot != "" {
		return first, nil
	}
	f, cannot, err := fitted(kind, members, bits, func(f filter.Set) error {
		row = first
		return s.serve(d, kind, f, &row)
	})
	if f == nil {
		first.Cannot = cannot
		return first, err
	}
	row.Bits = perKey(f, members)
	return row, nil
}

// equals has the names of other libraries' filters of a kind.
var equals = map[string][]string{
	"plain":    {"bits-and-blooms", "holiman", "ristretto"},
	"blocked":  {"parquet-go", "arrow-go"},
	"counting": {"boom-counting"},
	"cuckoo":   {"seiflotfy-cuckoo", "panmari-cuckoo", "linvon-cuckoo"},
	"dlbf":     {"boom-deletable"},
	"stable":   {"boom-stable"},
}

// besideCounters has those that are beside every kind that counts.
var besideCounters = []string{"boom-count-min"}

// besides returns the filters of other libraries that kinds are timed beside.
func besides() (peers []peer.Peer) {
	names := slices.Concat(append(slices.Collect(maps.Values(equals)), besideCounters)...)
	for _, p := range append(library.All(), library.OfStreams()...) {
		if slices.Contains(names, p.Name) {
			peers = append(peers, p)
		}
	}
	return peers
}

// time times all kinds, and the peers beside them.
func (r *compared) time(peers []peer.Peer, bits int, t *timer) error {
	all, err := timedOf(entries(), peers, t.members, bits)
	if err != nil {
		return err
	}
	for i, found := range t.time(all) {
		place := r.timesOf(all[i].name, bits)
		if place == nil {
			r.Timed = append(r.Timed, timed{Subject: all[i].name, Budget: bits,
				Bits: perKey(all[i].filter, t.members)})
			place = &r.Timed[len(r.Timed)-1]
		}
		place.set(t, found)
	}
	return nil
}

// timedOf returns filters of kinds, each before the peers that are beside it, less those that need
// more bits.
func timedOf(kinds []base.Kind, peers []peer.Peer, members, bits int) (all []subject, err error) {
	named := map[string]peer.Peer{}
	for _, p := range peers {
		named[p.Name] = p
	}
	after := 0 // the last kind that counts
	for _, kind := range kinds {
		f, cannot, err := fitted(&kind, members, bits, func(filter.Set) error { return nil })
		if err != nil {
			return nil, err
		}
		s := subject{name: kind.Name, filter: f, forgets: kind.Promises.Has(base.Forgets)}
		if cannot == "" {
			all = append(all, s)
		}
		if _, counts := f.(peer.Counter); counts {
			after = len(all)
		}
		for _, name := range equals[kind.Name] {
			if all, err = addFit(all, named[name], members, bits, s.forgets); err != nil {
				return nil, err
			}
		}
	}
	if after == 0 {
		return all, nil
	}
	behind := slices.Clone(all[after:])
	all = all[:after]
	for _, name := range besideCounters {
		if all, err = addFit(all, named[name], members, bits, false); err != nil {
			return nil, err
		}
	}
	return append(all, behind...), nil
}

// addFit adds a peer's filter, unless even its smallest needs more bits.
func addFit(all []subject, p peer.Peer, members, bits int, forgets bool) ([]subject, error) {
	f, err := fit(&p, members, bits)
	if f != nil {
		all = append(all, subject{name: p.Name, filter: f, forgets: forgets})
	}
	return all, err
}
