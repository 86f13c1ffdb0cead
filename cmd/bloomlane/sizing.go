package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/inpacket"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// sizingFlags are the flags that say how large a filter is to be.
type sizingFlags struct {
	members    int
	bitsPerKey float64
	rate       float64
	turnovers  float64
	reinserts  float64
	named      string // the lifetime, on the command line
	lifetime   planning.Lifetime
	byRate     bool
}

// oldest is the lifetime of members that are replaced in the order in which they came.
const oldest = "oldest"

// reinsertsUsage is the help text of the flags --reinserts.
const reinsertsUsage = "members inserted again per insert, without end, into blocks that are " +
	"refreshed"

func (s *sizingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	countVar(flags, &s.members, "members", "", 0,
		"members to plan for; at least as many as there are keys (default as many)")
	flags.Float64Var(&s.bitsPerKey, "bits-per-key", 16, "bits per planned member")
	rateVar(flags, &s.rate, "rate", 0, "size by the false-positive rate, above 0 and below 1")
	flags.Float64Var(&s.turnovers, "turnovers", 0,
		"turnovers of the members to plan for, until the filter is rebuilt")
	flags.Float64Var(&s.reinserts, "reinserts", 0, reinsertsUsage)
	flags.StringVar(&s.named, "lifetime", oldest, workload.LifetimeUsage)
	cmd.MarkFlagsMutuallyExclusive("bits-per-key", "rate")
	cmd.MarkFlagsMutuallyExclusive("turnovers", "reinserts")
}

// check finds what is wrong with the flags by themselves.
func (s *sizingFlags) check(cmd *cobra.Command) (err error) {
	s.byRate = cmd.Flags().Changed("rate")
	switch {
	case s.members < 0:
		return fmt.Errorf("--members is %d, expected at least 0", s.members)
	case s.byRate && !(s.rate > 0 && s.rate < 1): // so written, NaN fails it too
		return fmt.Errorf("--rate is %g, expected a number above 0 and below 1", s.rate)
	case !(s.bitsPerKey > 0):
		return fmt.Errorf("--bits-per-key is %g, expected a number above 0", s.bitsPerKey)
	}
	for _, flag := range []string{"turnovers", "reinserts"} { // the default keeps no rate so long
		if !s.byRate && !cmd.Flags().Changed("bits-per-key") && cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is given, expected --rate or --bits-per-key with it", flag)
		}
	}
	s.lifetime, err = workload.ParseLifetime(s.named, cmd.InOrStdin())
	return err
}

// sizing returns the sizing of a filter of the members that there are, or that are planned for.
func (s *sizingFlags) sizing(members int, k key.Key) filter.Sizing {
	sizing := filter.Sizing{
		Members: max(1, members, s.members), Turnovers: s.turnovers, Lifetime: s.lifetime,
		Reinserts: s.reinserts, Key: k,
	}
	if s.byRate {
		sizing.Rate = s.rate
	} else {
		sizing.BitsPerKey = s.bitsPerKey
	}
	return sizing
}

// flagsOfFields are the flags of each field of [filter.Sizing], [planning.Plan], [inpacket.Config]
// and audit's Config: the first one that a command has is meant.
var flagsOfFields = map[string][]string{
	"Members":    {"members", "sources"},
	"BitsPerKey": {"bits-per-key"},
	"Rate":       {"rate"},
	"Bytes":      {"bytes"},
	"Turnovers":  {"turnovers", "good-turnovers"},
	"Reinserts":  {"reinserts", "good-reinserts"},
	"Lifetime":   {"lifetime"},
	"Tables":     {"tables"},
	"FillLimit":  {"fill-limit"},
	"Every":      {"shadow"},
}

var fieldNames = regexp.MustCompile(
	`\b(Members|BitsPerKey|Rate|Bytes|Turnovers|Reinserts|Lifetime|Tables|FillLimit|Every)\b`)

// eitherField is what is expected of a choice between fields, which flags exclude.
var eitherField = regexp.MustCompile(`either it or .*`)

// inFlags returns the text of a command's error, in which fields of a sizing, a plan or a control
// plane have the names of their flags.
func inFlags(cmd *cobra.Command, err error) string {
	text := err.Error()
	var said string
	var sizing *filter.SizingError
	var input *planning.InputError
	var plane *inpacket.ConfigError
	var stragglers *rolling.StragglersError
	switch {
	case errors.As(err, &stragglers):
		return strings.Replace(text, stragglers.Error(),
			"its oldest generation may have members left, which only their "+
				"owner can list: rebuild makes a new filter from that list", 1)
	case errors.As(err, &sizing):
		said = sizing.Error()
	case errors.As(err, &input):
		said = input.Error()
	case errors.As(err, &plane):
		said = plane.Error()
	}
	_, is, _ := strings.Cut(said, ": ") // without the package or the kind
	is = eitherField.ReplaceAllString(is, "a number above 0")
	flags := fieldNames.ReplaceAllStringFunc(is, func(field string) string {
		for _, name := range flagsOfFields[field] {
			if cmd.Flags().Lookup(name) != nil {
				return "--" + name
			}
		}
		return field
	})
	if flags == is {
		return text
	}
	return strings.Replace(text, said, flags, 1)
}
