package command

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/inpacket"
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

// FieldNames are those of the fields.
var FieldNames = regexp.MustCompile(
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
	flags := FieldNames.ReplaceAllStringFunc(is, func(field string) string {
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

// LifetimeInput is the file of a lifetime, if it has one.
func LifetimeInput(text string) Input {
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return Input{}
	}
	return Input{"the lifetimes (--lifetime)", file}
}
