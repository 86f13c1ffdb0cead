package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

func newInfoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info FILE",
		Short: "Check a filter's file and print its statistics",
		Long: `Check a filter's file and print its statistics. The hash key is not needed.

The false-positive rate now is counted in the bits that are set. It grows with every
insert ever made, because bits of regions that collided are never cleared.

A turnover is as many inserts as there are planned members. What is left of the planned
ones is said by the rate now: how many more until the rate is the planned one. A rebuild is
due when there were more inserts than planned.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := deletable.Inspect(args[0])
			if err != nil {
				return err
			}
			result := newInfoResult(args[0], &info)
			return result.print(cmd)
		},
	}
}

// infoResult is what info prints.
type infoResult struct {
	File        string  `json:"file"`
	Version     int     `json:"version"`
	Fingerprint string  `json:"key_fingerprint"` // a string: a JSON number loses digits
	Planned     int     `json:"planned_members"`
	Members     int     `json:"members"`
	Inserts     int     `json:"inserts"`
	Deleted     int     `json:"deleted"`
	Retained    int     `json:"retained"`
	Blocks      int     `json:"blocks"`
	Bytes       int     `json:"bytes"`
	Ones        int     `json:"ones"`
	Fill        float64 `json:"fill"`
	Regions     int     `json:"regions"`
	Collided    int     `json:"collided_regions"`
	Rate        float64 `json:"rate"`
	PlannedRate float64 `json:"planned_rate"` // at the end of the planned turnovers

	Turnovers        float64 `json:"turnovers"`
	PlannedTurnovers float64 `json:"planned_turnovers"`
	TurnoversLeft    float64 `json:"turnovers_left"` // by the rate now
	Deletable        float64 `json:"deletable"`      // expected part of the members
	Due              bool    `json:"rebuild_due"`
}

func newInfoResult(file string, info *deletable.Info) infoResult {
	return infoResult{
		File: file, Version: info.Version, Fingerprint: fmt.Sprintf("%016x", info.Fingerprint),
		Planned: info.Planned, Members: info.Members, Inserts: info.Inserts,
		Deleted: info.Deleted, Retained: info.Retained,
		Blocks: info.Blocks, Bytes: info.Bytes, Ones: info.Ones, Fill: info.Fill,
		Regions: info.Regions, Collided: info.Collided,
		Rate: info.Rate, PlannedRate: info.PlannedRate,
		Turnovers: info.Turnovers, PlannedTurnovers: info.PlannedTurnovers, TurnoversLeft: info.TurnoversLeft,
		Deletable: info.Deletable, Due: info.Due != nil,
	}
}

func (r *infoResult) print(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	turnovers := fmt.Sprintf("%.3g made, none planned", r.Turnovers)
	if r.PlannedTurnovers > 0 {
		turnovers = fmt.Sprintf("%.3g made, %.4g planned, %.3g left by the rate now", r.Turnovers, r.PlannedTurnovers, r.TurnoversLeft)
	}
	return writeTable(cmd.OutOrStdout(), [][2]string{
		{"filter", fmt.Sprintf("%s, format version %d", r.File, r.Version)},
		{"hash key", "fingerprint " + r.Fingerprint},
		{"members", fmt.Sprintf("%d, planned for %d", r.Members, r.Planned)},
		{"inserts", fmt.Sprintf("%d ever made", r.Inserts)},
		{"deletes", fmt.Sprintf("%d cleared bits, %d were retained", r.Deleted, r.Retained)},
		{"size", fmt.Sprintf("%d bytes, %d blocks", r.Bytes, r.Blocks)},
		{"bits set", fmt.Sprintf("%d, %s of the data bits", r.Ones, percent(r.Fill))},
		{"regions", fmt.Sprintf("%d of %d collided, %s", r.Collided, r.Regions, percent(float64(r.Collided)/float64(r.Regions)))},
		{"false positives", falsePositives(r.Rate, r.PlannedRate, r.PlannedTurnovers)},
		{"turnovers", turnovers},
		{"deletable", percent(r.Deletable) + " of the members, expected"},
		{"rebuild", rebuild(r.Due)},
	})
}

// falsePositives tells the rate now and the planned one.
func falsePositives(now, planned, turnovers float64) string {
	when := "with the planned members and no deletes"
	if turnovers > 0 {
		when = fmt.Sprintf("planned after %.4g turnovers", turnovers)
	}
	return fmt.Sprintf("%s now, %s %s", percent(now), percent(planned), when)
}

// rebuild tells whether a rebuild is due.
func rebuild(due bool) string {
	if due {
		return "due: there were more inserts than planned"
	}
	return "not due"
}
