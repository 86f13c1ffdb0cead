package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

func TestDelete(t *testing.T) {
	s := fruit(t)
	s.Run(exitNo, "", "delete", "@f", "apple", "fig", "apple", "fig")
	s.Says("deleted\tapple\nabsent\tfig\nrepeated\tapple\nrepeated\tfig\n")
	if !strings.Contains(s.Stderr, "1 of 2 keys is absent") {
		t.Errorf("stderr %q", s.Stderr)
	}
	s.Run(exitNo, "apple\npear\nplum\n", "query", "@f")
	s.Says("absent\tapple\npresent\tpear\npresent\tplum\n")
	s.Run(exitYes, "plum\n\npear", "delete", "@f")
	s.Says("deleted\tplum\ndeleted\tpear\n")
	s.Files("f", "f.key")
}

// With two bits per key nearly all regions are collided: most keys are retained and stay visible.
func TestDeleteRetains(t *testing.T) {
	s := newShell(t)
	s.Write("f.key", commandtest.FixedKey)
	s.Run(exitYes, numbers(0, 1000), "build", "-o", "@f", "--bits-per-key", "2")
	result := reported[changed](s, exitYes, numbers(0, 500), "delete @f")
	if result.Retained == 0 || result.Deleted+result.Retained != 500 || result.Members != 500 ||
		len(result.Keys) != 500 {
		t.Errorf("%+v", result)
	}
	s.Noted(fmt.Sprintf("bloomlane: note: retained keys: %d. They stay visible; no filter can "+
		"tell that they were deleted, so another delete would count a member less again\n",
		result.Retained))
	var retained []string
	for _, key := range result.Keys {
		if key.Answer == "retained" {
			retained = append(retained, key.Key)
		}
	}
	if len(retained) != result.Retained {
		t.Errorf("%d keys are retained, the summary says %d", len(retained), result.Retained)
	}
	s.Run(exitYes, strings.Join(retained, "\n")+"\n"+numbers(500, 1000), "query", "@f")
	info := s.info("@f")
	if info.Members != 500 || info.Inserts != 1000 || info.Deleted != result.Deleted ||
		info.Retained != result.Retained {
		t.Errorf("%+v, want the counts of %+v", info, result)
	}
	s.Run(exitYes, "", "delete", "@f", retained[0]) // as the note says
	if left := s.info("@f"); left.Members != 499 {
		t.Errorf("%d members after a second delete of one that is retained", left.Members)
	}
}

// Of a filter that counts a key is retained while it is a member, and may be deleted again.
func TestDeleteRetainsWhatCounts(t *testing.T) {
	s := newShell(t)
	s.Run(exitYes, "apple\napple\n", "build", "-o", "@f", "--kind", "spectral-ms")
	s.Run(exitYes, "", "delete", "@f", "apple")
	if s.Notes != "" {
		t.Errorf("notes %q", s.Notes)
	}
}
