package streams

import (
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/progress"
	"github.com/bloomlane/bloomlane/filter"
)

// streamsFile is the recording in a folder.
const streamsFile = "streams.json"

// compared is what a run of streams found.
type compared struct {
	run
	Settings settings `json:"settings"`
	Served   []served `json:"served"`
	Timed    []timed  `json:"timed"`
}

// settings says what is compared.
type settings struct {
	Members    int     `json:"members"` // at a time, and inserts of a window
	Bits       []int   `json:"bits_per_key"`
	Draws      int     `json:"draws"` // of the multiset, per member
	Exponent   float64 `json:"exponent"`
	Windows    int     `json:"windows"`     // of the stream with duplicates
	Turnovers  int     `json:"turnovers"`   // of members that come and go
	NonMembers int     `json:"non_members"` // asked at most for a rate

	Cache  int64 `json:"cache_bytes"`
	Memory int64 `json:"memory_bytes"`
	Rounds int   `json:"rounds"`
}

// standardStreams takes minutes of a core.
var standardStreams = settings{
	Members: 100_000, Bits: []int{16, 32}, Draws: 8, Exponent: 1, Windows: 16, Turnovers: 10, NonMembers: 1 << 23,
	Cache: 256 << 10, Memory: 16 << 20, Rounds: 16,
}

// quickStreams takes seconds.
var quickStreams = settings{
	Members: 4000, Bits: []int{32}, Draws: 8, Exponent: 1, Windows: 12, Turnovers: 3, NonMembers: 1 << 17,
	Cache: 32 << 10, Memory: 1 << 20, Rounds: 2,
}

// served is what a kind did with a stream.
type served struct {
	Kind    string  `json:"kind"`
	Stream  string  `json:"stream"`
	Budget  int     `json:"budget"`           // bits per key, at most
	Cannot  string  `json:"cannot,omitempty"` // why it was not given the stream
	Bits    float64 `json:"bits_per_key,omitempty"`
	Rate    share   `json:"rate,omitzero"`
	Missed  share   `json:"missed,omitzero"` // members that were not found
	Refused int     `json:"refused,omitempty"`

	Counts  *counts `json:"counts,omitempty"` // where it counts
	Lost    share   `json:"lost,omitzero"`    // members, after deletes of others
	Stay    share   `json:"stay,omitzero"`    // of those deleted
	Old     share   `json:"old,omitzero"`     // keys from long ago that were present
	Owned   bool    `json:"owned,omitempty"`  // its owner deletes what leaves the window
	Fresh   share   `json:"fresh,omitzero"`   // the rate before anything was deleted
	Deleted share   `json:"deleted,omitzero"` // deletes after which the key was not present
}

// counts are beside how often keys came.
type counts struct {
	Wrong share   `json:"wrong"`
	Low   share   `json:"low"`
	Error float64 `json:"error"` // in the mean over the keys
}

// timed is the times of a filter, ours or another library's.
type timed struct {
	Subject string  `json:"subject"`
	Budget  int     `json:"budget"`
	Bits    float64 `json:"bits_per_key"`
	Cache   *times  `json:"cache,omitempty"`
	Memory  *times  `json:"memory,omitempty"`
}

func (r *compared) name() string                               { return streamsFile }
func (r *compared) pictures() map[string]func(io.Writer) error { return nil }

func (r *compared) check() error {
	for _, s := range r.Served {
		if !slices.Contains(r.Settings.Bits, s.Budget) ||
			!slices.ContainsFunc(streams, func(of stream) bool { return of.name == s.Stream }) {
			return fmt.Errorf("%w: %s at %d bits per key in %q", errRecording, s.Kind, s.Budget, s.Stream)
		}
	}
	return r.checkSchema()
}

