package flows

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// TestClock tells which times are taken from packets: seconds, where -1 is none.
func TestClock(t *testing.T) {
	const bound, far = 10, 1 << 32
	for _, test := range []struct {
		name     string
		in, want []int64
		astray   int
	}{
		{"in order", []int64{5, 6, 16}, []int64{5, 6, 16}, 0},
		{"a leap that is taken back", []int64{5, 6, far, 7}, []int64{5, 6, -1, 7}, 1},
		{"a leap that stays", []int64{5, far, far + 1, far}, []int64{5, far, far + 1, far}, 0},
		{"every one a leap", []int64{0, 11, 22, 33}, []int64{0, 11, 22, 33}, 0},
		{"a leap at the end", []int64{5, far}, []int64{5, far}, 0},
		{"a leap within the bound", []int64{5, 15, 5}, []int64{5, 15, 5}, 0},
		{"a leap within the bound, and back by more", []int64{5, 15, 4}, []int64{5, 15, 4}, 1},
		{"the first one", []int64{far, 5, 6}, []int64{-1, 5, 6}, 1},
		{"back", []int64{far, far - 10, far - 11, far + 1},
			[]int64{far, far - 10, far - 11, far + 1}, 1},
		{"without a time", []int64{-1, 5, -1, far, -1, far}, []int64{-1, 5, -1, far, -1, far}, 0},
	} {
		in := &listed{end: io.EOF}
		for _, at := range test.in {
			h := between(1, 2, time.Duration(at)*time.Second, 0)
			if at < 0 {
				h.Time = time.Time{}
			}
			in.packets = append(in.packets, h)
		}
		c := clock{packets: in, bound: bound * time.Second}
		var got []int64
		for {
			h, err := c.NextHeader()
			if err == io.EOF {
				break
			}
			previous := int64(-1)
			if !h.Time.IsZero() {
				previous = int64(h.Time.Sub(epoch) / time.Second)
			}
			got = append(got, previous)
		}
		if !slices.Equal(got, test.want) || c.astray != test.astray {
			t.Errorf("%s: %v and %d astray, want %v and %d", test.name, got, c.astray,
				test.want, test.astray)
		}
	}
}

// TestTrust: times are no basis for advice where more than a hundredth are astray, but for a single
// one.
func TestTrust(t *testing.T) {
	for _, test := range []struct {
		astray, all int
		trusted     bool
	}{
		{0, 0, true}, {1, 1, true}, {1, 99, true}, {2, 3, false},
		{2, 199, false}, {2, 200, true}, {3, 299, false}, {3, 300, true},
	} {
		traffic := Traffic{Packets: Packets{All: test.all, Astray: test.astray}, timeout: timeout}
		err := traffic.trust()
		var untrue *ClockError
		if (err == nil) != test.trusted {
			t.Errorf("%d of %d packets astray: %v", test.astray, test.all, err)
		}
		if err != nil &&
			(!errors.As(err, &untrue) || *untrue != ClockError{test.astray, test.all, timeout}) {
			t.Errorf("%d of %d packets astray: %+v", test.astray, test.all, untrue)
		}
	}
}

// bursts is a stream of packets of one flow each, with times that some have changed.
func bursts(n int, change func(i int, at time.Duration) time.Duration) Source {
	var all []capture.Header
	for i := range n {
		all = append(all,
			between(uint16(i), 1<<15, change(i, time.Duration(i)*20*time.Millisecond), capture.SYN))
	}
	return stream(io.EOF, all...)
}

// TestOneBadTime changes next to nothing.
func TestOneBadTime(t *testing.T) {
	const packets = 2000
	want := mustRun(t, usual,
		bursts(packets, func(_ int, at time.Duration) time.Duration { return at }))
	got := mustRun(t, usual, bursts(packets, func(i int, t time.Duration) time.Duration {
		if i == 100 {
			return math.MaxInt64
		}
		return t
	}))
	if got.Traffic.Packets.Astray != 1 || got.Traffic.Packets.Backward != 0 {
		t.Errorf("%+v, want one astray", got.Traffic.Packets)
	}
	if got.Traffic.Seconds != want.Traffic.Seconds || got.Traffic.Peak != want.Traffic.Peak ||
		got.Advice.Use != want.Advice.Use {
		t.Errorf("%+v, use %s, want %+v, %s", got.Traffic, got.Advice.Use, want.Traffic,
			want.Advice.Use)
	}
}

// TestManyBadTimes: there is a report, but no advice, and an error says why.
func TestManyBadTimes(t *testing.T) {
	report, damage, err := Run(usual, bursts(2000, func(i int, moment time.Duration) time.Duration {
		if i == 100 || i == 101 {
			return moment + time.Hour
		}
		return moment
	}))
	var untrue *ClockError
	if err != nil || !errors.As(damage, &untrue) || untrue.Astray != 2000-102 ||
		report.Advice != nil {
		t.Fatalf("damage %v, error %v: want an error of the times, and no advice", damage, err)
	}
	if text := report.String(); !strings.Contains(text, "NO ADVICE") {
		t.Error(text)
	}
}
