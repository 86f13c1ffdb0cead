package flows

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/sets"
)

// Config says what a run is made of.
type Config struct {
	Idle       time.Duration // a flow's idle timeout
	Limit      int           // of flows that are followed at a time
	Members    int           // to plan the filters for; 0 means the peak of the flows
	BitsPerKey float64       // of each filter, for each of the Members
	Rate       float64       // of false positives that is to be kept
	Reinserts  float64       // of the refreshed filter, per insert
	Samples    int           // over the time of the packets
	NonMembers int           // asked at each sample
	Seed       uint64        // of non-members, of the hash key and of what is drawn
	// filters that delete are audited by a sample of one hash in Shadow; 0: they are not
	Shadow    int
	Synthesis *Synthesis // or nil: run the packets as they are

	// Progress, where it is not nil, is called now and then with the number of flows that were
	// synthesised: in two passes, each from 0 on.
	Progress func(flows int)
}

// Limits of a Config.
const (
	maxSamples    = 10_000
	maxNonMembers = 1 << 24
)

func (c *Config) check() error {
	switch {
	case !(c.Rate > 0 && c.Rate < 1): // so written, NaN fails it too
		return fmt.Errorf("--rate is %g, expected a number above 0 and below 1", c.Rate)
	case !(c.Reinserts >= planning.MinReinserts && c.Reinserts <= planning.MaxReinserts):
		return fmt.Errorf("--reinserts is %g, expected %g to %d", c.Reinserts,
			planning.MinReinserts, planning.MaxReinserts)
	case c.Samples < 1 || c.Samples > maxSamples:
		return fmt.Errorf("--samples is %d, expected 1 to %d", c.Samples, maxSamples)
	case c.NonMembers < 1 || c.NonMembers > maxNonMembers:
		return fmt.Errorf("--non-members is %d, expected 1 to %d", c.NonMembers, maxNonMembers)
	case c.Idle <= 0:
		return fmt.Errorf("--idle is %v, expected more than 0s", c.Idle)
	case c.Limit < 1:
		return fmt.Errorf("--flows is %d, expected at least 1", c.Limit)
	case c.Synthesis != nil:
		return c.Synthesis.check()
	}
	return nil
}

// Answer is what a filter answered at a sample.
type Answer struct {
	FalsePositives int `json:"false_positives"` // non-members that it took for live flows
	State
}

// Sample is a moment of a run.
type Sample struct {
	Seconds float64 `json:"seconds"`
	Members int     `json:"members"` // live flows
	// flows ever inserted, less the mean of the live ones, as a multiple of these
	Turnovers float64  `json:"turnovers"`
	Answers   []Answer `json:"answers"` // of the filters, in the order of Names
}

// Totals are what a filter did in all of a run.
type Totals struct {
	Filter string `json:"filter"`
	Bytes  int    `json:"bytes"` // of a filter that grows, at the peak
	Lines  int    `json:"lines"` // of memory that a query for a member reads
	// live flows that it took and did not find, at samples and when they ended
	FalseNegatives int `json:"false_negatives"`
	// flows that it did not take, and is not asked for
	Refused int `json:"refused"`
	// new flows that it took for live ones when they began: false positives of real traffic
	Known int `json:"known"`
	// flows that it still found right after their deletion
	Kept   int   `json:"kept"`
	Builds int   `json:"builds,omitempty"` // or rounds of refreshes
	Worst  Worst `json:"worst"`

	Growth *Growth      `json:"growth,omitempty"` // of a filter whose size is not fixed
	Shadow *audit.Stats `json:"shadow,omitempty"`
}

// complete reports whether the filter took and found every live flow.
func (t *Totals) complete() bool { return t.FalseNegatives+t.Refused == 0 }

// looks is how often a filter's rate is looked at while as many flows begin as were planned for:
// deletes only lower it, so that it is never higher than what a few more inserts make of it.
const looks = 32

