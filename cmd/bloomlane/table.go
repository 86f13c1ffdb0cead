package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// writeTable writes names and values, a line each.
func writeTable(w io.Writer, rows [][2]string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%s\n", row[0], row[1])
	}
	return table.Flush()
}
