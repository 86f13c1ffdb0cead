package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
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

// inFlags returns the text of a command's error. One about a field of a sizing, a plan or a control
// plane is about its flag, if the command has one.
func inFlags(cmd *cobra.Command, err error) string {
	var sizing *filter.SizingError
	var input *planning.InputError
	var plane *inpacket.ConfigError
	switch {
	case errors.As(err, &sizing):
		input = &planning.InputError{Field: sizing.Field, Found: sizing.Found,
			Expected: sizing.Expected}
	case errors.As(err, &plane):
		input = &planning.InputError{Field: plane.Field, Found: plane.Found,
			Expected: plane.Expected}
	case !errors.As(err, &input):
		return err.Error()
	}
	for _, name := range flagsOfFields[input.Field] {
		if cmd.Flags().Lookup(name) != nil {
			const most = 100
			return fmt.Sprintf("--%s is %s, expected %s", name,
				legible.Cut(fmt.Sprint(input.Found), most), input.Expected)
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
