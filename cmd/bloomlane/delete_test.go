package main

import (
	"os"
	"strings"
	"testing"
)

func TestDelete(t *testing.T) {
	s := fruit(t)
	s.run(exitNo, "", "delete", "@f", "apple", "fig", "apple", "fig")
	s.says("deleted\tapple\nabsent\tfig\nrepeated\tapple\nrepeated\tfig\n")
	if !strings.Contains(s.stderr, "1 of 2 keys is absent") {
		t.Errorf("stderr %q", s.stderr)
	}
	s.run(exitNo, "apple\npear\nplum\n", "query", "@f")
	s.says("absent\tapple\npresent\tpear\npresent\tplum\n")
	s.run(exitYes, "plum\n\npear", "delete", "@f")
	s.says("deleted\tplum\ndeleted\tpear\n")
	s.run(exitYes, "", "delete", "@f")
	s.says("")
	s.files("f", "f.key")
}

// With two bits per key nearly all regions are collided: most keys are retained and stay visible.
func TestDeleteRetains(t *testing.T) {
	s := newShell(t)
	s.write("f.key", fixedKey)
	s.run(exitYes, numbers(0, 1000), "build", "-o", "@f", "--bits-per-key", "2")
	s.run(exitYes, numbers(0, 500), "delete", "@f", "--json")
	var result changed
	s.json(&result)
	if result.Retained == 0 || result.Deleted+result.Retained != 500 || result.Members != 500 || len(result.Keys) != 500 {
		t.Errorf("%+v", result)
	}
	var retained []string
	for _, key := range result.Keys {
		if key.Answer == "retained" {
			retained = append(retained, key.Key)
		}
	}
	if len(retained) != result.Retained {
		t.Errorf("%d keys are retained, the summary says %d", len(retained), result.Retained)
	}
	s.run(exitYes, strings.Join(retained, "\n")+"\n"+numbers(500, 1000), "query", "@f")
	info := s.info("@f")
	if info.Members != 500 || info.Inserts != 1000 || info.Deleted != result.Deleted || info.Retained != result.Retained {
		t.Errorf("%+v, want the counts of %+v", info, result)
	}
}

// An input that is bad at its end changes nothing; nor does one of absent keys write the file.
func TestDeleteAllOrNothing(t *testing.T) {
	s := fruit(t)
	content := s.read("f")
	before, err := os.Stat(s.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	s.run(exitBad, "apple\n"+strings.Repeat("x", maxKeyBytes+1), "delete", "@f")
	s.complains("standard input:2: found a line")
	s.run(exitBad, "apple\n", "delete", "@f", "--keys", "-", "--keys", "@missing")
	s.complains("@missing: no such file")
	s.run(exitNo, "", "delete", "@f", "fig")
	after, err := os.Stat(s.path("f"))
	if err != nil || s.read("f") != content || !os.SameFile(before, after) {
		t.Errorf("the file changed (%v)", err)
	}
}
