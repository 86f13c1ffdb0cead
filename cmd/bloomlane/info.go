package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

func newInfoCommand() *cobra.Command {
	var due bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Check a filter's file and print its statistics",
		Long: `Check a filter's file and print its statistics. The hash key is not needed.

FILE "-" is standard input. For each kind of filter there are its promises, members, size, fill (the
share of its bits that are set) and false-positive rate, and the memory pages that its table is on:
queries of large tables are faster on huge pages. Some kinds have lines of their own.

The rate of a deletable filter grows with every insert: a region, the bits at one position of a
block, is collided if two keys share one of its bits, and no delete clears bits there. A turnover is
as many inserts as there are planned members. "left" is how many more turnovers there are until the
rate is the planned one. A rebuild is due after more inserts than planned; "bloomlane rebuild" makes
it from the list of the members. If re-inserts are planned, the owner refreshes the blocks in turn,
and no rebuild is due. "left" is then how long the filter keeps its rate without refreshes.

Exit codes: 0 done; 1 with --due: a rebuild is due; 2 bad input or usage, or a file cannot be read
or written.`,
		Example: `  bloomlane info keys.blm
  bloomlane info keys.blm --due > /dev/null; [ $? -ne 1 ] || echo "rebuild keys.blm"
  bloomlane info - < keys.blm`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := openWith(cmd, args[0], key.Unknown())
			if err != nil {
				return err
			}
			defer f.Close()
			result, err := newInfoResult(args[0], f)
			if err != nil {
				return err
			}
			if err := command.PrintResult(cmd, cmd.OutOrStdout(), result); err != nil {
				return err
			}
			if err := dueOf(f.Stored); due && err != nil {
				return fmt.Errorf("%s: %w", whatIsDue(f.path, err), command.ErrNo)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&due, "due", false, "exit with code 1 if a rebuild is due")
	return cmd
}

// infoResult is what info prints.
type infoResult struct {
	made
	Promises    string  `json:"promises"`
	Version     int     `json:"version"`
	Hash        string  `json:"key_hash"`        // the hash function
	Fingerprint string  `json:"key_fingerprint"` // a string: a JSON number loses digits
	Fill        float64 `json:"fill"`
	Pages       *pages  `json:"pages"` // null where the system does not tell

	*RegionInfo // of a filter with regions
	*DecayInfo  // of a deletable filter
	*BoughtInfo // of a retouched filter
}

// BoughtInfo is what info prints of a retouched filter.
type BoughtInfo struct {
	Cleared int `json:"cleared"` // bits
	Lost    int `json:"lost"`    // members
}

// RegionInfo is what info prints of a filter whose regions collide.
type RegionInfo struct {
	Inserts      int     `json:"inserts"`
	Deleted      int     `json:"deleted"`
	Retained     int     `json:"retained"`
	Ones         int     `json:"ones"`
	Regions      int     `json:"regions"`
	Collided     int     `json:"collided_regions"`
	Deletability float64 `json:"deletability"` // expected part of the members
}

// DecayInfo is what info prints of a filter that decays as members come and go, as planned.
type DecayInfo struct {
	Blocks        int     `json:"blocks"`
	Made          float64 `json:"turnovers"`
	TurnoversLeft float64 `json:"turnovers_left"` // by the rate now
}

// pages is what pages the table of an opened filter is on.
type pages struct {
	Huge   float64 `json:"huge"`          // the part on huge ones
	Mapped bool    `json:"mapped"`        // the file itself is mapped, not read into memory
	Why    string  `json:"why,omitempty"` // there are no huge ones
}

// pagesOf asks for them, best after the table was read: a mapping has none before.
func pagesOf(f filter.Stored) (*pages, error) {
	c, err := f.Contents()
	if err != nil {
		return nil, err
	}
	var parts [][]uint64
	for _, section := range c.Sections {
		parts = append(parts, section.Words)
	}
	p, known := hugepage.Of(parts...)
	runtime.KeepAlive(c)
	if !known {
		return nil, nil
	}
	return &pages{p.Huge, p.Mapped, p.Why}, nil
}

func (p *pages) String() string {
	if p == nil {
		return "unknown"
	}
	where := "in memory"
	if p.Mapped {
		where = "mapped file"
	}
	if p.Huge == 0 {
		return fmt.Sprintf("small (%s: %s)", where, p.Why)
	}
	return fmt.Sprintf("%s huge, %s", quantity.Percent(p.Huge), where)
}

