// Package capturetest is no API: it finds the real captures that come with the gopacket module, for
// tests.
package capturetest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Captures with many packets, as paths in the gopacket module.
const (
	CIP = "layers/testdata/cip.pcap" // 26,068 packets of industrial Ethernet
	// 276 packets of one TCP connection, segments of up to 64 KiB
	Download = "pcapgo/tests/le/test301.pcapng"
	Loopback = "pcap/test_loopback.pcap" // 24 packets of IPv6 with BSD loopback framing
)

// Dir returns the folder of the gopacket module. A machine that builds this package has it.
func Dir(tb testing.TB) string {
	tb.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/gopacket/gopacket").Output()
	if err != nil {
		tb.Fatalf("go list: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// Path returns the path of one of the captures on disk.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	return filepath.Join(Dir(tb), filepath.FromSlash(name))
}