// Worst is the highest rate of a filter: measured at samples, and between them that of its bits.
// These are looked at whenever a 32nd of the members was inserted, when the live flows reach their
// peak, and whenever the filter is about to be rebuilt, or one of its tables.
type Worst struct {
	Rate    float64 `json:"rate"`
	Seconds float64 `json:"seconds"`
	// it is complete, and its rate was never above the one to keep
	Keeps bool `json:"keeps_rate"`
	// Until is how many turnovers there were before it was first seen above the rate to keep.
	Until float64 `json:"until_turnovers,omitempty"`
}

// run puts flows through the filters.
type run struct {
	config  *Config
	traffic *Traffic
	key     key.Key
	filters []*subject
	live    *sets.Exact // the hashes of the live flows
	samples []Sample
	flows   int
	now     time.Duration
	peaked  bool // the peak of the live flows has been
	often   int  // inserts between two looks
	random  *rand.ChaCha8
}

// seeded returns the bytes of a seed, for a purpose.
func seeded(purpose string, seed uint64) (b [32]byte) {
	copy(b[8:], purpose)
	binary.LittleEndian.PutUint64(b[:], seed)
	return b
}

// Run runs filters on the flows of a stream of packets, which it opens twice: first to see what
// there is to plan for. With a synthesis, what is run is a trace that is made of what it saw. A
// damaged input is no error of Run: it is returned apart, and the report is about the packets
// before it.
func Run(c Config, open Source) (report *Report, damage, err error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	real, damage, err := look(open, c.Idle, c.Limit, c.Seed)
	if err != nil {
		return nil, nil, err
	}
	report = &Report{
		IdleSeconds: c.Idle.Seconds(), BitsPerKey: c.BitsPerKey, Rate: c.Rate,
		NonMembers:  c.NonMembers,
		Synthesised: c.Synthesis, Real: real, Traffic: real,
	}
	if damage != nil {
		report.Damage = damage.Error()
	}
	if c.Synthesis != nil {
		open = func() (capture.Headers, error) {
			return newSynthetic(real.patterns, *c.Synthesis,
				c.Limit, c.Progress)
		}
		var failed error
		if report.Traffic, failed, err = look(open, c.Idle, c.Limit, c.Seed); err != nil ||
			failed != nil {
			return nil, nil, cmp.Or(err, failed)
		}
	}
	if report.Plan, err = c.newPlan(report.Traffic); err != nil {
		return nil, nil, err
	}
	r, err := newRun(&c, report.Traffic, report.Plan)
	if err != nil {
		return nil, nil, err
	}
	t, _, err := follow(open, c.Idle, c.Limit, r) // the damage is known
	if err != nil {
		return nil, nil, err
	}
	if t.packets != report.Traffic.Packets {
		const text = "flows: found %d packets, expected the %d of the first pass: the input has " +
			"changed"
		return nil, nil, fmt.Errorf(text, t.packets.All, report.Traffic.Packets.All)
	}
	r.finish()
	report.Samples = r.samples
	for _, f := range r.filters {
		f.Worst.Keeps = f.Worst.Keeps && f.complete()
		if renewed, ok := f.contents().(*sets.Renewed); ok {
			f.Builds = renewed.Builds
		}
		if f.shadow != nil {
			f.shadow.Check(c.NonMembers)
			stats := f.shadow.Stats()
			f.Shadow = &stats
		}
		report.Totals = append(report.Totals, f.Totals)
	}
	if err := report.Real.trust(); err != nil {
		return report, errors.Join(damage, err), nil
	}
	report.Advice = report.advise()
	return report, damage, nil
}

