package cosim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel/vectors"
)

// The vectors of package kernel/vectors, as a file for $readmemh, pass in a second simulator, of
// another make and with four-valued logic; and a file with a wrong bit does not.
func TestIcarus(t *testing.T) {
	iverilog, err := exec.LookPath("iverilog")
	if err != nil {
		require.Skip(t, "icarus", "iverilog is not installed: apt-get install iverilog")
	}
	const records = 2000
	for _, w := range []int{32, 64} {
		t.Run(fmt.Sprintf("w%d", w), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			program, good, bad := filepath.Join(folder, "tb"), filepath.Join(folder, "good"),
				filepath.Join(folder, "bad")
			out, err := exec.Command(iverilog, "-g2001", "-Wall", "-I", "../rtl", "-y",
				"../rtl", "-P", fmt.Sprintf("vectors_tb.W=%d", w), "-P",
				fmt.Sprintf("vectors_tb.COUNT=%d", records), "-o", program,
				"../sim/vectors_tb.v").CombinedOutput()
			if err != nil {
				t.Fatalf("iverilog: %v\n%s", err, out)
			}
			lines := hexVectors(t, w, records)
			write(t, good, lines)
			if out := simulateIcarus(t, program, good); out != fmt.Sprintf("PASS %d\n", records) {
				t.Errorf("good vectors: %s", out)
			}
			wrong, digit := lines[records-1], "0"
			if strings.HasSuffix(wrong, digit) {
				digit = "1"
			}
			lines[records-1] = wrong[:len(wrong)-1] + digit
			write(t, bad, lines)
			if out := simulateIcarus(t, program, bad); !strings.HasSuffix(out, "FAIL 1\n") {
				t.Errorf("vectors with a wrong bit: %s", out)
			}
		})
	}
}

// With BLOOMLANE_CHECK defined a simulation stops where an input breaks a module's rule.
func TestChecks(t *testing.T) {
	iverilog, err := exec.LookPath("iverilog")
	if err != nil {
		require.Skip(t, "icarus", "iverilog is not installed: apt-get install iverilog")
	}
	program := filepath.Join(t.TempDir(), "tb")
	if out, err := exec.Command(iverilog, "-g2001", "-Wall", "-DBLOOMLANE_CHECK", "-I",
		"../rtl", "-y", "../rtl", "-o", program,
		"../sim/checks_tb.v").CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("iverilog: %v\n%s", err, out)
	}
	for breaks, want := range []string{
		"PASS",
		"checks_tb.toeplitz: key_word is 3, and the key has 3 words",
		"checks_tb.match: write_port is 3, and there are 3 ports",
		"checks_tb.packets: in_valid, in_last or in_data changes before in_ready",
		"checks_tb.packets: in_valid, in_last or in_data changes before in_ready",
		"checks_tb.engine: s_axis_tvalid or what it offers changes before s_axis_tready",
		"checks_tb.engine: s_axis_tvalid or what it offers changes before s_axis_tready",
		"checks_tb.engine: s_axis_tkeep is 05, which has holes",
		"checks_tb.engine: s_axis_tkeep is 07 without s_axis_tlast",
		"checks_tb.port: bus_valid or what it asks changes before bus_ready",
		"checks_tb.axil: s_axi_awvalid, s_axi_wvalid, s_axi_arvalid or what they offer changes " +
			"before its ready",
		"checks_tb.parser: in_keep is 0000000000000005, which has holes",
		"checks_tb.parser: in_keep is 0000000000000007 without in_last",
	} {
		out, _ := exec.Command("vvp", "-n", program,
			fmt.Sprintf("+breaks=%d", breaks)).CombinedOutput() // its status says nothing
		got, _, _ := strings.Cut(string(out), "\n")
		if strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("breaking rule %d: %s, want %s", breaks, out, want)
		}
	}
}

func write(t *testing.T, name string, lines []string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func simulateIcarus(t *testing.T, program, file string) string {
	t.Helper()
	out, err := exec.Command("vvp", "-n", program, "+vectors="+file).CombinedOutput()
	if err != nil {
		t.Fatalf("vvp: %v\n%s", err, out)
	}
	return string(out)
}

// hexVectors returns a run of package kernel/vectors as lines of the file that vectors_tb.v reads.
func hexVectors(t *testing.T, w, records int) []string {
	t.Helper()
	var file bytes.Buffer
	if _, err := vectors.Make(&file, vectors.Config{BlockBits: 8 * w, NBlocks: 20, Records: records,
		Seed: 1}); err != nil {
		t.Fatal(err)
	}
	ops := map[vectors.Op]int{vectors.Query: 0, vectors.Insert: 1, vectors.Delete: 2,
		vectors.Merge: 3, vectors.Match: 4}
	results := map[vectors.Result]int{vectors.Absent: 0, vectors.Present: 1, vectors.Retained: 1,
		vectors.Deleted: 2, vectors.Merged: 0}
	hex := func(lanes []string) string {
		var text strings.Builder
		for i := range lanes {
			text.WriteString(strings.TrimPrefix(lanes[len(lanes)-1-i], "0x"))
		}
		return text.String()
	}
	empty := strings.Repeat("0", 8*w/4)
	table := map[int]string{}
	var lines []string
	for in := bufio.NewScanner(&file); in.Scan(); {
		var r struct {
			Op          vectors.Op
			Block       int
			Mask, After []string
			Result      vectors.Result
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		before, ok := table[r.Block]
		if !ok {
			before = empty
		}
		table[r.Block] = hex(r.After)
		lines = append(lines, fmt.Sprintf("%x%x00%s%s%s", ops[r.Op], results[r.Result], before,
			hex(r.Mask), hex(r.After)))
	}
	return lines
}
