package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError says that a flag of the command line has a value that it cannot have.
type FlagError struct {
	Flag     string // without its dashes
	Found    string
	Expected string
}

func (e *FlagError) Error() string {
	return fmt.Sprintf("--%s is %q, expected %s", e.Flag, e.Found, e.Expected)
}

// UnknownFlagError says that a command has no such flag.
type UnknownFlagError struct {
	Flag    string // with its dashes
	Command string
}

func (e *UnknownFlagError) Error() string {
	const text = "found %s, expected a flag of %[2]s (%[2]s --help lists them)"
	return fmt.Sprintf(text, e.Flag, e.Command)
}

// Expectations says for the types of flags what their values are.
var Expectations = map[string]string{
	"bool":     "true or false",
	"count":    "a whole number, such as 1000, 1e6 or 10M",
	"duration": "a time, such as 500ms, 10s or 1m30s",
	"float64":  "a number, such as 2 or 0.5",
	"intSlice": "whole numbers, such as 16,24",
	"int":      "a whole number",
	"share":    "a share, such as 0.01, 1e-6 or 1%",
	"uint64":   "a whole number, at least 0",
}

// flagError returns an error of the flag library in the words of this command.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		flag := "--" + unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			flag = "-" + letters
		}
		return &UnknownFlagError{flag, cmd.CommandPath()}
	case errors.As(err, &bare):
		return fmt.Errorf("found --%s without a value, expected one", bare.GetFlag().Name)
	case errors.As(err, &syntax):
		return &UnknownFlagError{syntax.GetSpecifiedFlag(), cmd.CommandPath()}
	case errors.As(err, &value):
		flag := value.GetFlag()
		expected := Expectations[flag.Value.Type()]
		if errors.Is(err, strconv.ErrRange) {
			expected = "a smaller number"
		}
		return &FlagError{flag.Name, value.GetValue(), expected}
	}
	return err
}

// countFlag is a number of things: 1000, 1e6, or 1k, 1M and 1G for a thousand, a million and a
// billion.
type countFlag int

// CountVar adds a flag for a number of things.
func CountVar(flags *pflag.FlagSet, p *int, name, short string, value int, usage string) {
	*p = value
	flags.VarP((*countFlag)(p), name, short, usage)
}

func (c *countFlag) Type() string   { return "count" }
func (c *countFlag) String() string { return strconv.Itoa(int(*c)) }

func (c *countFlag) Set(text string) error {
	number := text
	for suffix, exponent := range map[string]string{"k": "e3", "K": "e3", "M": "e6", "G": "e9"} {
		if digits, found := strings.CutSuffix(text, suffix); found {
			number = digits + exponent
		}
	}
	switch n, err := strconv.Atoi(number); {
	case err == nil:
		*c = countFlag(n)
		return nil
	case errors.Is(err, strconv.ErrRange):
		return err
	}
	// A float is exact up to here, so that no digit of a count is lost.
	const most = min(1<<53, math.MaxInt)
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return err
	case math.Trunc(v) != v || strings.ContainsAny(number, "xXpP_"): // NaN is no whole number
		return strconv.ErrSyntax
	case math.Abs(v) > most:
		return strconv.ErrRange
	}
	*c = countFlag(v)
	return nil
}

// rateFlag is a share, in percent too: 0.01 or 1%.
type rateFlag float64

// RateVar adds a flag for a share.
func RateVar(flags *pflag.FlagSet, p *float64, name string, value float64, usage string) {
	*p = value
	flags.Var((*rateFlag)(p), name, usage)
}

func (r *rateFlag) Type() string   { return "share" }
func (r *rateFlag) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

func (r *rateFlag) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	if percent {
		number = strings.TrimSuffix(number, " ")
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return err
	}
	if percent {
		v /= 100
	}
	*r = rateFlag(v)
	return nil
}
