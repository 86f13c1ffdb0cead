package main

import (
	"encoding/json"
	"os"
	"testing"
)

// The page is what the committed figures render to, and every row of the table has figures.
func TestReadme(t *testing.T) {
	var committed report
	content, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &committed); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		d := committed.find(r)
		want := len(families)
		if r.large {
			want = 1
		}
		if len(d.Families) != want || r.fmax != (d.HX8K != nil) {
			t.Errorf("results.json lacks figures of %s %s; run make synth", r.top, r.parameters)
		}
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != committed.markdown() {
		t.Error("README.md is stale; run go run ./hdl/synth -render")
	}
}
