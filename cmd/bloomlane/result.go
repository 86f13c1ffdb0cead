package main

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// made is what build, merge, intersect and rebuild print of the filter that they made.
type made struct {
	File       command.Path `json:"file"`
	Kind       string       `json:"kind"`
	KeyFile    command.Path `json:"key_file,omitempty"`
	KeyCreated bool         `json:"key_created,omitempty"`
	Keys       int          `json:"keys,omitempty"`           // read
	Duplicates int          `json:"duplicates,omitempty"`     // among them, dropped unless Counted
	Counted    bool         `json:"counted,omitempty"`        // the kind counts how often a key came
	Merged     int          `json:"merged_filters,omitempty"` // by merge, or intersect
	Members    int          `json:"members"`
	Planned    int          `json:"planned_members,omitempty"` // 0: the kind does not say
	Bytes      int          `json:"bytes"`
	Rate       float64      `json:"rate"` // of false positives now
	Turnovers  float64      `json:"planned_turnovers"`
	Reinserts  float64      `json:"planned_reinserts,omitempty"` // per insert, forever
	// after the turnovers; 0: the kind does not say
	PlannedRate   float64 `json:"planned_rate,omitempty"`
	Due           bool    `json:"rebuild_due"`
	MembersBefore int     `json:"members_before,omitempty"` // rebuild
	RateBefore    float64 `json:"rate_before,omitempty"`

	how string // it was made: the command
}

// by says how the filter was made, and where it and its key are.
func (m *made) by(how, kind, file, keyFile string) {
	m.how, m.Kind, m.File, m.KeyFile = how, kind, command.Path(file), command.Path(keyFile)
}

// describe tells of a filter what its kind does.
func describe(f filter.Stored) made {
	due := dueOf(f) != nil
	if decaying, ok := f.(interface{ Stats() deletable.Stats }); ok {
		s := decaying.Stats() // by the bits, where the kind counts these
		return made{Members: s.Members, Bytes: s.Bytes, Rate: s.Rate, Planned: s.Planned,
			Turnovers: s.PlannedTurnovers, Reinserts: s.PlannedReinserts,
			PlannedRate: s.PlannedRate, Due: due}
	}
	s := f.State()
	_, counted := f.(filter.Counter)
	return made{Members: members(s), Bytes: s.Bytes, Rate: s.Rate, Counted: counted, Due: due}
}

// members returns the members of a filter, to the nearest.
func members(s filter.State) int { return int(s.Members + 0.5) }

// dueOf returns the error of a filter that is due for a rebuild; nil where it is not, or its kind
// never is.
func dueOf(f filter.Stored) error {
	if decaying, ok := f.(interface{ Due() error }); ok {
		return decaying.Due()
	}
	return nil
}

func (m made) String() string {
	name, keyNote, size := command.OutputName(string(m.File)), "", quantity.Of(m.Bytes, "byte")
	switch {
	case m.Merged > 0:
		name += fmt.Sprintf(", of %d filters", m.Merged)
	case m.how == "rebuild":
		name += ", rebuilt"
	}
	switch {
	case m.KeyCreated && m.Merged > 0:
		keyNote = " (copied: keep it secret)"
	case m.KeyCreated:
		keyNote = " (new: keep it, and keep it secret)"
	}
	if m.Planned > 0 {
		size += fmt.Sprintf(", %.4g bits per planned member", 8*float64(m.Bytes)/float64(m.Planned))
	}
	rows := [][2]string{{"filter", name}, {"kind", m.Kind},
		{"hash key", command.PathName(string(m.KeyFile)) + keyNote}}
	if m.Merged == 0 {
		were := fmt.Sprintf("%d were duplicates", m.Duplicates)
		if m.Duplicates == 1 {
			were = "1 was a duplicate"
		}
		if m.Counted && m.Duplicates > 0 {
			were += map[bool]string{true: ", which is counted",
				false: ", which are counted"}[m.Duplicates == 1]
		}
		rows = append(rows, [2]string{"keys read", fmt.Sprintf("%d, of which %s", m.Keys, were)})
	}
	rows = append(rows, [2]string{"members", plannedFor(m.Members, m.Planned)},
		[2]string{"size", size}, [2]string{"false positives", m.falsePositives()},
		[2]string{"rebuild", rebuildDue(m.Due)})
	if m.how == "rebuild" {
		before := fmt.Sprintf("%s, %s of false positives", quantity.Of(m.MembersBefore, "member"),
			quantity.Percent(m.RateBefore))
		rows = append(rows, [2]string{"before", before})
	}
	return command.Table(rows...)
}

// plannedFor tells how many members there are, and for how many the filter was planned, where that
// is known.
func plannedFor(members, planned int) string {
	if planned == 0 {
		return fmt.Sprint(members)
	}
	return fmt.Sprintf("%d, planned for %d", members, planned)
}

// falsePositives tells the rate now and the planned one, where that is known.
func (m *made) falsePositives() string {
	if m.PlannedRate == 0 {
		return quantity.Percent(m.Rate) + " now"
	}
	when := "with the planned members and no deletes"
	switch {
	case m.Turnovers > 0:
		when = "planned after " + quantity.Part(m.Turnovers, "turnover")
	case m.Reinserts > 0:
		when = "planned forever, with " + quantity.Part(m.Reinserts, "re-insert") + " per insert"
	}
	return fmt.Sprintf("%s now, %s %s", quantity.Percent(m.Rate),
		quantity.Percent(m.PlannedRate), when)
}

// rebuildDue tells whether a rebuild is due.
func rebuildDue(due bool) string {
	if due {
		return "due: there were more inserts than planned"
	}
	return "not due"
}
