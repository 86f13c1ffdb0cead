package flows

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
)

// Filters that delete have a shadow, which finds nothing where flows keep the contract, and which
// changes no answer; the same seed finds the same.
func TestShadow(t *testing.T) {
	c := usual
	c.Synthesis = &Synthesis{Flows: 20_000, Density: 5, Seed: 2}
	without := mustRun(t, c, file(t, capturetest.CIP))
	c.Shadow = 64
	audited := mustRun(t, c, file(t, capturetest.CIP))
	second := mustRun(t, c, file(t, capturetest.CIP))
	if !reflect.DeepEqual(audited.Totals, second.Totals) {
		t.Errorf("%+v, and again %+v", audited.Totals, second.Totals)
	}
	for i, f := range audited.Totals {
		s := f.Shadow
		f.Shadow = nil
		if !reflect.DeepEqual(f, without.Totals[i]) {
			t.Errorf("with a shadow %+v, without %+v", f, without.Totals[i])
		}
		if f.Filter == insertOnly {
			if s != nil {
				t.Errorf("%s has a shadow", f.Filter)
			}
			continue
		}
		if s.Alarm() != nil || s.Inserts.Members+s.Deletes.NonMembers > 0 ||
			s.Inserts.NonMembers < 200 || s.Checks.Members == 0 {
			t.Errorf("%s: %v", f.Filter, s)
		}
		if r := s.Checks.Rate(); f.Builds == 0 &&
			(r.Part > 3*f.Worst.Rate || s.Queries.NonMembers == 0) {
			t.Errorf("%s: rate %v, at worst %g", f.Filter, r, f.Worst.Rate)
		}
	}
	if audited.Failure() != nil || !strings.Contains(audited.String(), "deleted, no member") ||
		strings.Contains(without.String(), "shadow") {
		t.Errorf("%v\n%s", audited.Failure(), audited)
	}
	audited.Totals[1].Shadow.Checks.FalseNegatives = 1
	if err := audited.Failure(); err == nil ||
		!strings.HasPrefix(err.Error(), audited.Totals[1].Filter+": audit: ") {
		t.Errorf("an alarm: %v", err)
	}
}
