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
insert ever made, because bits of regions that collided are never cleared.`,
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
	PlannedRate float64 `json:"planned_rate"`
}

func newInfoResult(file string, info *deletable.Info) infoResult {
	return infoResult{
		File: file, Version: info.Version, Fingerprint: fmt.Sprintf("%016x", info.Fingerprint),
		Planned: info.Planned, Members: info.Members, Inserts: info.Inserts,
		Deleted: info.Deleted, Retained: info.Retained,
		Blocks: info.Blocks, Bytes: info.Bytes, Ones: info.Ones, Fill: info.Fill,
		Regions: info.Regions, Collided: info.Collided,
		Rate: info.Rate, PlannedRate: info.PlannedRate,
	}
}

func (r *infoResult) print(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		return writeJSON(cmd.OutOrStdout(), r)
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
		{"false positives", fmt.Sprintf("%s now, %s with the planned members and no deletes", percent(r.Rate), percent(r.PlannedRate))},
	})
}
