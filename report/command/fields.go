package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/internal/legible"
)

// Oldest is the lifetime of members that are replaced in the order in which they came.
const Oldest = "oldest"

// ReinsertsUsage is the help text of the flags --reinserts.
const ReinsertsUsage = "members inserted again per insert, without end, into blocks that are " +
	"refreshed"

// CheckBlockBits returns an error unless blocks have that many bits.
func CheckBlockBits(bits int) error {
	if bits != 256 && bits != 512 {
		return fmt.Errorf("--block-bits is %d, expected 256 or 512", bits)
	}
	return nil
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

// inFlags returns the text of a command's error. What it says of a field of a sizing, a plan or a
// control plane, it says of the flag.
func inFlags(cmd *cobra.Command, err error) string {
	var sizing *filter.SizingError
	var input *planning.InputError
	var plane *inpacket.ConfigError
	var stragglers *rolling.StragglersError
	switch {
	case errors.As(err, &stragglers):
		return strings.Replace(err.Error(), stragglers.Error(),
			"its oldest generation may have members left, which only their "+
				"owner can list: rebuild makes a new filter from that list", 1)
	case errors.As(err, &sizing):
		return ofFlag(cmd, err, sizing, sizing.Field, sizing.Found, sizing.Expected)
	case errors.As(err, &input):
		return ofFlag(cmd, err, input, input.Field, input.Found, input.Expected)
	case errors.As(err, &plane):
		return ofFlag(cmd, err, plane, plane.Field, plane.Found, plane.Expected)
	}
	return err.Error()
}

// ofFlag returns the text of an error, in which a part speaks of the flag of a field.
func ofFlag(cmd *cobra.Command, err, part error, field string, found any, expected string) string {
	for _, name := range flagsOfFields[field] {
		if cmd.Flags().Lookup(name) != nil {
			const most = 100
			flag := fmt.Sprintf("--%s is %s, expected %s", name,
				legible.Cut(fmt.Sprint(found), most), expected)
			return strings.Replace(err.Error(), part.Error(), flag, 1)
		}
	}
	return err.Error()
}

// LifetimeInput is the file of a lifetime, if it has one.
func LifetimeInput(text string) Input {
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return Input{}
	}
	return Input{"the lifetimes (--lifetime)", file}
}
