package hdl_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel"
)

// tool returns the output of a program of Icarus, and fails where it does or where it warns.
func tool(t *testing.T, quiet bool, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		require.Skip(t, "icarus", name+" is not installed: apt-get install iverilog")
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil || quiet && len(out) > 0 {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The examples, programmed with the words that the control plane makes, do in a simulator what the
// headers say: the node names the links that are in them, and the service serves the packets that
// it is in, and deletes itself.
func TestExamples(t *testing.T) {
	plane, err := inpacket.New[kernel.Block256](
		inpacket.Config{Key: exampleKey})
	if err != nil {
		t.Fatal(err)
	}
	links := [][]byte{[]byte("north"), []byte("east"), []byte("south"), []byte("west")}
	service := []byte("firewall")
	plane.Add(links...)
	plane.Add(service)
	for i := range 15 {
		plane.Add(fmt.Appendf(nil, "elsewhere %d", i))
	}
	firewall := plane.Element(service)
	var elements []inpacket.Element[kernel.Block256]
	for _, name := range links {
		elements = append(elements, plane.Element(name))
	}
	var writes, packets, want []string
	for table := range plane.Tables() {
		for _, w := range inpacket.PortWrites(elements, table, len(links)) {
			writes = append(writes, fmt.Sprintf("%02x%02x1%011x", table, w.Port, w.Positions))
		}
		writes = append(writes, fmt.Sprintf("%02xff1%011x", table, firewall.Positions[table]))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		var chosen [][]byte
		named, serve := 0, 0
		for i, name := range links {
			if rng.IntN(2) == 0 {
				chosen, named = append(chosen, name), named|1<<i
			}
		}
		if rng.IntN(2) == 0 {
			chosen, serve = append(chosen, service), 1
		}
		for i := range rng.IntN(8) {
			chosen = append(chosen, fmt.Appendf(nil, "elsewhere %d", i))
		}
		candidate, err := plane.Encode(chosen, nil)
		if err != nil {
			t.Fatal(err)
		}
		packet := make([]byte, 64)
		for i := range packet {
			packet[i] = byte(rng.Uint32())
		}
		h := candidate.Header
		after := h
		after.Delete(firewall)
		packet[12], packet[13] = 0x88, 0xb5
		if n%10 == 0 { // no header, though it looks like one
			packet[13], after, named, serve = 0xb6, h, 0, 0
		}
		packets = append(packets, beat(packet, &h))
		want = append(want, fmt.Sprintf("%04b %b %s", named, serve, beat(packet, &after)))
	}

	folder := t.TempDir()
	file := func(name string, lines []string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program := filepath.Join(folder, "tb")
	tool(t, true, "iverilog", "-g2001", "-Wall", "-I", "rtl", "-y", "rtl", "-y", "example",
		"-o", program, "-P", fmt.Sprintf("example_tb.WRITES=%d", len(writes)), "-P",
		fmt.Sprintf("example_tb.PACKETS=%d", len(packets)), "example/example_tb.v")
	out := tool(t, false, "vvp", "-n", program, "+writes="+file("writes", writes),
		"+packets="+file("packets", packets))
	got := strings.Split(strings.TrimSpace(out), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d packets come out, want %d:\n%.500s", len(got), len(want), out)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("packet %d: links, serve, packet\n%s, want\n%s", i, got[i], want[i])
		}
	}
}

// beat returns a packet of 64 bytes with a header, its last byte first.
func beat(packet []byte, h *inpacket.Header256) string {
	data, _ := h.MarshalBinary() // it never fails
	b := slices.Concat(packet[:14], data, packet[14+len(data):])
	slices.Reverse(b)
	return hex.EncodeToString(b)
}

var exampleKey, _ = key.Parse("0100000000000000000000000000000000000000000000000000000000000000")
