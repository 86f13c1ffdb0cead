package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	registers "github.com/bloomlane/bloomlane/hdl/register"
)

// renderMap adds the files of the map of registers: Verilog, Go, C and a page.
func renderMap(files map[string][]byte) error {
	var verilog, golang, c, page bytes.Buffer
	verilog.WriteString("// " + generated + `
//
// The map of the registers, of package hdl/register: windows, and registers by their offset in one.
` + "`ifndef BLOOMLANE_MAP_VH\n`define BLOOMLANE_MAP_VH\n")
	golang.WriteString("// " + generated + `

package register

// The addresses of the windows, and of the registers, each with its window's.
const (
`)
	c.WriteString("/*\n * " + generated + `
 *
 * The map of the registers, of package hdl/register: addresses in bytes.
 */
#ifndef BLOOMLANE_MAP_H
#define BLOOMLANE_MAP_H
`)
	page.WriteString("<!-- " + generated + ` -->
# Registers

Each window of 4 KiB belongs to a module, at its place among the targets of [bloomlane_bus](rtl/bloomlane_bus.v).
Addresses are in bytes, and registers have 32 bits. A read of what is not here is 0, and a write is refused: SLVERR at
AXI4-Lite, as for a write without all four byte strobes, or of another address than a multiple of 4. A register without
the access R reads as 0.
`)
	for _, w := range registers.Windows {
		fmt.Fprintf(&verilog, "\n// %s: %s\n", w.Module, w.Text)
		fmt.Fprintf(&verilog, "`define BLOOMLANE_WINDOW_%-13s 16'h%04x\n", w.Name, w.Offset)
		fmt.Fprintf(&golang, "\n%sWindow = 0x%04x // %s\n\n", camel(w.Name), w.Offset, w.Text)
		fmt.Fprintf(&c, "\n/* %s: %s */\n", w.Module, w.Text)
		fmt.Fprintf(&c, "#define BLM_%s_WINDOW 0x%04x\n", w.Name, w.Offset)
		note := w.Note
		if note != "" {
			note = ": " + note
		}
		fmt.Fprintf(&page, "\n## 0x%04x: %s\n\n[%s](rtl/%s.v)%s\n\n"+
			"| address | words | name | access | |\n| --- | ---: | --- | --- | --- |\n",
			w.Offset, w.Text, w.Module, w.Module, note)
		for _, r := range w.Registers {
			address := w.Offset + r.Offset
			fmt.Fprintf(&verilog, "`define BLOOMLANE_AT_%-17s 16'h%04x // %s\n", r.Name, r.Offset,
				r.Text)
			fmt.Fprintf(&golang, "%s = 0x%04x // %s\n", camel(r.Name), address, r.Text)
			fmt.Fprintf(&c, "#define BLM_AT_%-15s 0x%04x /* %s */\n", r.Name, address, r.Text)
			fmt.Fprintf(&page, "| 0x%04x | %d | `%s` | %s | %s |\n", address, r.Words, r.Name,
				r.Access, r.Text)
		}
	}
	for _, id := range []struct {
		name  string
		value uint32
	}{{"ID_VALUE", registers.IDValue}, {"VERSION_VALUE", registers.VersionValue}} {
		fmt.Fprintf(&verilog, "\n`define BLOOMLANE_%-20s 32'h%08x\n", id.name, id.value)
		fmt.Fprintf(&c, "\n#define BLM_%s 0x%08x\n", id.name, id.value)
	}
	verilog.WriteString("\n`endif\n")
	golang.WriteString(")\n")
	c.WriteString("\n#endif\n")
	source, err := format.Source(golang.Bytes())
	if err != nil {
		return fmt.Errorf("the map in Go: %w", err)
	}
	files["hdl/rtl/bloomlane_map.vh"] = verilog.Bytes()
	files["hdl/register/addresses.go"] = source
	files["c/bloomlane_map.h"] = c.Bytes()
	files["hdl/registers.md"] = page.Bytes()
	return nil
}

// camel returns the name of a register in Go.
func camel(name string) string {
	if len(name) < 3 {
		return name // ID, OP
	}
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(part[:1] + strings.ToLower(part[1:]))
	}
	return b.String()
}
