package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture/capturetest"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/inband"
	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/internal/require"
)

// runInbandCommand runs the command.
func runInbandCommand(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, messages bytes.Buffer
	code = run(append([]string{"inband"}, args...), strings.NewReader(stdin), &out, &messages)
	return out.String(), messages.String(), code
}

// inbandReport runs the command with --json.
func inbandReport(t *testing.T, wantCode int, stdin string, args ...string) *inband.Report {
	t.Helper()
	stdout, stderr, code := runInbandCommand(stdin, append(args, "--json")...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d; stderr: %s", code, wantCode, stderr)
	}
	var report inband.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return &report
}

// The real captures, of three link layers: packets of all of them carry headers, and under the strict
// choice nothing is lost and nothing goes astray.
func TestInband(t *testing.T) {
	for name, packets := range map[string]int{capturetest.CIP: 2000, capturetest.Download: 276, capturetest.Loopback: 24} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			r := inbandReport(t, 0, "", capturetest.Path(t, name), "--packets", "2000", "--key", "testdata/demo/demo.key")
			if r.Packets != packets || r.Framing != 0 || r.Bits != 256 || r.Offset != 18 || r.RTL != nil {
				t.Errorf("%+v", r)
			}
			for _, strict := range []inband.Tally{r.Routes[inband.Strict], r.Chains[inband.Strict]} {
				if strict.Sent+strict.Refused != packets || strict.Delivered != strict.Elements || strict.False+strict.Lost+strict.Wrong > 0 {
					t.Errorf("%+v", strict)
				}
			}
		})
	}
	r := inbandReport(t, 0, "", capturetest.Path(t, capturetest.CIP), "--packets", "200", "--bits", "512", "--seed", "9")
	if r.Bits != 512 || r.Packets != 200 {
		t.Errorf("%+v", r)
	}
	stdout, stderr, code := runInbandCommand("", capturetest.Path(t, capturetest.Loopback))
	if code != 0 || stderr != "" || !strings.Contains(stdout, "lost services") || !strings.Contains(stdout, "24 packets") {
		t.Errorf("exit code %d, stderr %q\n%s", code, stderr, stdout)
	}
}

// What the README says of the whole capture.
func TestInbandFigures(t *testing.T) {
	if testing.Short() {
		return
	}
	r := inbandReport(t, 0, "", capturetest.Path(t, capturetest.CIP))
	chains, routes := r.Chains[inband.AnyTable], r.Routes[inband.AnyTable]
	found := fmt.Sprintf("%d packets, %d lost services, %d false deliveries", r.Packets, chains.Lost, routes.False)
	if want := "26068 packets, 83 lost services, 238 false deliveries"; found != want || r.Chain != 12 {
		t.Errorf("%s in chains of %d, want %s, or another README", found, r.Chain, want)
	}
}

// The hops of a real capture through the RTL, whose every answer Go checks.
func TestInbandRTL(t *testing.T) {
	if err := cosim.Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
	args := []string{capturetest.Path(t, capturetest.CIP), "--packets", "30", "--impl", "rtl", "--clock", "50"}
	r := inbandReport(t, 0, "", args...)
	if r.RTL == nil || r.RTL.Differences != 0 || r.RTL.DataBytes != 8 || r.RTL.Cycles < 10*r.Hops || r.RTL.GigabitPerSecond != 3.2 {
		t.Errorf("%+v", r.RTL)
	}
	if stdout, _, _ := runInbandCommand("", args...); !strings.Contains(stdout, "0 of") || !strings.Contains(stdout, "3.2 Gb/s = 64 bits x clock") {
		t.Errorf("report\n%s", stdout)
	}
}

// TestInbandDamage reports what was read of a damaged capture on stdout, the damage on stderr, and
// exits with 2.
func TestInbandDamage(t *testing.T) {
	whole := readFile(t, capturetest.Path(t, capturetest.Loopback))
	r := inbandReport(t, 2, whole[:len(whole)-1], "-")
	if r.Packets != 23 || !strings.Contains(r.Damage, "packet 24: found the end of the file") {
		t.Errorf("%d packets, damage %q", r.Packets, r.Damage)
	}
	if _, stderr, _ := runInbandCommand("hello, world", "-"); !strings.Contains(stderr, "found magic number") {
		t.Errorf("stderr %q", stderr)
	}
}

func TestInbandBadUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{nil, "accepts 1 arg"},
		{[]string{filepath.Join(t.TempDir(), "missing")}, "missing"},
		{[]string{"-", "--bits", "128"}, "--bits is 128, expected 256 or 512"},
		{[]string{"-", "--impl", "vhdl"}, `--impl is "vhdl"`},
		{[]string{"-", "--data-bytes", "7"}, "--data-bytes is 7, expected 8, 16, 32 or 64"},
		{[]string{"-", "--clock", "-1"}, "--clock is -1"},
		{[]string{"-", "--nodes", "1"}, "found 1 nodes"},
		{[]string{"-", "--fill-limit", "-1"}, "FillLimit is -1"},
		{[]string{"-", "--key", "testdata/demo/blocklist.txt"}, "hash key"},
	} {
		stdout, stderr, code := runInbandCommand("", test.args...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.says) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q; want 2, %q", test.args, code, stdout, stderr, test.says)
		}
	}
}
