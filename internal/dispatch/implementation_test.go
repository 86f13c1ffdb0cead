package dispatch

import (
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/asm"
)

// What can run is the assembly that this CPU has the features for, and portable Go behind it.
func TestDetect(t *testing.T) {
	want := []Implementation{purego}
	for _, set := range asm.Sets {
		if HasAll(set.Features) {
			want = slices.Insert(want, 0,
				Implementation(slices.Index(implementationNames[:], set.Name)))
		}
	}
	all := Implementations()
	if !slices.Equal(all, want) ||
		!slices.IsSortedFunc(all, func(a, b Implementation) int { return int(b) - int(a) }) {
		t.Errorf("%v, want %v, the best first", all, want)
	}
	all[0] = 99
	if Implementations()[0] == 99 {
		t.Error("a caller can write to the list of implementations")
	}
}

func TestImplementationString(t *testing.T) {
	for im, want := range map[Implementation]string{
		purego: "purego", avx2: "avx2", avx512: "avx512", neon: "neon",
		neon + 1: "Implementation(4)", 255: "Implementation(255)",
	} {
		if got := im.String(); got != want {
			t.Errorf("%d: %q, want %q", im, got, want)
		}
	}
}

func TestChoose(t *testing.T) {
	const other = Implementation(200)
	for _, test := range []struct {
		name  string
		want  Implementation
		known bool
	}{
		{"", other, true}, {"purego", purego, true}, {other.String(), other, true},
		{"avx3", other, false}, {"neon", other, false}, {"PUREGO", other, false},
		{"purego ", other, false}, {"\n", other, false},
	} {
		if got, known := choose(test.name, []Implementation{other, purego}); got != test.want ||
			known != test.known {
			t.Errorf("choose %q: %v, known %v; want %v, %v", test.name, got, known,
				test.want, test.known)
		}
	}
}

// This program runs what it chose at start.
func TestChosen(t *testing.T) {
	if want, known := choose(name, available); Active() != want || chosen != choices(want, name) {
		t.Errorf("%v is active, want %v; chosen is %v", Active(), want, chosen)
	} else if got, ok := Named(); got != name || ok != known {
		t.Errorf("named %q, known %v; want %q, %v", got, ok, name, known)
	}
}

// If AVX-512 is active and was not named, also if a name cannot run, AVX2 runs the operations on
// blocks of 256 bits at which it is faster, and no other. A preference is a measurement: no result
// shows that one is wrong.
func TestChoices(t *testing.T) {
	all := func(im Implementation) (chosen [operations]Implementation) {
		for op := range chosen {
			chosen[op] = im
		}
		return chosen
	}
	split := all(avx512)
	for _, op := range []operation{queryBatch256, insert256, deleteBatch256, delete256,
		matchBatch256} {
		split[op] = avx2
	}
	for _, test := range []struct {
		active Implementation
		name   string
		want   [operations]Implementation
	}{
		{avx512, "", split}, {avx512, "avx3", split}, {avx512, "avx512", all(avx512)},
		{avx2, "", all(avx2)}, {avx2, "avx2", all(avx2)}, {neon, "", all(neon)},
		{purego, "purego", all(purego)},
	} {
		if got := choices(test.active, test.name); got != test.want {
			t.Errorf("%v, named %q: %v, want %v", test.active, test.name, got, test.want)
		}
	}
}

// Where an implementation can run, so can what is preferred to it: it needs no more of the CPU.
func TestPreferencesCanRun(t *testing.T) {
	features := func(im Implementation) []string {
		for _, set := range asm.Sets {
			if set.Name == im.String() {
				return set.Features
			}
		}
		return nil // of another CPU, or purego
	}
	for _, p := range preferences {
		for _, name := range features(p.runs) {
			if !slices.Contains(features(p.active), name) {
				t.Errorf("%v is preferred to %v, and needs %s besides", p.runs, p.active, name)
			}
		}
	}
}