// Command returns the command.
func Command() *cobra.Command {
	return command(&cobra.Command{
		Use:   "streams",
		Short: "Compare all kinds of filters on the same streams of keys",
		Long: `Compare all kinds of filters at equal memory on the same streams of keys: a static set, a multiset,
a stream with duplicates, and members that come and go. It prints a page of Markdown, and takes some
minutes.

The page has, for each kind and each stream that it can serve, the rate of false positives, the
members that are missed, and the errors of counts; and the times of operations, beside other
libraries' filters. What a kind cannot do is said in a word.`,
	}, new(compared), func(cmd *cobra.Command, brief bool) (recording, error) {
		c := standardStreams
		if brief {
			c = quickStreams
		}
		return c.run(cmd.ErrOrStderr())
	})
}

func (c *settings) run(stderr io.Writer) (*compared, error) {
	start, peers := time.Now(), besides()
	r := &compared{run: begin(peers), Settings: *c}
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
		for _, size := range []struct {
			bytes int64
			warm  bool
		}{{c.Cache, true}, {c.Memory, false}} {
			if err := r.time(peers, bits, size.bytes, size.warm); err != nil {
				return nil, err
			}
			bar.Add(1)
		}
	}
	r.Seconds = time.Since(start).Round(time.Second).Seconds()
	return r, nil
}

// give returns what a kind does with a stream.
func (d *data) give(s *stream, kind *filter.Kind, bits int) (row served, err error) {
	row = served{Kind: kind.Name, Stream: s.name, Budget: bits, Cannot: s.cannot(kind)}
	members := len(d.members)
	if s.drawn {
		members = len(d.keys)
	}
	if row.Cannot == "" {
		var f filter.Set
		if f, row.Cannot, err = fitted(kind, members, bits); f != nil {
			err = s.serve(d, kind, f, &row)
			row.Bits = 8 * float64(f.State().Bytes) / float64(members)
		}
	}
	return row, err
}

// beside has the names of other libraries' filters of a kind.
var beside = map[string][]string{
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
	names := slices.Concat(append(slices.Collect(maps.Values(beside)), besideCounters)...)
	for _, p := range append(library.All(), library.OfStreams()...) {
		if slices.Contains(names, p.Name) {
			peers = append(peers, p)
		}
	}
	return peers
}

// time times all kinds, and the peers beside them, in filters of the given size.
func (r *compared) time(peers []peer.Peer, bits int, bytes int64, warm bool) error {
	defer debug.FreeOSMemory()
	t := newTimer(bytes, bits, roundsOf(r.Settings.Rounds, warm), warm)
	all, err := timedOf(peers, t.members, bits)
	if err != nil {
		return err
	}
	for i, found := range t.time(all) {
		at := slices.IndexFunc(r.Timed, func(of timed) bool { return of.Subject == all[i].name && of.Budget == bits })
		if at < 0 {
			at = len(r.Timed)
			r.Timed = append(r.Timed, timed{
				Subject: all[i].name, Budget: bits,
				Bits: 8 * float64(all[i].filter.State().Bytes) / float64(t.members),
			})
		}
		if warm {
			r.Timed[at].Cache = &found
		} else {
			r.Timed[at].Memory = &found
		}
	}
	return nil
}

// timedOf returns filters of all kinds, each before the peers that are beside it, less those that need more bits.
func timedOf(peers []peer.Peer, members, bits int) (all []subject, err error) {
	count := false
	add := func(names []string, forgets bool) error {
		for _, name := range names {
			p := peers[slices.IndexFunc(peers, func(p peer.Peer) bool { return p.Name == name })]
			f, err := fit(&p, members, bits)
			if err != nil {
				return err
			}
			if f != nil {
				all = append(all, subject{name: name, filter: f, forgets: forgets})
			}
		}
		return nil
	}
	for _, kind := range entries() {
		f, cannot, err := fitted(&kind, members, bits)
		if err != nil {
			return nil, err
		}
		forgets := kind.Promises.Has(filter.Forgets)
		if cannot == "" {
			all = append(all, subject{name: kind.Name, filter: f, forgets: forgets})
		}
		if _, counts := f.(filter.Counter); counts {
			count = true
		}
		if err := add(beside[kind.Name], forgets); err != nil {
			return nil, err
		}
	}
	if count {
		err = add(besideCounters, false)
	}
	return all, err
}