func newRun(c *Config, traffic *Traffic, p *plan) (*run, error) {
	hashKey := seeded("flows: hash key", c.Seed)
	r := &run{
		config: c, traffic: traffic,
		key:    keytest.Key(hashKey[:]...),
		live:   new(sets.Exact),
		often:  max(1, p.Members/looks),
		random: rand.NewChaCha8(seeded("flows: non-members", c.Seed)),
	}
	var err error
	r.filters, err = newFilters(p, r.key, r.live, r.look)
	if err != nil || c.Shadow == 0 {
		return r, err
	}
	drawn := seeded("flows: sample", c.Seed)
	for _, f := range r.filters {
		if err := f.audit(c.Shadow, r.key.Hash(drawn[:])); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *run) hash(f *flow) uint64 {
	bytes := f.key.bytes()
	return r.key.Hash(bytes[:])
}

// began implements observer.
func (r *run) began(f *flow) {
	r.pass(f.first)
	hash := r.hash(f)
	for _, f := range r.filters {
		if f.QueryHash(hash) {
			f.Known++
		}
		_ = f.insert(hash) // it counts what it refuses
		f.weigh(r.now)
	}
	_, _ = r.live.InsertHash(hash) // it never fails
	r.flows++
	peak := r.live.Len() == r.traffic.Peak && !r.peaked
	if peak || r.flows%r.often == 0 {
		r.peaked = r.peaked || peak
		for _, f := range r.filters {
			r.look(f)
		}
	}
}

// look sees how high the rate of a filter is between samples.
func (r *run) look(f *subject) { r.note(f, f.state().Rate, r.now.Seconds()) }

// note takes a rate of a filter into account.
func (r *run) note(f *subject, rate, seconds float64) {
	w := &f.Worst
	if rate > r.config.Rate && w.Keeps {
		w.Keeps, w.Until = false, r.turnovers()
	}
	if rate > w.Rate {
		w.Rate, w.Seconds = rate, seconds
	}
}

func (r *run) turnovers() float64 { return r.traffic.turnovers(float64(r.flows)) }

// ended implements observer. A flow that the end of the packets cut stays live.
func (r *run) ended(f *flow, now time.Duration, why end) {
	r.pass(now)
	if why == cut {
		return
	}
	hash := r.hash(f)
	for _, filter := range r.filters {
		filter.find(hash)
		filter.remove(hash)
		filter.weigh(now)
		if filter.QueryHash(hash) {
			filter.Kept++
		}
	}
	r.live.DeleteHash(hash)
}

// pass takes the samples that are due before a time.
func (r *run) pass(at time.Duration) {
	r.now = at
	for len(r.samples) < r.config.Samples && r.due() < at {
		r.sample()
	}
}

// finish takes the samples that are left.
func (r *run) finish() {
	for len(r.samples) < r.config.Samples {
		r.sample()
	}
	for _, f := range r.filters {
		f.weigh(r.traffic.duration)
	}
}

// due returns when the next sample is: the last one is at the end.
func (r *run) due() time.Duration {
	return portion(r.traffic.duration, len(r.samples)+1, r.config.Samples)
}

// portion returns n/of of a duration, where 0 <= n <= of and 0 < of.
func portion(d time.Duration, n, of int) time.Duration {
	high, low := bits.Mul64(uint64(d), uint64(n))
	part, _ := bits.Div64(high, low, uint64(of)) // high < of, because d < 2^63
	return time.Duration(part)
}

func (r *run) sample() {
	s := Sample{Seconds: r.due().Seconds(), Members: r.live.Len(), Turnovers: r.turnovers()}
	s.Answers = make([]Answer, len(r.filters))
	for i, f := range r.filters {
		s.Answers[i].State = f.state()
		for hash := range r.live.All() {
			f.find(hash)
		}
		if f.shadow != nil {
			f.shadow.Check(0)
		}
	}
	nonMember := make([]byte, keyBytes)
	for range r.config.NonMembers {
		_, _ = r.random.Read(nonMember) // it never fails
		nonMember[0] = nonMemberKind
		hash := r.key.Hash(nonMember)
		for i, f := range r.filters {
			if f.QueryHash(hash) {
				s.Answers[i].FalsePositives++
			}
		}
	}
	for i, f := range r.filters {
		rate, _ := s.Answers[i].rate(r.config.NonMembers)
		r.note(f, rate, s.Seconds)
	}
	r.samples = append(r.samples, s)
}
