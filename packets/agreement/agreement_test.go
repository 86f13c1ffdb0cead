package agreement

import (
	"os"
	"testing"

	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
)

func TestTry(t *testing.T) {
	f, err := os.Open(capturetest.Path(t, capturetest.CIP))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := Config{Blocks: 128, Steps: 64, Seed: 1}
	r, err := Run(t.Context(), c, "cip.pcap", f)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.String())
}
