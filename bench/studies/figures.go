package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/report"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/bench/studies/streams"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

func newFiguresCommand() *cobra.Command {
	var machines, studies, picture string
	command := &cobra.Command{
		Use:   "figures PAGE...",
		Short: "Write the figures of all recordings into pages of Markdown again",
		Long: `Write the figures of all recordings into pages of Markdown again, between the lines
that say which. A test fails where a page has others.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, pages []string) error {
			for _, name := range pages {
				page, err := withFigures(name, machines, studies)
				if err != nil {
					return err
				}
				err = atomicfile.Write(name, 0o666, func(w io.Writer) error {
					_, err := io.WriteString(w, page)
					return err
				})
				if err != nil {
					return err
				}
			}
			if picture == "" {
				return nil
			}
			all, err := report.ReadAll(machines)
			if err != nil {
				return err
			}
			drawn := report.BesidePicture(readme(all), besides(nil))
			if drawn == nil {
				return fmt.Errorf("%s has no recording of filters beside each other", machines)
			}
			return atomicfile.Write(picture, 0o666, drawn.WriteSVG)
		},
	}
	command.Flags().StringVar(&machines, "bench", "bench/results",
		"the folder of the folders with recordings of bench")
	command.Flags().StringVar(&studies, "studies", "bench/studies/results",
		"the folder of the folders with recordings of studies")
	command.Flags().StringVar(&picture, "picture", "",
		"draw queries of filters beside each other into this file too")
	return command
}

// readmeMachine is the machine whose filters the README compares.
const readmeMachine = "amd-epyc-zen5"

// readme returns the recording of that machine, or an empty one.
func readme(all []report.Recording) report.Recording {
	for _, r := range all {
		if r.Name == readmeMachine {
			return r
		}
	}
	return report.Recording{Run: new(result.Run)}
}

// besideBits are the bits per key at which a page says what deletes leave: of the sizes that were
// measured, the least that all libraries that delete have.
const besideBits = 24

// withFigures returns a page with the figures of the recordings in the folders of two folders: of
// machines, to whose pages it links, and of studies.
func withFigures(name, machines, studies string) (string, error) {
	page, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	if name, err = filepath.Abs(name); err != nil { // from which any folder is reached
		return "", err
	}
	if machines, err = filepath.Abs(machines); err != nil {
		return "", err
	}
	all, err := report.ReadAll(machines)
	if err != nil {
		return "", err
	}
	for i := range all {
		link, err := filepath.Rel(filepath.Dir(name), all[i].Link)
		if err != nil {
			return "", err
		}
		all[i].Link = filepath.ToSlash(link)
	}
	blocks, err := streams.Blocks(studies)
	if err != nil {
		return "", err
	}
	left, turnovers, err := streams.Left(studies, besideBits)
	if err != nil {
		return "", err
	}
	recipes, err := report.Recipes(filepath.Join(machines, "recipes"))
	if err != nil {
		return "", err
	}
	maps.Copy(blocks, recipes)
	maps.Copy(blocks, report.Blocks(all))
	blocks["readme-peers"] = report.BesideTable(readme(all), besides(left), turnovers)
	text, err := report.Figures(string(page), blocks)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// besides says of each filter that is timed on keys of bytes what no recording of times does.
func besides(left map[string]string) map[string]report.Beside {
	about := map[string]report.Beside{}
	for _, p := range slices.Concat(peer.OursOfBytes(), library.All()) {
		name := p.Name
		if p.Module == peer.OursOfBytes()[0].Module { // however it gets its keys
			name = streams.Subject(left, strings.TrimSuffix(name, "-single"))
		}
		about[p.Name] = report.Beside{Deletes: p.Deletes, Left: left[name], Limits: p.Limits(),
			Table: p.Table}
	}
	return about
}
