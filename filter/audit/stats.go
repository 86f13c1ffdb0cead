package audit

import (
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
)

// Stats is what an audit found so far. Nothing in it reveals a key.
type Stats struct {
	Every   int `json:"every"`   // the sample is one hash in Every
	Members int `json:"members"` // members of the filter in the sample
	Bytes   int `json:"bytes"`   // memory of the sample

	// Seeded says that the shadow knows all members of the sample. Until then only those that it
	// knows are judged.
	Seeded bool `json:"seeded"`

	AllInserts int `json:"all_inserts"` // all inserts, in the sample or not
	AllDeletes int `json:"all_deletes"` // all deletes, in the sample or not

	Inserts Answers `json:"inserts"` // in the sample; its Members were inserted again
	Deletes Answers `json:"deletes"` // in the sample; its FalsePositives may cost members their bits
	Queries Answers `json:"queries"` // single queries in the sample
	Batches Answers `json:"batches"` // batches of queries, in the groups that were looked at
	Checks  Answers `json:"checks"`  // queries by [Filter.Check]
}

// Answers counts the answers of the filter about keys that the audit knows.
type Answers struct {
	Members        int `json:"members"`         // answers about members
	FalseNegatives int `json:"false_negatives"` // those of them that were absent
	NonMembers     int `json:"non_members"`     // answers about non-members
	FalsePositives int `json:"false_positives"` // those of them that were present

	// Unknown counts the answers about keys of which the audit cannot tell: it does not know all
	// members, or a key was inserted more often than it can count.
	Unknown int `json:"unknown"`
}

// count counts an answer about a key whose state is known.
func (a *Answers) count(s state, present bool) {
	switch s {
	case member:
		a.Members++
		if !present {
			a.FalseNegatives++
		}
	case absent:
		a.NonMembers++
		if present {
			a.FalsePositives++
		}
	case doubt:
		a.Unknown++
	}
}

// plus returns the sum of a and b times sign, which may be -1.
func (a Answers) plus(b Answers, sign int) Answers {
	return Answers{
		a.Members + sign*b.Members, a.FalseNegatives + sign*b.FalseNegatives,
		a.NonMembers + sign*b.NonMembers, a.FalsePositives + sign*b.FalsePositives,
		a.Unknown + sign*b.Unknown,
	}
}

// Rate returns the rate of false positives: the part of the NonMembers that were present.
func (a Answers) Rate() Share { return share(a.FalsePositives, a.NonMembers) }

// Share is a part with its confidence interval of 95 %. If nothing was counted, Part is NaN, Low 0
// and High 1.
type Share struct{ Part, Low, High float64 }

// share returns k of n, with Wilson's interval.
func share(k, n int) Share {
	if n == 0 {
		return Share{math.NaN(), 0, 1}
	}
	const z = 1.959964
	m, p := float64(n), float64(k)/float64(n)
	middle := (p + float64(z*z/(2*m))) / (1 + z*z/m)
	root := math.Sqrt(float64(p*(1-p)/m) + float64(z*z/(4*m*m)))
	half := float64(z / (1 + z*z/m) * root)
	s := Share{p, max(0, middle-half), min(1, middle+half)}
	switch k { // where rounding leaves something
	case 0:
		s.Low = 0
	case n:
		s.High = 1
	}
	return s
}

// String returns the part and its interval in percent.
func (s Share) String() string {
	if math.IsNaN(s.Part) {
		return "unknown"
	}
	bound := func(part float64) string {
		if part >= 0.1 {
			return fmt.Sprintf("%.0f", 100*part) // two digits of 100 are 1e+02
		}
		return fmt.Sprintf("%.2g", 100*part)
	}
	return fmt.Sprintf("%.3g %% (%s to %s)", 100*s.Part, bound(s.Low), bound(s.High))
}

// All returns the number of answers.
func (a Answers) All() int { return a.Members + a.NonMembers + a.Unknown }

// InsertedTwice returns the part of the inserts that were of members. If some answers are Unknown,
// it is a lower bound.
func (s *Stats) InsertedTwice() Share { return share(s.Inserts.Members, s.Inserts.All()) }

// DeletedNonMembers returns the part of the deletes that were of non-members. If some answers are
// Unknown, it is a lower bound.
func (s *Stats) DeletedNonMembers() Share { return share(s.Deletes.NonMembers, s.Deletes.All()) }

// Sum returns the answers of all calls.
func (s *Stats) Sum() Answers {
	return s.Inserts.plus(s.Deletes, 1).plus(s.Queries, 1).plus(s.Batches, 1).plus(s.Checks, 1)
}

