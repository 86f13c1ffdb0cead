package main

import (
	"bytes"
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
)

// paramsHead is the head of the header that every Verilog module includes.
const paramsHead = "// " + generated + `
//
// The constants of format version 1, as package fallback has them, and the codes of the operations
// on the RTL's ports. The result of a query or an insert is 0 (absent) or 1 (present), that of a
// delete is one of its statuses, that of a pass is 0.
` + "`ifndef BLOOMLANE_PARAMS_VH\n`define BLOOMLANE_PARAMS_VH\n"

// renderParams returns the parameter header of the RTL.
func renderParams() []byte {
	var b bytes.Buffer
	b.WriteString(paramsHead)
	comment := func(text string) { fmt.Fprintf(&b, "\n// %s\n", text) }
	define := func(name, value string) {
		fmt.Fprintf(&b, "`define BLOOMLANE_%-11s %s\n",
			name, value)
	}

	comment("Lanes of a block, lane 0 the collision lane, and k, the bits that a key owns.")
	define("LANES", fmt.Sprint(fallback.Lanes))
	define("DATA_LANES", fmt.Sprint(fallback.K))

	comment("g = h * MULTIPLIER mod 2^64.")
	define("MULTIPLIER", fmt.Sprintf("64'h%016x", uint64(fallback.Multiplier)))

	comment("Status of a delete.")
	define("ABSENT", fmt.Sprintf("2'd%d", fallback.Absent))
	define("RETAINED", fmt.Sprintf("2'd%d", fallback.Retained))
	define("DELETED", fmt.Sprintf("2'd%d", fallback.Deleted))

	comment("Operations. A pass leaves the block alone.")
	for code, name := range []string{"QUERY", "INSERT", "DELETE", "PASS"} {
		define(name, fmt.Sprintf("2'd%d", code))
	}
	b.WriteString("\n`endif\n")
	return b.Bytes()
}