func newInfoResult(path string, f *opened) (*infoResult, error) {
	r := &infoResult{
		made: describe(f.Stored), Promises: f.kind.Promises.String(), Version: f.version,
		Hash: f.identity.Algorithm.String(), Fill: f.State().Fill,
		Fingerprint: fmt.Sprintf("%016x", f.identity.Fingerprint),
	}
	r.by("", f.kind.Name, path, "")
	switch g := f.Stored.(type) {
	case interface{ Health() deletable.Health }:
		h := g.Health()
		r.Fill = h.Fill
		r.RegionInfo = &RegionInfo{h.Inserts, h.Deleted, h.Retained, h.Ones, h.Regions,
			h.Collided, h.Deletability}
		r.DecayInfo = &DecayInfo{h.Blocks, h.Turnovers, h.TurnoversLeft}
	case *retouched.Filter:
		r.BoughtInfo = &BoughtInfo{g.Cleared(), g.Lost()}
	case *dlbf.Filter:
		s := g.Stats()
		r.Fill = float64(s.Ones) / float64(s.Shape.Cells())
		r.RegionInfo = &RegionInfo{
			s.Inserts, s.Deleted, s.Retained, s.Ones, s.Shape.UsedRegions(),
			s.Collided, s.Deletability,
		}
	}
	var err error
	r.Pages, err = pagesOf(f.Stored)
	return r, err
}

func (r *infoResult) String() string {
	size, i, d := quantity.Of(r.Bytes, "byte"), r.RegionInfo, r.DecayInfo
	if d != nil {
		size += ", " + quantity.Of(d.Blocks, "block")
	}
	rows := [][2]string{
		{"filter", fmt.Sprintf("%s, file version %d", command.PathName(string(r.File)), r.Version)},
		{"kind", r.Kind + ": " + r.Promises},
		{"hash key", r.Hash + ", fingerprint " + r.Fingerprint},
		{"members", plannedFor(r.Members, r.Planned)},
		{"size", size},
		{"fill", quantity.Percent(r.Fill)},
		{"false positives", r.falsePositives()},
		{"pages", r.Pages.String()},
	}
	if b := r.BoughtInfo; b != nil {
		const text = "%s cleared, %s lost"
		rows = append(rows,
			[2]string{"retouched", fmt.Sprintf(text, quantity.Of(b.Cleared, "bit"),
				quantity.Of(b.Lost, "member"))})
	}
	if i == nil {
		return command.Table(rows...)
	}
	ever := "in all"
	if r.Reinserts > 0 {
		ever = "made, less those that refreshes forgot"
	}
	rows[5] = [2]string{"bits set", fmt.Sprintf("%d, %s of the data bits", i.Ones,
		quantity.Percent(r.Fill))}
	collided := quantity.Percent(float64(i.Collided) / float64(i.Regions))
	rows = append(rows, [][2]string{
		{"regions", fmt.Sprintf("%d of %d collided, %s: no delete clears bits there", i.Collided,
			i.Regions, collided)},
		{"inserts", fmt.Sprintf("%d %s", i.Inserts, ever)},
		{"deletes", fmt.Sprintf("%d cleared bits, %d retained: queries still find them",
			i.Deleted, i.Retained)},
	}...)
	deletability := [2]string{"deletability", quantity.Percent(i.Deletability) +
		" of the members, expected"}
	if d == nil {
		return command.Table(append(rows, deletability)...)
	}
	turnovers := fmt.Sprintf("%.3g made, none planned", d.Made)
	switch {
	case r.Turnovers > 0:
		const text = "%.3g made, %.4g planned, %.3g left by the rate now"
		turnovers = fmt.Sprintf(text, d.Made, r.Turnovers, d.TurnoversLeft)
	case r.Reinserts > 0:
		const text = "%.3g made since refreshes, planned without end, %.3g left by the rate now " +
			"without re-inserts"
		turnovers = fmt.Sprintf(text, d.Made, d.TurnoversLeft)
	}
	return command.Table(append(rows, [2]string{"turnovers", turnovers}, deletability,
		[2]string{"rebuild", rebuildDue(r.Due)})...)
}
