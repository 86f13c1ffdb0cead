package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

func newInfoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info FILE",
		Short: "Check a filter's file and print its statistics",
		Long: `Check a filter's file and print its statistics. The hash key is not needed. FILE "-" is
standard input. Of every kind there are its promises, members, size, fill and false-positive
rate; what follows is of deletable filters.

The false-positive rate now is counted in the bits that are set. It grows with every
insert ever made, because bits of regions that collided are never cleared.

A turnover is as many inserts as there are planned members. What is left of the planned
ones is said by the rate now: how many more until the rate is the planned one. A rebuild is
due when there were more inserts than planned: rebuild makes it, from the list of the members.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := openWith(cmd, args[0], key.Key{})
			if err != nil {
				return err
			}
			defer f.Close()
			return newInfoResult(args[0], f).print(cmd)
		},
	}
}

// infoResult is what info prints.
type infoResult struct {
	File        string  `json:"file"`
	Kind        string  `json:"kind"`
	Promises    string  `json:"promises"`
	Version     int     `json:"version"`
	Fingerprint string  `json:"key_fingerprint"` // a string: a JSON number loses digits
	Members     int     `json:"members"`
	Bytes       int     `json:"bytes"`
	Fill        float64 `json:"fill"`
	Rate        float64 `json:"rate"`
	Due         bool    `json:"rebuild_due"`

	*DecayInfo // of a deletable filter
}

// DecayInfo is what info prints of a filter that decays as members come and go.
type DecayInfo struct {
	Planned     int     `json:"planned_members"`
	Inserts     int     `json:"inserts"`
	Deleted     int     `json:"deleted"`
	Retained    int     `json:"retained"`
	Blocks      int     `json:"blocks"`
	Ones        int     `json:"ones"`
	Regions     int     `json:"regions"`
	Collided    int     `json:"collided_regions"`
	PlannedRate float64 `json:"planned_rate"` // at the end of the planned turnovers

	Turnovers        float64 `json:"turnovers"`
	PlannedTurnovers float64 `json:"planned_turnovers"`
	TurnoversLeft    float64 `json:"turnovers_left"` // by the rate now
	Deletable        float64 `json:"deletable"`      // expected part of the members
}

func newInfoResult(path string, f *opened) *infoResult {
	s := f.State()
	r := &infoResult{
		File: path, Kind: f.kind.Name, Promises: f.kind.Promises.String(), Version: f.version,
		Fingerprint: fmt.Sprintf("%016x", f.fingerprint), Members: members(s), Bytes: s.Bytes,
		Fill: s.Fill, Rate: s.Rate, Due: dueOf(f.Stored) != nil,
	}
	decaying, ok := f.Stored.(interface{ Health() deletable.Health })
	if !ok {
		return r
	}
	h := decaying.Health()
	r.Members, r.Fill, r.Rate = h.Members, h.Fill, h.Rate
	r.DecayInfo = &DecayInfo{
		Planned: h.Planned, Inserts: h.Inserts, Deleted: h.Deleted, Retained: h.Retained,
		Blocks: h.Blocks, Ones: h.Ones, Regions: h.Regions, Collided: h.Collided, PlannedRate: h.PlannedRate,
		Turnovers: h.Turnovers, PlannedTurnovers: h.PlannedTurnovers, TurnoversLeft: h.TurnoversLeft,
		Deletable: h.Deletable,
	}
	return r
}

func (r *infoResult) print(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	rows := [][2]string{
		{"filter", fmt.Sprintf("%s, file version %d", pathName(r.File), r.Version)},
		{"kind", r.Kind + ": " + r.Promises},
		{"hash key", "fingerprint " + r.Fingerprint},
	}
	if d := r.DecayInfo; d != nil {
		rows = append(rows, d.rows(r)...)
	} else {
		rows = append(rows,
			[2]string{"members", fmt.Sprint(r.Members)},
			[2]string{"size", quantity.Of(r.Bytes, "byte")},
			[2]string{"fill", quantity.Percent(r.Fill)},
			[2]string{"false positives", falsePositives(r.Rate, 0, 0)})
	}
	return writeTable(cmd.OutOrStdout(), rows)
}

func (d *DecayInfo) rows(r *infoResult) [][2]string {
	turnovers := fmt.Sprintf("%.3g made, none planned", d.Turnovers)
	if d.PlannedTurnovers > 0 {
		turnovers = fmt.Sprintf("%.3g made, %.4g planned, %.3g left by the rate now",
			d.Turnovers, d.PlannedTurnovers, d.TurnoversLeft)
	}
	collided := quantity.Percent(float64(d.Collided) / float64(d.Regions))
	return [][2]string{
		{"members", plannedFor(r.Members, d.Planned)},
		{"inserts", fmt.Sprintf("%d ever made", d.Inserts)},
		{"deletes", fmt.Sprintf("%d cleared bits, %d %s retained", d.Deleted, d.Retained, were(d.Retained))},
		{"size", quantity.Of(r.Bytes, "byte") + ", " + quantity.Of(d.Blocks, "block")},
		{"bits set", fmt.Sprintf("%d, %s of the data bits", d.Ones, quantity.Percent(r.Fill))},
		{"regions", fmt.Sprintf("%d of %d collided, %s", d.Collided, d.Regions, collided)},
		{"false positives", falsePositives(r.Rate, d.PlannedRate, d.PlannedTurnovers)},
		{"turnovers", turnovers},
		{"deletable", quantity.Percent(d.Deletable) + " of the members, expected"},
		{"rebuild", rebuildDue(r.Due)},
	}
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// falsePositives tells the rate now and the planned one, where that is known.
func falsePositives(now, planned, turnovers float64) string {
	if planned == 0 {
		return quantity.Percent(now) + " now"
	}
	when := "with the planned members and no deletes"
	if turnovers > 0 {
		when = fmt.Sprintf("planned after %.4g turnovers", turnovers)
	}
	return fmt.Sprintf("%s now, %s %s", quantity.Percent(now), quantity.Percent(planned), when)
}

// rebuildDue tells whether a rebuild is due.
func rebuildDue(due bool) string {
	if due {
		return "due: there were more inserts than planned"
	}
	return "not due"
}
