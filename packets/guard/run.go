package guard

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"

	sample "github.com/bloomlane/bloomlane/filter/audit" // audit is a name here
	"github.com/bloomlane/bloomlane/packets/capture"
)

// MaxListed is the number of different sources whose final answers are listed. Packets of further
// sources go through the same rules, and are counted.
const MaxListed = 1 << 20

// NonMembers is the number of random keys among which an audit counts the false positives of a
// filter.
const NonMembers = 1_000_000

// batchPackets is the number of packets that are read, and then timed, together.
const batchPackets = 1024

// Config says what a run is made of.
type Config struct {
	Sizing    Sizing // its Blocked and Sequences are counted, from the lists here
	History   int    // sources whose exact state is kept
	Blocklist []netip.Addr
	Never     []netip.Addr // sources that are never blocked, also if they are in the blocklist
	Sequences [][]byte     // the bytes of big-endian words
	Audit     bool         // run exact sets beside the filters
	// the filters are audited by a sample of one hash in Shadow; 0: they are not
	Shadow int
}

// limits are what tests make smaller.
type limits struct {
	listed     int // MaxListed
	nonMembers int // NonMembers
}

// Run is an engine with filters, and what it has found out.
type Run struct {
	config  Config
	limits  limits
	filters *Filters
	engine  *Engine
	audit   *audit           // or nil
	never   *neverBlock      // or nil
	shadows []*sample.Filter // of the good, the bad and the sequence filter, or nil
	words   int
	elapsed time.Duration // inside the engine
	damage  error         // of the input

	listed   map[netip.Addr]struct{} // the sources
	sources  []netip.Addr            // in the order in which they are first seen
	unlisted int                     // packets of sources for which there was no room
}

// New makes the filters and inserts the lists, in which nothing may be repeated.
func New(config Config) (*Run, error) { return newRun(config, limits{MaxListed, NonMembers}) }

func newRun(config Config, limits limits) (r *Run, err error) {
	inBlocklist := 0
	config.Blocklist, inBlocklist = withoutBlocked(config.Blocklist, config.Never)
	config.Sizing.Blocked, config.Sizing.Sequences = len(config.Blocklist), len(config.Sequences)
	config.Sizing.NeverBlock = len(config.Never)
	r = &Run{config: config, limits: limits, listed: map[netip.Addr]struct{}{}}
	engine := func(sets Sets, blocklist []netip.Addr) (*Engine, error) {
		return NewEngine(sets, config.History, blocklist, config.Sequences)
	}
	if r.filters, err = NewFilters(config.Sizing); err != nil {
		return nil, err
	}
	all := r.filters.Sets()
	if config.Shadow != 0 {
		if r.shadows, err = shadowed(&all, config.Shadow); err != nil {
			return nil, err
		}
	}
	blocked := config.Blocklist // what the bad set is given
	if len(config.Never) > 0 {
		if r.never, err = newNeverBlock(blocked, config.Never, config.Sizing.BadRate,
			r.filters.Bad); err != nil {
			return nil, err
		}
		r.never.report.InBlocklist = inBlocklist
		r.never.Deleter, all.Bad.Deleter, all.Spares = all.Bad.Deleter, r.never, r.never.spares
		blocked = nil
	}
	if r.engine, err = engine(all, blocked); err != nil {
		return nil, err
	}
	if config.Sizing.GoodTurnovers > 0 || config.Sizing.GoodReinserts > 0 {
		r.filters.Good.Live = r.engine.members.Interval
	}
	if config.Audit {
		r.audit = &audit{Audit: Audit{Differences: []string{}}, never: r.never}
		exact, blocked := NewExactSets(), config.Blocklist
		if r.never != nil {
			exact.Spares, r.audit.listed = r.never.audited(config.Never),
				setOfAddresses(config.Never)
			blocked = slices.DeleteFunc(slices.Clone(blocked),
				func(source netip.Addr) bool { return r.never.passing[source] })
		}
		if r.audit.engine, err = engine(exact, blocked); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// shadowed puts filters under audit. With the same keys the samples are the same, so that a run is
// reproducible.
func shadowed(all *Sets, every int) (shadows []*sample.Filter, err error) {
	for _, set := range []*Set{&all.Good, &all.Bad, &all.Sequences} {
		shadow, err := sample.New(set.Deleter.(sample.Deleter),
			sample.Config{Every: every, Secret: set.Key.Hash([]byte("guard: sample"))})
		if err != nil {
			return nil, err
		}
		set.Deleter = shadow
		shadows = append(shadows, shadow)
	}
	return shadows, nil
}

// list lists a source unless it is listed, or there is no room, and reports whether it is now.
func (r *Run) list(source netip.Addr) bool {
	if _, listed := r.listed[source]; listed {
		return true
	}
	if len(r.sources) == r.limits.listed {
		return false
	}
	r.listed[source] = struct{}{}
	r.sources = append(r.sources, source)
	return true
}

// Process puts packets through the rules, to the end of the input, and writes their verdicts, a
// character each. Its error is that of the writer, or of a set that refuses a source, which ends
// the run. An input that is damaged ends too, with all packets before the damage processed;
// [Run.Damage] then says what it was.
func (r *Run) Process(packets capture.Packets, verdicts io.Writer) (err error) {
	var batch []Packet
	var words, text []byte
	var found []Verdict
	for r.damage = nil; r.damage == nil; {
		batch, words, text = batch[:0], words[:0], text[:0]
		for len(batch) < batchPackets && r.damage == nil {
			var source netip.Addr
			var payload []byte
			if source, payload, r.damage = packets.Next(); r.damage != nil {
				break
			}
			words = append(words, payload...)
			batch = append(batch, Packet{source, words[len(words)-len(payload):]})
			if source.IsValid() && !r.list(source) {
				r.unlisted++
			}
		}
		start := time.Now()
		found, err = r.engine.Process(found[:0], batch)
		r.elapsed += time.Since(start)
		if err == nil && r.audit != nil {
			err = r.audit.process(batch, found)
		}
		if err != nil {
			return err
		}
		r.words += len(words) / wordBytes
		for _, verdict := range found {
			text = append(text, byte(verdict))
		}
		if _, err := verdicts.Write(text); err != nil {
			return fmt.Errorf("guard: write verdicts: %w", err)
		}
	}
	if r.damage == io.EOF {
		r.damage = nil
	}
	return nil
}

// Packets returns the number of packets that were processed.
func (r *Run) Packets() int {
	counts := r.engine.Counts()
	return counts.Packets()
}

// Damage returns the error that ended the input before its end, or nil.
func (r *Run) Damage() error { return r.damage }

// Sources returns every source that was seen, in the order of first packets, and then those of the
// blocklist that were not; MaxListed of them at most.
func (r *Run) Sources() []netip.Addr {
	for _, source := range r.config.Blocklist {
		r.list(source)
	}
	return r.sources
}

// WriteAnswers writes a line for each of the Sources: the source, a tab, and its answer.
func (r *Run) WriteAnswers(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, source := range r.Sources() {
		// its error comes back from Flush
		fmt.Fprintf(out, "%s\t%s\n", source, r.engine.Answer(source))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("guard: write answers: %w", err)
	}
	return nil
}