// AlarmError says that the filter has lost members: the contract of deletion was broken, or the
// filter is. The counts are of answers about members of the sample.
type AlarmError struct{ FalseNegatives, Members int }

func (e *AlarmError) Error() string {
	return fmt.Sprintf("audit: found %d false negatives in %d answers about members, expected none",
		e.FalseNegatives, e.Members)
}

// Alarm returns an *[AlarmError] if a member was not found, which is certain, and else nil.
func (s *Stats) Alarm() error {
	if a := s.Sum(); a.FalseNegatives > 0 {
		return &AlarmError{a.FalseNegatives, a.Members}
	}
	return nil
}

// Since returns what was found after earlier Stats of the same audit.
func (s Stats) Since(earlier Stats) Stats {
	s.AllInserts -= earlier.AllInserts
	s.AllDeletes -= earlier.AllDeletes
	s.Inserts = s.Inserts.plus(earlier.Inserts, -1)
	s.Deletes = s.Deletes.plus(earlier.Deletes, -1)
	s.Queries = s.Queries.plus(earlier.Queries, -1)
	s.Batches = s.Batches.plus(earlier.Batches, -1)
	s.Checks = s.Checks.plus(earlier.Checks, -1)
	return s
}

// String returns one line for people.
func (s Stats) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "members in a sample of 1/%d: %d", s.Every, s.Members)
	if !s.Seeded {
		text.WriteString(", not all known")
	}
	sum := s.Sum()
	if sum.FalseNegatives > 0 {
		fmt.Fprintf(&text, "; ALARM: %d false negatives in %d answers",
			sum.FalseNegatives, sum.Members)
	}
	for _, part := range []struct {
		name string
		Share
	}{
		{"inserted twice", s.InsertedTwice()}, {"deleted non-members", s.DeletedNonMembers()},
		{"false positives of single queries", s.Queries.Rate()}, {"of batches", s.Batches.Rate()},
		{"of new members", s.Inserts.Rate()}, {"of random keys", s.Checks.Rate()},
	} {
		if !math.IsNaN(part.Part) {
			fmt.Fprintf(&text, "; %s %v", part.name, part.Share)
		}
	}
	return text.String()
}

// LogValue returns the numbers as a group of attributes. It implements [slog.LogValuer].
func (s Stats) LogValue() slog.Value {
	attributes := []slog.Attr{
		slog.Int("every", s.Every), slog.Int("members", s.Members),
		slog.Bool("seeded", s.Seeded),
		slog.Int("false_negatives", s.Sum().FalseNegatives),
	}
	for _, part := range []struct {
		name string
		Share
	}{
		{"inserted_twice", s.InsertedTwice()}, {"deleted_non_members", s.DeletedNonMembers()},
		{"rate_queries", s.Queries.Rate()}, {"rate_batches", s.Batches.Rate()},
		{"rate_inserts", s.Inserts.Rate()}, {"rate_checks", s.Checks.Rate()},
	} {
		if !math.IsNaN(part.Part) {
			attributes = append(attributes, slog.Float64(part.name, part.Part))
		}
	}
	return slog.GroupValue(attributes...)
}

// Stats returns what the audit found so far. For a closed filter it is zero.
func (f *Filter) Stats() Stats {
	if f.Closed() {
		return Stats{}
	}
	return Stats{
		Every: 1 << f.sample.shift, Members: f.sample.members, Bytes: f.sample.bytes(),
		Seeded:     f.seeded,
		AllInserts: int(f.inserts), AllDeletes: int(f.deletes),
		Inserts: f.inserted, Deletes: f.deleted,
		Queries: f.queried.get(), Batches: f.batched.get(), Checks: f.checks.get(),
	}
}

// tally is Answers that any number of goroutines count.
type tally struct{ members, falseNegatives, nonMembers, falsePositives, unknown atomic.Int64 }

func (t *tally) add(a Answers) {
	t.members.Add(int64(a.Members))
	t.falseNegatives.Add(int64(a.FalseNegatives))
	t.nonMembers.Add(int64(a.NonMembers))
	t.falsePositives.Add(int64(a.FalsePositives))
	t.unknown.Add(int64(a.Unknown))
}

func (t *tally) get() Answers {
	return Answers{
		int(t.members.Load()), int(t.falseNegatives.Load()), int(t.nonMembers.Load()),
		int(t.falsePositives.Load()), int(t.unknown.Load()),
	}
}
