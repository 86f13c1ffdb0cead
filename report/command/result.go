package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// WantsJSON reports whether the command was called with --json.
func WantsJSON(cmd *cobra.Command) bool {
	wants, err := cmd.Flags().GetBool("json")
	return err == nil && wants
}

// writeJSON writes a result as one JSON object and a newline, indented for people.
func writeJSON(w io.Writer, result any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(result); err != nil {
		return err
	}
	_, err := w.Write(legible.EscapeJSON(text.Bytes()))
	return err
}

// PrintResult writes a result as text, or with --json as one object. A terminal gets no control
// characters.
func PrintResult(cmd *cobra.Command, w io.Writer, result fmt.Stringer) error {
	if WantsJSON(cmd) {
		return writeJSON(w, result)
	}
	text := result.String()
	if IsTerminal(w) {
		text = legible.EscapeLines(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// PrintReport prints the report of a command that read an input, and writes its record, also where
// nobody reads what it prints. What ended the input before its end is bad input, and what failed is
// that the answer is no.
func PrintReport(
	cmd *cobra.Command,
	w io.Writer,
	report fmt.Stringer,
	input string,
	damage, failure error,
) error {
	printed := PrintResult(cmd, w, report)
	if err := cmp.Or(printed, writeRecord(cmd, report, cmp.Or(damage, failure))); err != nil {
		return err
	}
	if damage != nil {
		return fmt.Errorf("%s: %w", input, damage)
	}
	if failure != nil {
		return fmt.Errorf("%w: %w", failure, ErrNo)
	}
	return nil
}

// Table returns names and values, a line each, whatever the values are.
func Table(rows ...[2]string) string {
	var lines [][]string
	for _, row := range rows {
		lines = append(lines, []string{row[0], legible.Escape(row[1])})
	}
	return pivot.Text(pivot.Lines(lines))
}
