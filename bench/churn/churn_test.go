package churn

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// What is promised of ours: no member is lost, and the rolling filter stays below its bound.
func TestChurn(t *testing.T) {
	for _, life := range []string{"oldest", "random", "pareto:1.5", "mixture:0.5:0.2"} {
		cmd, out := Command(), new(bytes.Buffer)
		cmd.SetArgs([]string{"--json", "--members", "2000", "--bits", "40", "--turnovers", "0,1,5", "--lifetime", life})
		cmd.SetOut(out)
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Config config
			Rows   []row
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Rows) != 6 || got.Config.Lifetime != life {
			t.Fatalf("%d rows of %+v, want 6", len(got.Rows), got.Config)
		}
		for _, r := range got.Rows {
			if r.Bits > 40 || len(r.Rates) != 3 {
				t.Errorf("%s: %s: %.1f bits and %v, want at most 40 and three rates", life, r.Filter, r.Bits, r.Rates)
			}
		}
		for _, r := range got.Rows[:3] {
			if r.Lost != 0 {
				t.Errorf("%s: %s lost %g of its members", life, r.Filter, r.Lost)
			}
		}
		ring, decays := got.Rows[0], got.Rows[1]
		if rebuilt := got.Rows[2]; rebuilt.Rates[2] > decays.Rates[2]/2 {
			t.Errorf("%s: rates %v with a rebuild each turnover, %v without", life, rebuilt.Rates, decays.Rates)
		}
		if ring.Rates[2] > 0.005 || decays.Rates[2] < 2*decays.Rates[0] {
			t.Errorf("%s: rates of the ring %v, want at most 0.005; of the deletable filter %v, want growth", life, ring.Rates, decays.Rates)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--members", "999"}, {"--bits", "9"}, {"--bits", ""}, {"--turnovers", "2,1"}, {"--turnovers", "-1"},
		{"--lifetime", "eternal"}, {"--lifetime", "pareto"}, {"--lifetime", "@none"}, {"more"},
	} {
		cmd := Command()
		cmd.SetArgs(args)
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.Execute(); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
