package cosim

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/hdl"
)

// A mutant is a mistake that is planted in the RTL, to see that the co-simulation catches it.
type mutant struct {
	name  string
	bench string // the bench that must catch it
	file  string
	// part is a piece of the file that occurs in it once, with ‹› around what is wrong there:
	// an expression, or statements where it ends in a semicolon.
	part string
	// bad is what stands there instead. At its end may be, between ‹›, what it needs declared.
	bad string
}

// sourceOf returns a file of package hdl, or of its folder that the file's name begins with.
func sourceOf(file string) (string, error) {
	if folder, _, _ := strings.Cut(file, "_"); folder != "bloomlane" {
		content, err := os.ReadFile(filepath.Join("..", folder, file))
		return string(content), err
	}
	content, err := fs.ReadFile(hdl.RTL, file)
	return string(content), err
}

// All mutants of a bench are in one build, in which the argument +mutant=N chooses: an expression
// becomes ((mutant == N) ? (bad) : (good)). The sources on disk are never touched.
func plant(mutants []mutant) (map[string]string, error) {
	type span struct{ start, end int }
	type choice struct {
		n   int
		bad string
	}
	spans := map[string]map[span][]choice{}
	declared := map[string]string{}
	for i, m := range mutants {
		content, err := sourceOf(m.file)
		if err != nil {
			return nil, err
		}
		before, rest, open := strings.Cut(m.part, "‹")
		good, behind, closed := strings.Cut(rest, "›")
		if !open || !closed {
			return nil, fmt.Errorf("%s: no ‹› in %q", m.name, m.part)
		}
		anchor := before + good + behind
		if n := strings.Count(content, anchor); n != 1 {
			return nil, fmt.Errorf("%s no longer applies: %s has %q %d times, want once", m.name,
				m.file, anchor, n)
		}
		start := strings.Index(content, anchor) + len(before)
		if spans[m.file] == nil {
			spans[m.file] = map[span][]choice{}
		}
		at := span{start, start + len(good)}
		bad, declaration, _ := strings.Cut(strings.TrimSuffix(m.bad, "›"), "‹")
		spans[m.file][at] = append(spans[m.file][at], choice{i + 1, bad})
		declared[m.file] += declaration
	}
	sources := map[string]string{}
	for file, places := range spans {
		content, err := sourceOf(file)
		if err != nil {
			return nil, err
		}
		text := content
		sorted := make([]span, 0, len(places))
		for at := range places {
			sorted = append(sorted, at)
		}
		slices.SortFunc(sorted, func(a, b span) int { return cmp.Compare(b.start, a.start) })
		for i, s := range sorted {
			if i > 0 && s.end > sorted[i-1].start {
				return nil, fmt.Errorf("%s: two mutants overlap at %q", file, text[s.start:s.end])
			}
			good := content[s.start:s.end]
			var changed strings.Builder
			if strings.HasSuffix(good, ";") {
				for _, c := range places[s] {
					fmt.Fprintf(&changed, "if (mutant == %d) begin %s end else ", c.n, c.bad)
				}
				fmt.Fprintf(&changed, "begin %s end", good)
			} else {
				for _, c := range places[s] {
					fmt.Fprintf(&changed, "(mutant == %d) ? (%s) : ", c.n, c.bad)
				}
				changed.WriteString("(" + good + ")")
				changed.WriteString(")")
				head := changed.String()
				changed.Reset()
				changed.WriteString("(" + head)
			}
			text = text[:s.start] + changed.String() + text[s.end:]
		}
		// The choice is declared where the module's ports end.
		end := regexp.MustCompile(`(?m)^\);$`).FindStringIndex(text)
		if end == nil {
			return nil, fmt.Errorf("%s: the list of ports has no end", file)
		}
		sources[file] = text[:end[1]] + "\n    integer mutant;\n    initial if " +
			"(!$value$plusargs(\"mutant=%d\", mutant)) mutant = 0;\n" +
			declared[file] + text[end[1]:]
	}
	for file, text := range tops() {
		sources[file] = text
	}
	return sources, nil
}

// replaced returns the model with sources in place of its own.
func (m Model) replaced(sources map[string]string) Model {
	all := map[string]string{}
	maps.Copy(all, m.Sources)
	maps.Copy(all, sources)
	m.Sources = all
	return m
}

// Every planted mistake that no rule of generated_test.go makes is caught, and without one the same build agrees.
func TestMutants(t *testing.T) {
	onlyLong(t)
	byBench := map[string][]mutant{}
	for _, m := range slices.Concat(mutants, controlMutants, countMutants) {
		byBench[m.bench] = append(byBench[m.bench], m)
	}
	for name, planted := range byBench {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := slices.IndexFunc(benches, func(b bench) bool { return b.name == name })
			if place < 0 {
				t.Fatal("there is no such bench")
			}
			b := benches[place]
			sources, err := plant(planted)
			if err != nil {
				t.Fatal(err)
			}
			b.model = b.model.replaced(sources)
			for i := range len(planted) + 1 {
				s := start(t, b.model, fmt.Sprintf("+mutant=%d", i))
				err := b.check(s, random(), b.short())
				_ = s.Close() // a mutant may fail in any way
				switch {
				case i == 0 && err != nil:
					t.Fatalf("without a mutant: %v", err)
				case i > 0 && (err == nil || errors.Is(err, errNarrow)):
					t.Errorf("%s survives (%v)", planted[i-1].name, err)
				case i > 0:
					t.Logf("%s: %v", planted[i-1].name, err)
				}
			}
		})
	}
}

// A mutant whose place is not there exactly once, or overlaps another's, is an error.
func TestPlant(t *testing.T) {
	const file = "bloomlane_query.v"
	good := mutant{file: file, part: "assign present = ‹~|(mask & ~block)›;", bad: "1'b1"}
	sources, err := plant([]mutant{good, {file: file, part: "present = ‹~|(mask & ~block)›;",
		bad: "1'b0"}})
	if want := "assign present = ((mutant == 1) ? (1'b1) : (mutant == 2) ? (1'b0) : (~|(mask & " +
		"~block)));"; err != nil || !strings.Contains(sources[file], want) {
		t.Errorf("%v, %s; want %s", err, sources[file], want)
	}
	for _, bad := range []mutant{
		{file: "none.v", part: "‹x›"},
		{file: file, part: "no marks"},
		{file: file, part: "‹not there›"},
		{file: file, part: "‹block›"},
		{file: file, part: "(‹mask› & ~block)"},
	} {
		if _, err := plant([]mutant{good, bad}); err == nil {
			t.Errorf("%+v is planted", bad)
		}
	}
}

var mutants = []mutant{
	{"the guard lets bad frames leave", "guard-wait", "bloomlane_guard.v",
		".in_drop  (‹verdict || beat_bad›),", "verdict"},
	{"the guard waits for no verdict", "guard-wait", "bloomlane_guard.v",
		"wire            decided = ‹!beat_last || verdict_valid›;", "1'b1"},
	{"the guard takes the rest of a frame for one", "guard-wait", "bloomlane_guard.v",
		"inside_reg <= ‹inside_next›;", "inside_next && !rst"},
	{"sources behind service tags are unknown", "guard-wait", "bloomlane_source.v",
		"ether_type == 16'h8100 || ‹ether_type == 16'h88a8› ||", "1'b0"},
	{"sources behind tags of type 9200 are unknown", "guard-wait", "bloomlane_source.v",
		"‹ether_type == 16'h9200›;", "1'b0"},
	{"IPv4 with four words is a header", "guard-wait", "bloomlane_source.v",
		"‹words >= 4'd5›", "words >= 4'd4"},
	{"IPv4 with 19 bytes is a header", "guard-wait", "bloomlane_source.v", "‹header_keep[HEADER+19]›",
		"header_keep[HEADER+18]"},
	{"IPv6 with 39 bytes is a header, in the second beat", "guard-wait",
		"bloomlane_source.v", "‹header_keep[5]›", "header_keep[4]"},
	{"a result for the host is a verdict", "guard-wait", "bloomlane_list.v",
		"assign out_valid  = ‹frame_reg[TABLE-1]›;", "frame_reg[TABLE-1] || done_reg[TABLE-1]"},
	{"the element's registers take fewer words", "registers-300", "bloomlane_control.v",
		"is_element = ‹element_at < WORD_BYTES[15:0]›;", "element_at < WORD_BYTES[12:0] - 8"},
	{"an element is shorter by three bits", "registers-300", "bloomlane_control.v",
		"assign program_mask  = ‹element_reg›;", "element_reg & {BITS{1'b1}} >> 3"},
	{"a port's key is shorter by three bits", "registers-300", "bloomlane_control.v",
		"assign port_key    = ‹element_reg[KEY-1:0]›;", "element_reg[KEY-1:0] & {KEY{1'b1}} >> 3"},
	{"a number of a port has 8 bits", "registers-300", "bloomlane_control.v",
		"assign port_number = ‹bus_data[SELECT-1:0]›;", "bus_data[7:0]"},
	{"ports are 256", "registers-300", "bloomlane_control.v",
		"{16'd0, bus_data[15:0]} < ‹PORTS› &&", "(PORTS & 256)"},
	{"a key has eight words", "registers-300", "bloomlane_control.v",
		"{16'd0, key_at} + 32'd4 <= ‹KEY_BYTES›;", "(KEY_BYTES >> 1)"},
	{"the length of a field has 5 bits", "siphash-1-3-40", "bloomlane_siphash.v",
		"-: 8] = ‹LENGTH[7:0]›;", "LENGTH[4:0]"},
	{"a number of a block has 8 bits", "table-bus-w32-512", "bloomlane_table_port.v",
		"assign turn_index = ‹block_reg›;", "block_reg & 255"},
	{"two flips in a clock count once", "table-bus-w32-banks", "bloomlane_table_port.v",
		"flipped_reg <= ‹flipped_reg + {31'd0, flipped[0]} + {31'd0, flipped[BANKS-1] && BANKS == 2}›;",
		"flipped_reg + |flipped"},
	{"a flip that an operation finds is not counted", "table-bus-w32-banks", "bloomlane_table.v",
		".flipped    (‹flipped›),", "flipped & ~answers"},
	{"no operation is told of a flip", "table-bus-w32-banks", "bloomlane_table.v",
		"assign out_flipped = ‹|(answers & flipped)›;", "1'b0"},
	{"the guard's tkeep is rotated", "guard-wait", "bloomlane_guard.v",
		".in_data  (‹beat[BEAT-2:0]›),",
		"{beat[BEAT-2:9*DATA_BYTES], beat[9*DATA_BYTES-2:8*DATA_BYTES], beat[9*DATA_BYTES-1], beat[8*DATA_BYTES-1:0]}"},
	{"a source waits more often than the host needs", "guard-wait", "bloomlane_guard.v",
		"turn_reg     <= DROP_FULL == 0 && host_waits && ‹over› && !turn_reg;", "1'b1"},
	{"a frame is dropped for the host at once", "guard-drop", "bloomlane_guard.v",
		"host_waits && over && ‹&waited_reg›;", "1'b1"},
	{"no frame is dropped for the host", "guard-drop", "bloomlane_guard.v",
		"host_waits && over && ‹&waited_reg›;", "1'b0"},
	{"a bit of the guard's tid is lost", "guard-8", "bloomlane_guard.v",
		"in_beat[ID_AT +: ID_WIDTH] = ‹s_axis_tid›;", "s_axis_tid & ~3'd1"},
	{"the guard's tdest is that of the first bit twice", "guard-8", "bloomlane_guard.v",
		"in_beat[DEST_AT +: DEST_WIDTH] = ‹s_axis_tdest›;", "{2{s_axis_tdest[0]}}"},
	{"a bad frame is one by its first user bit alone", "guard-8", "bloomlane_guard.v",
		"beat_bad  = ‹beat[USER_AT]›;", "|beat[USER_AT +: USER_WIDTH]"},
	{"a gathered header has a beat less", "guard-8", "bloomlane_source.v",
		"beat_reg + 4'd1 == ‹END[3:0]›);", "END[3:0] - 4'd1"},
	{"a gathered header has bytes of the frame before", "guard-8", "bloomlane_source.v",
		"‹keep_reg[DATA_BYTES*i +: DATA_BYTES] <= {DATA_BYTES{1'b0}};›", ";"},
	{"the guard's counters outlive a later reset", "guard-wait", "bloomlane_guard.v",
		"(.COUNTERS(5)) counters (\n        .clk       (clk), .rst(‹rst›),",
		"rst && !once‹ reg once = 1'b0; always @(posedge clk) once <= once || open_reg;›"},
	{"a hole of the guard takes a write", "guard-wait", "bloomlane_guard.v",
		"target_error[2:0]   = ‹{3{bus_write}}›;", "3'd0"},
	{"a hole of the guard reads ones", "guard-wait", "bloomlane_guard.v",
		"target_answer[95:0] = ‹96'd0›;", "{96{1'b1}}"},
	{"a hole of the guard does not answer", "guard-wait", "bloomlane_guard.v",
		"target_ready[2:0]   = ‹3'b111›;", "3'b000"},
	{"the list's answer outlives a reset", "guard-wait", "bloomlane_list.v",
		"‹host_result_reg <= 2'd0;›", ";"},
	{"the list's address outlives a reset", "guard-wait", "bloomlane_list.v",
		"‹host_address_reg[127-32*w -: 32] <= 32'd0;›", ";"},
	{"the table takes operations without a key", "guard-wait", "bloomlane_list.v",
		"assign ready     = ‹clean && whole›;", "clean"},
	{"query ignores the collision lane of a mask", "core-w32", "bloomlane_query.v",
		"assign present = ‹~|(mask & ~block)›;",
		"~|(mask[`BLOOMLANE_LANES*W-1:W] & ~block[`BLOOMLANE_LANES*W-1:W])"},
	{"query accepts a missing top bit", "core-w32", "bloomlane_query.v",
		"assign present = ‹~|(mask & ~block)›;", "~|((mask & ~block) << 1)"},
	{"insert does not mark collisions", "core-w32", "bloomlane_merge.v",
		"{{`BLOOMLANE_DATA_LANES*W{1'b0}}, ‹collided›}", "{W{1'b0}}"},
	{"insert marks a collision in the next lane", "merge-w64", "bloomlane_merge.v",
		"assign merged = ‹(x | y) | {{`BLOOMLANE_DATA_LANES*W{1'b0}}, collided}›;",
		"(x | y) | ({{`BLOOMLANE_DATA_LANES*W{1'b0}}, collided} << W)"},
	{"merge forgets lane 7 of the collisions", "merge-w64", "bloomlane_merge.v",
		"lane < ‹`BLOOMLANE_LANES›; lane", "`BLOOMLANE_LANES - 1"},
	{"a skipped insert of what is visible", "core-w32", "bloomlane_core.v",
		"assign after = inserting ? ‹inserted› :", "present ? block : inserted"},
	{"delete clears collided bits", "core-w32", "bloomlane_core.v",
		"free    = ‹data & ~{`BLOOMLANE_LANES{block[W-1:0]}}›;", "data"},
	{"delete reads the collisions of the next column", "core-w32", "bloomlane_core.v",
		"free    = ‹data & ~{`BLOOMLANE_LANES{block[W-1:0]}}›;",
		"data & ~{`BLOOMLANE_LANES{block[W-2:0], block[W-1]}}"},
	{"delete clears what is absent", "core-w32", "bloomlane_core.v",
		"‹deleting && present› ? cleared", "deleting"},
	{"delete clears the mask's collision lane", "core-w32", "bloomlane_core.v",
		"data    = ‹{mask[BITS-1:W], {W{1'b0}}}›;", "mask"},
	{"retained and deleted are swapped", "core-w32", "bloomlane_core.v",
		"deleting && ‹|free›", "!(|free)"},
	{"a pass has a result", "core-w32", "bloomlane_core.v",
		"‹op == `BLOOMLANE_PASS› ? 2'd0", "1'b0"},

	{"a delete clears the collisions", "core-w32", "bloomlane_core.v",
		"cleared = ‹block & ~free›;", "block & ~free & {{BITS-W{1'b1}}, {W{!(|free)}}}"},
	{"an insert ignores the mask's collision lane", "core-w32", "bloomlane_core.v",
		".y(‹mask›)", "data"},
	{"the pipeline does not mark collisions", "pipe-w32-3-positions", "bloomlane_pipe.v",
		"collided_column = ‹collided_column | data[W*i +: W] & block[W*(i+1) +: W]›;",
		"collided_column"},
	{"the pipeline looks for bits one lane off", "pipe-w32-3-positions", "bloomlane_pipe.v",
		"missing_column  = missing_column  | data[W*i +: W] & ‹~block[W*(i+1) +: W]›;",
		"~block[W*i +: W]"},
	{"the pipeline deletes what is absent", "pipe-w32-3-positions", "bloomlane_pipe.v",
		"compared_inserting | ‹compared_deleting & present›", "compared_deleting"},
	{"a pass through the pipeline has a result", "pipe-w32-3-positions", "bloomlane_pipe.v",
		"{1'b0, ‹present & ~compared_passing›}", "present"},
	{"a group's missing bits hide the next one's", "pipe-w32-3-positions", "bloomlane_pipe.v",
		"present = ‹~|missing›;", "~^missing"},
	{"the pipeline inserts what is there alone", "pipe-w32-3-positions", "bloomlane_pipe.v",
		"reduced_toggle & {DATA{‹go›}}", "(go && |result)"},
	{"lanes of the positions in the wrong order", "pipe-w32-3-positions", "bloomlane_mask.v",
		"<< ‹positions[B*(`BLOOMLANE_DATA_LANES-i) +: B]›;", "positions[B*(i-1) +: B]"},

	{"a lookup off by one bit", "match-positions-w32-8-3", "bloomlane_hit.v",
		"hit[i] = ‹bits[position]›;", "bits[position ^ 1]"},
	{"a write hits two ports", "match-positions-w32-8-3", "bloomlane_match.v",
		"write && ‹write_port == NUMBER›", "write_port[1:0] == NUMBER[1:0]"},
	{"a matcher ignores the fill limit", "match-positions-w32-8-3", "bloomlane_match.v",
		"gated_valid && ‹!overfull›}}", "1'b1"},
	{"matches come a clock early", "match-positions-w32-8-3", "bloomlane_match.v",
		"ports_reg     <= ‹waiting_reg[(WAIT-1)*PORTS +: PORTS]› &", "waiting_reg[PORTS-1:0]"},
	{"the fill limit off by one", "match-positions-w32-8-3", "bloomlane_fill.v",
		".in(‹total > limit›)", "total >= limit"},
	{"a bit of each sixteen is not counted", "match-positions-w32-8-3", "bloomlane_fill.v",
		"bit_of < ‹16›;", "15"},
	{"a mask's write is not kept", "match-masks-w32-5-4", "bloomlane_match.v",
		"key_reg    <= ‹write_key›;", "key_reg | write_key"},
	{"a matcher of masks ignores their collision lane", "match-masks-w32-5-4", "bloomlane_hit.v",
		"assign hit[i] = ‹~|(key[W*i +: W] & ~block[W*i +: W])›;",
		"(i == 0) | ~|(key[W*i +: W] & ~block[W*i +: W])"},
	{"a port that is enabled late matches the header before", "match-masks-w32-5-4",
		"bloomlane_match.v", "matched[p] = ‹enable_then› &&", "enable_reg"},
	{"a gap names ports", "match-positions-w32-8-3", "bloomlane_match.v",
		"& {PORTS{‹gated_valid› && !overfull}}", "1'b1"},
	{"an overfull header outlives a reset", "match-positions-w32-8-3", "bloomlane_match.v",
		"‹overfull_reg  <= 1'b0;›", "overfull_reg <= overfull_reg;"},
	{"a port without an element of lane 7 matches", "match-positions-w32-8-3",
		"bloomlane_match.v", "matched[p] = enable_then && ‹&hit_then›;",
		"&hit_then[`BLOOMLANE_LANES-2:0]"},
	{"the number of a table is read modulo 32", "match-masks-w64-3-4-of-64", "bloomlane_match.v",
		"key_reg    <= memory[‹in_table›];", "in_table & 31"},
	{"the number of a table is written modulo 32", "match-masks-w64-3-4-of-64",
		"bloomlane_match.v", "memory[‹write_table›]      <= write_key;", "write_table & 31"},
	{"a port is enabled in another table", "match-masks-w64-3-4-of-64", "bloomlane_match.v",
		"enable_reg <= enables_reg[‹in_table›];", "in_table ^ 1"},
	{"a port is taken out of every table", "match-masks-w64-3-4-of-64", "bloomlane_match.v",
		"‹enables_reg[write_table] <= write_enable;›",
		"enables_reg <= (enables_reg | 1 << write_table) & {TABLES{write_enable}};"},
	{"the ports of one table stay enabled after a reset", "match-masks-w64-3-4-of-64",
		"bloomlane_match.v", "enables_reg <= ‹{TABLES{1'b0}}›;", "enables_reg & 1 << TABLES - 1"},
	{"a write of a table hits every port", "match-masks-w64-3-4-of-64", "bloomlane_match.v",
		"written = write && ‹write_port == NUMBER›;", "1'b1"},
	{"the ones are those of the header behind", "match-masks-w64-3-4-of-64", "bloomlane_match.v",
		".bits(‹header›), .limit", "in_header"},
	{"a header is matched before its table is read", "match-masks-w64-3-4-of-64",
		"bloomlane_match.v", ".block(‹header›)", "in_header"},
	{"a header is answered before its table is read", "match-masks-w64-3-4-of-64",
		"bloomlane_match.v", "gated_valid = ‹valid_reg[READ+COUNT-1]›;", "valid_reg[COUNT-1]"},

	{"headers outlive a reset", "match-positions-w32-8-3", "bloomlane_match.v",
		"‹valid_reg     <= {READ+COUNT{1'b0}};›", "valid_reg <= valid_reg;"},
	{"a header of a reset's clock outlives it", "match-positions-w32-8-3", "bloomlane_match.v",
		"‹out_valid_reg <= 1'b0;›", "out_valid_reg <= out_valid_reg;"},
	{"a match outlives a reset", "match-positions-w32-8-3", "bloomlane_match.v",
		"‹ports_reg     <= {PORTS{1'b0}};›", "ports_reg <= ports_reg;"},
	{"a write of a reset's clock enables a port", "match-masks-w32-5-4", "bloomlane_match.v",
		"if (‹rst›) enable_reg", "rst && !write"},

	{"the field's bytes from the wrong end of a beat", "inline-w32-8b-14", "bloomlane_inline.v",
		"in_byte[8*k +: 8] = ‹in_beat_reg[8*BYTE +: 8]›;",
		"in_beat_reg[8*(DATA_BYTES-1-BYTE) +: 8]"},
	{"lanes leave little-endian", "inline-w32-8b-14", "bloomlane_inline.v",
		"= ‹result_field[HIGH -: 8]›;", "result_field[W*(BYTE/LANE_BYTES) + " +
			"8*(BYTE%LANE_BYTES) +: 8]"},
	{"tkeep is dropped", "inline-w32-8b-14", "bloomlane_inline.v",
		"‹beat[BEAT-1:DATA]›, data_next}),", "{beat[BEAT-1:ID_AT], {DATA_BYTES{1'b1}}}"},
	{"tid and user stand on the last beat alone", "inline-w32-8b-14", "bloomlane_inline.v",
		"‹beat[BEAT-1:DATA]›, data_next}),",
		"{beat[BEAT-1:ID_AT] & {BEAT-ID_AT{taken_last_reg}}, beat[ID_AT-1:DATA]}"},
	{"user is cut from tuser one bit off", "inline-w32-8b-14", "bloomlane_inline.v",
		"in_beat[USER_AT +: USER_WIDTH] = ‹s_axis_tuser[USER_WIDTH-1:0]›;",
		"s_axis_tuser[USER_WIDTH:1]"},
	{"the result stands where a MAC has its bad-frame flag", "inline-w32-8b-14",
		"bloomlane_inline.v", "m_axis_tuser                 = ‹{out_flags, " +
			"out_beat[USER_AT +: USER_WIDTH]}›;", "{out_beat[USER_AT +: USER_WIDTH], out_flags}"},
	{"tdest is tid", "inline-w32-8b-14", "bloomlane_inline.v",
		"in_beat[DEST_AT +: DEST_WIDTH] = ‹s_axis_tdest›;", "s_axis_tid"},
	{"a bit of tid is lost", "inline-w32-8b-14", "bloomlane_inline.v",
		"m_axis_tid = ‹out_beat[ID_AT +: ID_WIDTH]›;", "out_beat[ID_AT +: ID_WIDTH] & ~3'd1"},
	{"a result is used up by the field's first beat", "inline-w32-8b-14", "bloomlane_inline.v",
		"result_take = beat_take && ‹beat_last›;", "beat_waits"},
	{"the bits of the status are swapped", "inline-w32-8b-14", "bloomlane_inline.v",
		"‹counted_result› & {2{counted_applied}}", "{counted_result[0], counted_result[1]}"},
	{"the engine ignores the fill limit", "inline-w32-8b-14", "bloomlane_inline.v",
		"counted_operates && !counted_short && ‹!counted_overfull›;", "1'b1"},
	{"a short packet can be overfull", "inline-w32-8b-14", "bloomlane_inline.v",
		"{counted_short, ‹counted_overfull && !counted_short›,", "counted_overfull"},
	{"a packet that lacks the field's last byte is not short", "inline-w32-8b-14",
		"bloomlane_inline.v", "ends[k] && ‹in_beat_reg[DATA+LAST_BYTE]›;",
		"in_beat_reg[DATA+LAST_BYTE-1]"},
	{"a short packet gets no result", "inline-w32-8b-14", "bloomlane_inline.v",
		"accept && (‹|ends || none && first || in_last_reg && !after›);",
		"|ends || none && first"},
	{"the programmed element outlives a reset", "inline-w32-8b-14", "bloomlane_inline.v",
		"‹program_op_reg    <= `BLOOMLANE_PASS;›", "program_op_reg <= program_op_reg;"},
	{"an element that is programmed in a reset outlives it", "inline-w32-64b-0",
		"bloomlane_inline.v", "‹program_valid_reg <= 1'b0;›",
		"program_valid_reg <= program_valid;"},
	{"a beat outlives a reset on its way to the output", "inline-w32-8b-14",
		"bloomlane_inline.v", "‹taken_reg <= 1'b0;›", "taken_reg <= beat_take;"},
	{"a beat that is captured in a reset is taken", "inline-w32-8b-14", "bloomlane_inline.v",
		"in_taken_reg && ‹!in_rst_reg› &&", "1'b1"},
	{"beats at the output outlive a reset", "inline-w32-8b-14", "bloomlane_ring.v",
		"‹write_reg <= {LOG2_DEPTH{1'b0}};›", "write_reg <= write_reg;"},
	{"the place of the next beat outlives a reset", "inline-w32-8b-14", "bloomlane_ring.v",
		"‹read_reg  <= {LOG2_DEPTH{1'b0}};›", "read_reg <= read_reg;"},
	{"places that are promised are not given back in a reset", "inline-w32-8b-14",
		"bloomlane_inline.v", "‹place_reg <= {{LOG2_OUT-1{1'b0}}, 1'b1};›",
		"place_reg <= place_reg;"},
	{"a beat leaves for an output that has no place", "inline-w32-8b-14", "bloomlane_inline.v",
		"beat_take   = pass && ‹credit›;", "1'b1"},
	{"one beat more leaves than the output has places for", "inline-w32-8b-14",
		"bloomlane_inline.v", "credit = ‹place_reg != out_read›;",
		"place_reg != out_read + 1'b1"},
	{"a place is promised when it is taken", "inline-w32-8b-14", "bloomlane_inline.v",
		"credit = ‹place_reg != out_read›;", "out_write + 3'd1 != out_read"},
	{"a place at the output is promised for good", "inline-w32-8b-14", "bloomlane_inline.v",
		"if (‹beat_take›)\n            place_reg", "pass"},
	{"a beat that is offered is given up", "inline-w32-8b-14", "bloomlane_inline.v",
		".pop     (‹m_axis_tvalid && m_axis_tready›),", "m_axis_tvalid"},
	{"the output moves on without a beat", "inline-w32-8b-14", "bloomlane_inline.v",
		".pop     (‹m_axis_tvalid && m_axis_tready›),", "m_axis_tready"},
	{"the field is that of the packet behind", "inline-w32-64b-0", "bloomlane_inline.v",
		".pop     (‹result_take›),", "beat_take && beat_waits"},
	{"the element is sampled on every beat", "inline-w32-8b-14", "bloomlane_inline.v",
		"if (‹first›) begin", "accept"},
	{"the field leaves before its result", "inline-w32-8b-1030-cut-through", "bloomlane_inline.v",
		"‹|part || after || in_last_reg›, in_last_reg}", "in_last_reg"},
	{"the field is replaced where nothing applies", "inline-w32-8b-14", "bloomlane_inline.v",
		"beat_part & ‹{PARTS{result_flags[2]}}›;", "{PARTS{1'b1}}"},
	{"positions are cut from tuser one bit off", "inline-w32-8b-14", "bloomlane_inline.v",
		".positions(‹in_element_reg[3 +: KEY]›)", "in_element_reg[2 +: KEY]"},
	{"more beats come in than there is room for", "inline-w32-8b-14", "bloomlane_inline.v",
		"in_ready_reg <= ‹!full›;", "!count_reg[LOG2_DEPTH]"},
	{"a queue outlives a reset", "inline-w32-8b-14", "bloomlane_fifo.v",
		"‹count_reg      <= {LOG2_DEPTH+1{1'b0}};›", "count_reg <= count_reg;"},

	{"a ticket outlives a reset", "inline-w32-64b-0", "bloomlane_inline.v",
		"ticket_reg <= ‹!rst && accept› &&", "accept"},
	{"the fill limit is that of the last reset", "inline-w32-8b-14", "bloomlane_inline.v",
		".limit   (‹fill_limit›)", "limit_reg‹    reg [$clog2(8*W+1)-1:0] limit_reg;\n    always " +
			"@(posedge clk) if (rst) limit_reg <= fill_limit;\n›"},
	{"the fill limit is that of a clock before", "inline-w32-8b-14", "bloomlane_inline.v",
		".limit   (‹fill_limit›)", "before_reg‹    reg [$clog2(8*W+1)-1:0] before_reg;\n    " +
			"always @(posedge clk) before_reg <= fill_limit;\n›"},
	{"a programmed element meets the packet of its own clock", "inline-w32-8b-14",
		"bloomlane_inline.v", "tuser_programmed ? ‹program_op_reg› :",
		"(program_valid_reg ? program_op_in_reg : program_op_reg)"},
	{"a programmed mask keeps the bits of the last", "inline-w32-8b-14", "bloomlane_inline.v",
		"program_mask_reg <= ‹program_mask_in_reg›;", "program_mask_reg | program_mask_in_reg"},
	{"a last beat without a byte makes a packet long enough", "inline-w32-8b-14",
		"bloomlane_inline.v", "ends[k] && ‹in_beat_reg[DATA+LAST_BYTE]›;",
		"(in_beat_reg[DATA+LAST_BYTE] || !in_beat_reg[DATA])"},
	{"a beat is offered only when it is wanted", "inline-w32-8b-14", "bloomlane_inline.v",
		"m_axis_tvalid = ‹out_read != out_write›;", "m_axis_tready && out_read != out_write"},
	{"the end of a packet behind its field is not seen", "inline-w32-8b-14", "bloomlane_locate.v",
		"if (‹last›)", "last && !after_reg"},
	{"of a packet's place four bits are compared", "inline-w32-8b-1030-cut-through",
		"bloomlane_locate.v", "part_reg[p] <= ‹beat_next == BEAT[COUNT-1:0]›;",
		"beat_next[3:0] == BEAT[3:0]"},
	{"beats before the field wait for its result", "inline-w32-8b-1030-cut-through",
		"bloomlane_inline.v", "‹(result_valid || CUT_THROUGH != 0 && !beat_waits)›;",
		"result_valid"},
	{"beats before the field do not wait", "inline-w32-8b-14", "bloomlane_inline.v",
		"‹(result_valid || CUT_THROUGH != 0 && !beat_waits)›;", "(result_valid || !beat_waits)"},
	{"a packet's first beat leaves before its result", "inline-w32-8b-14", "bloomlane_inline.v",
		"‹(result_valid || CUT_THROUGH != 0 && !beat_waits)›;",
		"(result_valid || out_first_reg && !beat_waits)‹    reg out_first_reg;\n    always " +
			"@(posedge clk) out_first_reg <= rst || (beat_take ? beat_last : out_first_reg);\n›"},
	{"a new packet is dropped with the one that a reset has cut", "inline-w32-8b-14-drop",
		"bloomlane_inline.v", "drop_reg   <= ‹inside_next && (drop_reg || in_rst_reg)›;",
		"drop_reg && inside_reg || inside_next && in_rst_reg"},
	{"a reset forgets that it cuts a packet", "inline-w32-8b-14-drop", "bloomlane_inline.v",
		"inside_reg <= ‹inside_next›;", "inside_next && !in_rst_reg"},
	{"a beat that is taken in a reset's clock is not seen", "inline-w32-8b-14-drop",
		"bloomlane_inline.v", "inside_next = ‹in_taken_reg› ?", "in_taken_reg && !in_rst_reg"},
	{"dropped beats are queued", "inline-w32-8b-14-drop", "bloomlane_inline.v",
		"in_taken_reg && !in_rst_reg && ‹!(DROP_CUT != 0 && drop_reg)›;", "1'b1"},

	{"the place is cut from tuser one bit off", "inline-w32-64b-18-places", "bloomlane_inline.v",
		"‹s_axis_tuser[USER_WIDTH+KEY+3 +: 3]›;", "s_axis_tuser[USER_WIDTH+KEY+2 +: 3]"},
	{"a place that there is not is one of those that there are", "inline-w32-64b-18-places",
		"bloomlane_inline.v", "here[k] = ‹place == PLACE[2:0]›;", "place[1:0] == PLACE[1:0]"},
	{"the field is gathered at the first place", "inline-w32-64b-18-places", "bloomlane_inline.v",
		"byte_reg <= ‹in_byte[8*at +: 8]›;", "in_byte[7:0]"},
	{"a part of the field is kept where another place has one", "inline-w32-8b-18-places",
		"bloomlane_inline.v", "if (‹in_part[at]›)", "|in_part"},
	{"a packet without a place gets a second result at its end", "inline-w32-8b-18-places",
		"bloomlane_inline.v", "after = |behind || ‹none›;", "1'b0"},
	{"a packet without a place has a field", "inline-w32-64b-18-places", "bloomlane_inline.v",
		"part[base_of(k) +: PARTS_HERE] = ‹is_part & {PARTS_HERE{here[k]}}›;", "is_part"},

	{"a tag of 802.1ad is none", "place-64-14", "bloomlane_place.v",
		"|| ‹ether_type == 16'h88a8› ||", "1'b0"},
	{"a tag of type 9100 is none", "place-64-14", "bloomlane_place.v",
		"‹ether_type == 16'h9100›", "1'b0"},
	{"the third tag is a header's end", "place-64-70", "bloomlane_place.v",
		"known    = ‹tags != 2'd3› &&", "1'b1"},
	{"labels end behind the first", "place-64-14", "bloomlane_place.v",
		"‹bottom[first] ? 3'd1 : 3'd2›;", "3'd1"},
	{"IPv6 behind labels is not seen", "place-64-70", "bloomlane_place.v",
		"ipv6   = ‹mpls ? six[words] : is_ipv6[tags]›;", "!mpls && is_ipv6[tags]"},
	{"an extension has no length", "place-128-14", "bloomlane_place.v",
		"(extended ? ‹{1'b0, length, 3'd0} + 12'd8› :", "12'd8"},
	{"destination options are no extension", "place-128-14", "bloomlane_place.v",
		"next_header == 8'd43 || ‹next_header == 8'd60›);", "1'b0"},

	{"a queue stops a word early", "fifo-4-0", "bloomlane_fifo.v",
		"in_ready_reg <= ‹count_reg < ALMOST_FULL›;", "count_reg < ALMOST_FULL - 1'b1"},
	{"a queue is ready after a reset", "fifo-4-0", "bloomlane_fifo.v",
		"‹in_ready_reg   <= 1'b0;›", "in_ready_reg <= in_ready_reg;"},
	{"a queue's head outlives a reset", "fifo-4-0", "bloomlane_fifo.v",
		"‹head_valid_reg <= 1'b0;›", "head_valid_reg <= head_valid_reg;"},
	{"a queue's output does not wait", "fifo-8-1", "bloomlane_fifo.v",
		"assign head_take = ‹!out_valid_reg || out_ready›;", "1'b1"},

	{"a bubble behind every 16th packet", "rate-w32-64b", "bloomlane_inline.v",
		"‹(result_valid || CUT_THROUGH != 0 && !beat_waits)›;",
		"(result_valid && !bubble)‹    reg [3:0] packets_reg;\n    reg bubble_reg;\n    wire " +
			"bubble = packets_reg == 0 && !bubble_reg;\n    always @(posedge clk) begin\n        " +
			"bubble_reg <= packets_reg == 0;\n        if (rst) packets_reg <= 0; else if " +
			"(result_take) packets_reg <= packets_reg + 1'b1;\n    end\n›"},
	{"the index of a table is read modulo 64", "table-core-w32-9", "bloomlane_table_core.v",
		"block_reg     <= memory[‹in_index›];", "in_index & 63"},
	{"the index of a table is written modulo 64", "table-core-w32-9", "bloomlane_table_core.v",
		"memory[‹decide_index_reg›] <= decide_after;", "decide_index_reg & 63"},

	{"a word comes as another leaves, and is not counted", "fifo-4-0", "bloomlane_fifo.v",
		"if (‹push != pull›)", "!pull && push || pull"},
	{"a queue's head is overwritten", "fifo-4-0", "bloomlane_fifo.v",
		"pull = ‹(!head_valid_reg || head_take) && count_reg != 0›;", "count_reg != 0"},
	{"a queue's last word waits for the next", "fifo-4-0", "bloomlane_fifo.v",
		"pull = ‹(!head_valid_reg || head_take) && count_reg != 0›;",
		"(!head_valid_reg || head_take) && count_reg > 1"},
	{"a packet of no room is kept in part", "packet-fifo-8-drop-0", "bloomlane_packet_fifo.v",
		"losing_reg <= ‹take ? loses && !in_last : losing_reg || count_reg >= ALMOST_FULL && " +
			"whole_reg == 0›;", "1'b0"},
	{"a packet begins to leave when it is not whole", "packet-fifo-8-drop-0",
		"bloomlane_packet_fifo.v", "pull  = ‹(!head_valid_reg || head_take) && whole_reg != 0›;",
		"(!head_valid_reg || head_take) && count_reg != 0"},
	{"behind a packet that is dropped the memory counts as full", "packet-fifo-8-drop-0",
		"bloomlane_packet_fifo.v", "full_reg  <= ‹count_kept >= ALMOST_FULL›;",
		"count_reg >= ALMOST_FULL"},
	{"a queue of packets takes a word more than its memory", "packet-fifo-8-drop-0",
		"bloomlane_packet_fifo.v", "full_reg  <= ‹count_kept >= ALMOST_FULL›;",
		"count_kept > ALMOST_FULL"},
	{"a source with a packet that is too long is never let in again", "packet-fifo-8-wait-0",
		"bloomlane_packet_fifo.v", "in_ready = DROP_FULL != 0 || ‹!full_reg || losing_reg›;",
		"!full_reg"},
	{"a packet that waits for room is dropped", "packet-fifo-8-wait-0", "bloomlane_packet_fifo.v",
		"losing_reg || count_reg >= ALMOST_FULL && ‹whole_reg == 0›;", "1'b1"},
	{"a packet of all words but one is dropped", "packet-fifo-8-wait-0",
		"bloomlane_packet_fifo.v", "losing_reg || ‹count_reg >= ALMOST_FULL› && whole_reg == 0;",
		"full_reg"},
	{"a source is let in during a reset", "packet-fifo-8-wait-0", "bloomlane_packet_fifo.v",
		"full_reg       <= ‹DROP_FULL == 0›;", "1'b0"},
	{"a packet's start outlives a reset", "packet-fifo-8-drop-0", "bloomlane_packet_fifo.v",
		"‹start_reg      <= {LOG2_DEPTH{1'b0}};›", "start_reg <= start_reg;"},
	{"a packet of no room outlives a reset", "packet-fifo-8-drop-0", "bloomlane_packet_fifo.v",
		"‹losing_reg     <= 1'b0;›", "losing_reg <= losing_reg;"},

	{"a packet starts at the last word of the one ahead", "packet-fifo-8-drop-0",
		"bloomlane_packet_fifo.v", "start_reg <= ‹write_reg + 1'b1›;", "write_reg"},
	{"a queue of packets overwrites its head", "packet-fifo-8-drop-0", "bloomlane_packet_fifo.v",
		"pull  = ‹(!head_valid_reg || head_take) && whole_reg != 0›;", "whole_reg != 0"},
	{"the hash's windows off by one bit", "toeplitz-13", "bloomlane_toeplitz.v",
		"field_reg & ‹key_reg[KEY_BITS-1-j -: FIELD_BITS]›;",
		"key_reg[KEY_BITS-2-j -: FIELD_BITS]"},
	{"the hash's key in little-endian words", "toeplitz-13", "bloomlane_toeplitz.v",
		"<= ‹key_data›;", "{key_data[7:0], key_data[15:8], key_data[23:16], key_data[31:24]}"},
	{"SipHash rotates v1 by 14", "siphash-1-3-13", "bloomlane_siphash.v",
		"‹{v1[50:0], v1[63:51]}› ^ sum_0, {sum_0", "{v1[49:0], v1[63:50]}"},
	{"SipHash rotates v3 by 20", "siphash-1-3-13", "bloomlane_siphash.v",
		"new_3 = ‹{v3[42:0], v3[63:43]}› ^ sum_0;", "{v3[43:0], v3[63:44]}"},
	{"SipHash adds v0 for v1", "siphash-1-3-13", "bloomlane_siphash.v",
		"sum_2 = ‹v2 + v1›;\n                wire [63:0] new_3", "v2 + v0"},
	{"SipHash forgets the 0xff at the end", "siphash-1-3-13", "bloomlane_siphash.v",
		"new_2 ^ ‹64'hff›, new_1", "64'h00"},
	{"SipHash forgets the message's length", "siphash-1-3-13", "bloomlane_siphash.v",
		"-: 8] = ‹LENGTH[7:0]›;", "8'd0"},
	{"SipHash takes the last byte first", "siphash-1-3-13", "bloomlane_siphash.v",
		"‹bytes[8*(FIELD_BYTES-1-i) +: 8]›;", "bytes[8*i +: 8]"},
	{"SipHash's key is big-endian", "siphash-1-3-13", "bloomlane_siphash.v",
		"k0    = ‹little_endian(key_reg[127:64])›;", "key_reg[127:64]"},
	{"SipHash's key is one half twice", "siphash-1-3-13", "bloomlane_siphash.v",
		"k1    = ‹little_endian(key_reg[63:0])›;", "k0"},
	{"SipHash takes the first word twice", "siphash-1-3-13", "bloomlane_siphash.v",
		"new_3 ^ ‹word(message, WORD + 1)›,", "word(message, WORD)"},
	{"SipHash takes a word of the field behind", "siphash-1-3-13", "bloomlane_siphash.v",
		"message = ‹message_reg[FIELD*(s+1) +: FIELD]›;", "message_reg[FIELD*s +: FIELD]"},
	{"SipHash's hash lacks a half of a sum", "siphash-1-3-13", "bloomlane_siphash.v",
		"sum_2 ^ ‹{sum_2[31:0], sum_2[63:32]}›;", "sum_2"},
	{"the table is ready before the key", "table-w32-1-4", "bloomlane_table.v",
		"‹&written_reg› && !stall;", "written_reg[0]"},
	{"a word past the key's end is the first", "toeplitz-13", "bloomlane_toeplitz.v",
		"key_write && ‹key_word == WORD[ADDRESS-1:0]›)",
		"key_word == WORD[ADDRESS-1:0] || key_word >= WORDS && w == 0"},
	{"a group of the hash lacks its last bit", "toeplitz-13", "bloomlane_toeplitz.v",
		"sum_reg[g] <= ‹^selected[LOW +: BITS]›;", "^selected[LOW +: BITS-1]"},
	{"the spread hash loses a borrow", "spread-adders", "bloomlane_spread.v",
		"{{32-1-LOG2_TERMS{‹low_reg[LOW]›}}", "1'b0"},
	{"the index from the wrong end of the hash", "table-w64-3-13", "bloomlane_table.v",
		"‹h[63 -: LOG2_BLOCKS]›}", "h[0 +: LOG2_BLOCKS]"},
	{"the index of a hash is cut to six bits", "table-w32-9-4", "bloomlane_table.v",
		"‹h[63 -: LOG2_BLOCKS]›}", "{{LOG2_BLOCKS-6{1'b0}}, h[63 -: 6]}"},
	{"the operation a clock out of step with its hash", "table-w64-3-13", "bloomlane_table.v",
		"op       = ‹op_reg[2*(HASHED+SPREAD)-1 -: 2]›;",
		"op_reg[2*(HASHED+SPREAD)-3 -: 2]"},
	{"the index a clock out of step with its hash", "table-w64-3-13", "bloomlane_table.v",
		"index    = ‹index_reg[LOG2_BLOCKS*SPREAD-1 -: LOG2_BLOCKS]›;",
		"index_reg[LOG2_BLOCKS*(SPREAD-1)-1 -: LOG2_BLOCKS]"},
	{"positions off by one bit", "table-w64-3-13", "bloomlane_positions.v",
		"assign positions = ‹g[63 -: KEY]›;", "g[62 -: KEY]"},

	{"no forwarding to the third operation behind", "table-core-w32-3", "bloomlane_table_core.v",
		"extract_block_reg     <= ‹read_block›;", "answer[STAGES].block_reg"},
	{"the next operation's bits are not made up for", "table-core-w32-3", "bloomlane_table_core.v",
		"extract_same_reg[i] && ‹decide_insert_reg›;", "1'b0"},
	{"the next operation does not see a delete", "table-core-w32-3", "bloomlane_table_core.v",
		"decide_gone_reg[i]  <= ‹extract_same_reg[i] && decide_clear && decide_free[i]›;", "1'b0"},
	{"a gap forwards its block", "table-core-w32-3", "bloomlane_table_core.v",
		"{1'b0, ‹decide_valid_reg› && in_index == decide_index_reg};", "1'b1"},
	{"a gap writes", "table-core-w32-3", "bloomlane_table_core.v",
		"clearing || ‹extract_valid_reg› &&", "1'b1"},
	{"a reset clears the half of the table", "table-core-w32-9", "bloomlane_table_core.v",
		"clearing ? ‹clear_reg[LOG2_BLOCKS-1:0]› :", "{1'b0, clear_reg[LOG2_BLOCKS-2:0]}"},
	{"a block is forwarded to one that differs in its ninth bit", "table-core-w32-9",
		"bloomlane_table_core.v", "extract_valid_reg && ‹read_index == extract_index_reg›;",
		"read_index[7:0] == extract_index_reg[7:0]"},
	{"retained where one bit is collided", "table-core-w32-3", "bloomlane_table_core.v",
		"result_delete_reg && ‹|result_free_reg›", "&result_free_reg"},
	{"the table does not mark collisions", "table-core-w32-3", "bloomlane_table_core.v",
		"‹((decide_collided | decide_mask_reg[W-1:0]) & {W{decide_insert_reg}})›;", "{W{1'b0}}"},

	{"the hash's key is written in advances alone", "toeplitz-13", "bloomlane_toeplitz.v",
		"if (‹key_write› && key_word", "key_write && advance"},
	{"a word of the key is written to every other place", "toeplitz-13", "bloomlane_toeplitz.v",
		"key_write && ‹key_word == WORD[ADDRESS-1:0]›)", "key_word[0] == WORD[0]"},
	{"the last block is not cleared", "table-core-w32-1", "bloomlane_table_core.v",
		"clearing = ‹!clear_reg[LOG2_BLOCKS]›;",
		"!(clear_reg[LOG2_BLOCKS] || &clear_reg[LOG2_BLOCKS-1:0])"},
	{"what is behind takes any block for that ahead in its low bits", "table-core-w64-5",
		"bloomlane_table_core.v", "extract_valid_reg && ‹read_index == extract_index_reg›;",
		"read_index[LOG2_BLOCKS-2:0] == extract_index_reg[LOG2_BLOCKS-2:0]"},
	{"the second behind compares a bit less", "table-core-w64-5", "bloomlane_table_core.v",
		"read_is_decide  = decide_valid_reg && ‹read_index == decide_index_reg›;",
		"read_index[LOG2_BLOCKS-2:0] == decide_index_reg[LOG2_BLOCKS-2:0]"},
	{"the third behind compares a bit less", "table-core-w64-5", "bloomlane_table_core.v",
		"{1'b0, decide_valid_reg && ‹in_index == decide_index_reg›};",
		"in_index[LOG2_BLOCKS-2:0] == decide_index_reg[LOG2_BLOCKS-2:0]"},
	{"a gap two ahead forwards its block", "table-core-w64-5", "bloomlane_table_core.v",
		"read_is_decide  = ‹decide_valid_reg› && read_index == decide_index_reg;", "1'b1"},
	{"positions that differ in their top bit are the same", "table-core-w64-5",
		"bloomlane_table_core.v", "‹read_positions[P +: B] == extract_positions_reg[P +: B]›);",
		"read_positions[P +: B-1] == extract_positions_reg[P +: B-1]"},
	{"the same position in another block", "table-core-w64-5", "bloomlane_table_core.v",
		"extract_same_reg[i] <= ‹read_is_extract› &&", "1'b1"},
	{"a delete just ahead takes collided bits along", "table-core-w64-5", "bloomlane_table_core.v",
		"extract_same_reg[i] && decide_clear && ‹decide_free[i]›;", "1'b1"},
	{"a delete clears one of its lanes where it is absent", "table-core-w64-5",
		"bloomlane_table_core.v", "decide_clear = decide_delete_reg && ‹&decide_bit_reg› && " +
			"~|decide_gone_reg;",
		"&decide_bit_reg[6:1]"},
	{"a delete clears what one just ahead has cleared", "table-core-w64-5",
		"bloomlane_table_core.v", "&decide_bit_reg && ‹~|decide_gone_reg›;", "1'b1"},

	{"no forwarding to the third behind where the memory answers late", "table-core-w32-2-reads-2",
		"bloomlane_table_core.v", "‹age_reg <= 2'd1;›", "age_reg <= 2'd0;"},
	{"the fourth operation behind has the block of the third", "table-core-w32-2-reads-2",
		"bloomlane_table_core.v", "answer[stage-1].age_reg + ‹2'd1›;", "2'd0"},
	{"a gap forwards its block where the memory answers late", "table-core-w32-2-reads-2",
		"bloomlane_table_core.v", "if (‹decide_valid_reg› && answer", "1'b1"},
	{"the fifth operation behind has the block of now", "table-core-w64-1-reads-3",
		"bloomlane_table_core.v", "results[‹BITS*(ago-1)› +: BITS];", "0"},
	{"a merge forgets the collisions of what is merged", "table-core-w64-1-reads-3",
		"bloomlane_table_core.v", "((decide_collided | ‹decide_mask_reg[W-1:0]›) &", "{W{1'b0}}"},
	{"the next operation does not see a merge", "table-core-w32-2-reads-2",
		"bloomlane_table_core.v", "(‹extract_merge_reg› ? |(read_mask", "1'b0"},
	{"a flipped bit of lane 7 is not seen", "table-core-w32-2-reads-2", "bloomlane_table_core.v",
		"extract_checked_reg && ‹extract_odd_reg != bits[STAGES].odd_reg›;",
		"extract_odd_reg[6:0] != bits[STAGES].odd_reg[6:0]"},
	{"a forwarded block is checked", "table-core-w32-2-reads-2", "bloomlane_table_core.v",
		"extract_checked_reg <= read_valid && ‹read_age == 2'd0›;", "1'b1"},
	{"parity is of a lane's first half", "table-core-w64-1-reads-3", "bloomlane_table_core.v",
		"result_odd[i] = ‹^result_block_reg[W*i +: W]›;", "^result_block_reg[W*i +: W/2]"},
	{"a flipped bit is told a clock early", "table-core-w32-2-reads-2", "bloomlane_table_core.v",
		"out_flipped_reg     <= ‹result_flipped_reg›;", "decide_flipped_reg"},

	{"a switch in the middle of an operation", "table-bus-w32-banks", "bloomlane_table.v",
		"op_valid && (‹used› || mirror", "(op[1] ? bank_then == NUMBER : used)" +
			"‹    reg bank_then;\n    always @(posedge clk) bank_then <= bank;\n›"},
	{"the bank of now answers", "table-bus-w32-banks", "bloomlane_table.v",
		"core_valid && (BUS == 0 || ‹used_reg[CORE-1]›);", "used"},
	{"inserts go into one bank", "table-bus-w32-banks", "bloomlane_table.v",
		"(used || ‹mirror› &&", "1'b0"},
	{"all operations go into both banks", "table-bus-w32-banks", "bloomlane_table.v",
		"mirror && ‹op == `BLOOMLANE_INSERT›);", "1'b1"},
	{"the host's operation goes into the other bank", "table-bus-w32-banks",
		"bloomlane_table_port.v", "assign turn_bank  = ‹block_bank_reg›;", "!block_bank_reg"},
	{"a key is inserted for the host", "table-bus-w32-banks", "bloomlane_table.v",
		".in_merge    (‹taken[b] && turn_merge›)", "1'b0"},
	{"a host waits without end", "table-bus-w32-banks", "bloomlane_table_port.v",
		"assign stall      = ‹&waited_reg›;", "1'b0"},
	{"a clear leaves the mirror", "table-bus-w32-banks", "bloomlane_table_port.v",
		"clear_reg[other] <= 1'b1;\n                ‹mirror_reg       <= 1'b0;›", ";"},
	{"the bank in use is cleared", "table-bus-w32-banks", "bloomlane_table_port.v",
		"clear_reg[‹other›] <= 1'b1;", "!other"},
	{"words are written in part", "table-bus-w32-banks", "bloomlane_table_port.v",
		"‹bus_strobe != 4'b1111›", "bus_strobe == 4'b0000"},
	{"words are of the block before", "table-bus-w32-banks", "bloomlane_table_port.v",
		"words_reg   <= {BITS{1'b0}};\n            fetched_reg <= ‹1'b0›;", "fetched_reg"},
	{"old words are inserted again", "table-bus-w32-banks", "bloomlane_table_port.v",
		"words_reg   <= ‹{BITS{1'b0}}›;", "words_reg"},
	{"a load that a read cuts goes on", "table-bus-w32-banks", "bloomlane_table_port.v",
		"fetched_reg <= 1'b1;\n            ‹begun_reg   <= 1'b0;›", ";"},
	{"a load outlives a reset", "table-bus-w32-banks", "bloomlane_table_port.v",
		"fetched_reg    <= 1'b0;\n            ‹begun_reg      <= 1'b0;›", ";"},
	{"a block that there is not is one that there is", "table-bus-w64-one",
		"bloomlane_table_port.v", "is_block && ‹is_there›", "1'b1"},
	{"a block's number stands still", "table-bus-w32-banks", "bloomlane_table_port.v",
		"block_reg <= block_reg + ‹1'b1›;", "1'b0"},
	{"a block is read a clock early", "table-bus-w32-banks", "bloomlane_table_port.v",
		"done   = ‹under_way_reg[LATENCY-2]›;", "under_way_reg[LATENCY-3]"},
	{"the host's reads are answers", "table-bus-w64-one", "bloomlane_table.v",
		"core_valid && (BUS == 0 || ‹used_reg[CORE-1]›);", "1'b1"},
	{"flipped bits are not counted", "table-bus-w64-one", "bloomlane_table_port.v",
		"flipped_reg + {31'd0, ‹flipped[0]›} +", "1'b0"},
	{"a reset leaves the count of flipped bits", "table-bus-w64-one", "bloomlane_table_port.v",
		"‹flipped_reg <= 32'd0;›", ";"},
	{"the upper half of the words is the lower", "table-bus-w64-one", "bloomlane_table_port.v",
		"wire [3:0]  word       = ‹at[5:2]›;", "{1'b0, at[4:2]}"},

	{"a service looks at frames of any type", "example-service", "example_service.v",
		"concerned = ‹ether_type == 16'h88b5› &&", "1'b1"},
	{"a service looks at headers of any kind", "example-service", "example_service.v",
		"&& ‹kind == 8'h10› &&", "1'b1"},
	{"a service has the element of another table", "example-service", "example_service.v",
		"{positions_reg[‹select›], 1'b0", "select ^ 1"},
	{"what is applied and absent is served", "example-service", "example_service.v",
		"m_axis_serve = flags[2] && ‹flags[1:0] != `BLOOMLANE_ABSENT›;", "1'b1"},
	{"a service has all tables written with one", "example-service", "example_service.v",
		"‹written_reg[write_table]   <= 1'b1;›", "written_reg <= {TABLES{1'b1}};"},
	{"what is retained is not served", "example-service", "example_service.v",
		"m_axis_serve = flags[2] && ‹flags[1:0] != `BLOOMLANE_ABSENT›;",
		"flags[1:0] == `BLOOMLANE_DELETED"},
	{"a service ignores the fill limit", "example-service", "example_service.v",
		".fill_limit   (‹fill_limit›)", "9'd256"},
	{"a filter drops overfull frames only", "example-filter", "example_filter.v",
		"drop = bad || ‹!applied || result == `BLOOMLANE_ABSENT›;", "why[0]"},
	{"a filter forgets in a reset that a frame has begun", "example-filter", "example_filter.v",
		"inside_reg <= ‹inside_next›;", "inside_next && !rst"},

	{"a node looks at frames of any type", "example-node", "example_node.v",
		"carries    = ‹ether_type == 16'h88b5› &&", "1'b1"},
	{"a node looks at headers of any kind", "example-node", "example_node.v",
		"&& ‹kind == 8'h10› && in_range", "1'b1"},
	{"a node asks one of two tables", "example-node", "example_node.v",
		".in_table    (‹table_byte[SELECT-1:0]›)", "table_byte[SELECT-1:0] & 1"},
	{"a node writes the table of the packet", "example-node", "example_node.v",
		".write_table (‹write_table›)", "table_byte[SELECT-1:0]"},
	{"a node forgets the last table", "example-node", "example_node.v",
		"{24'd0, table_byte} < ‹TABLES›;", "TABLES - 1"},

	{"a board is not told of a broken byte", "board", "board_uart_in.v",
		"broken_reg <= ‹stop && !line›;", "1'b0"},
	{"a board reads on behind a reset", "board", "board_uart_in.v",
		"lost_reg   <= ‹1'b1›;", "1'b0"},
	{"a board waits for eight idle bits only", "board", "board_uart_in.v",
		"if (wakes || again) begin\n            bits_reg  <= ‹BITS›;", "again ? 4'd8 : BITS"},
	{"a board takes an escape that is none", "board", "board_slip_in.v",
		"is_bad  = in_broken || ‹in_valid && escaped_reg && in_data != ESC_END && in_data != " +
			"ESC_ESC›;", "in_valid && escaped_reg && is_end"},
	{"a board takes a frame that ends in an escape", "board", "board_slip_in.v",
		"is_bad  = in_broken || ‹in_valid && escaped_reg && in_data != ESC_END && in_data != " +
			"ESC_ESC›;",
		"in_valid && escaped_reg && !is_end && in_data != ESC_END && in_data != ESC_ESC"},
	{"a board takes a frame without a byte", "board", "board_slip_in.v",
		"drops  = closes && (is_bad || begun && ‹length_reg <= ELEMENT›);", "length_reg < ELEMENT"},
	{"a board takes what comes first for a frame", "board", "board_slip_in.v",
		"hunting_reg <= ‹1'b1›;", "1'b0"},
	{"a board's element is programmed", "board", "board_slip_in.v",
		"element_reg[37:0] & ‹~38'd4›;", "~38'd0"},
	{"a board takes the next frame's element for this one's", "board", "board_slip_in.v",
		"ready          = ‹names || !beat_reg›;", "1'b1"},
	{"a board ignores its fill limit", "board", "board_top.v", ".fill_limit   (‹LIMIT[8:0]›)",
		"9'd256"},
	{"a board has no stop bit", "board", "board_uart_out.v", "bits_reg  <= ‹4'd10›;", "4'd9"},
}
