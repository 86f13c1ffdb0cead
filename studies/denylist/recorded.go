package denylist

import (
	"slices"

	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/studies/recording"
)

// The recording in a folder, and its picture.
const (
	fileName    = "denylist.json"
	pictureName = "denylist.svg"
)

// The names of the subjects that the page says something of.
const (
	nameFilter = "bloomlane, filter"
	nameExact  = "bloomlane, exact"
	bareParse  = "bare parse"
	barePass   = "bare pass"
	bareDrop   = "bare drop"
)

// bitsPerMember is the memory of the tables of module xdp.
const bitsPerMember = 16

// found is what a run found.
type found struct {
	recording.Run
	Kernel string   `json:"kernel"`
	Config config   `json:"config"`
	Lists  []list   `json:"lists"`
	Timed  []timed  `json:"timed"`
	Live   []timed  `json:"live"`
	Notes  []string `json:"notes"` // what was not measured, and why
}

// list is a deny list of one subject.
type list struct {
	Subject string `json:"subject"`
	Family  family `json:"family"`
	Members int    `json:"members"`
	Bytes   int64  `json:"bytes"` // that the kernel says the list takes
	// ns per member, from a list of addresses in memory to a list in force
	Load float64 `json:"load_ns"`
	// non-members that were asked, and those of them that were dropped
	Asked   int `json:"asked,omitzero"`
	Dropped int `json:"dropped,omitzero"`
	Missed  int `json:"missed,omitzero"` // members that passed, of as many
}

// timed is the time of a packet.
type timed struct {
	Subject string  `json:"subject"`
	Family  family  `json:"family"`
	Members int     `json:"members"`
	Listed  string  `json:"listed"` // the share of the sources
	Least   float64 `json:"least_ns"`
	Median  float64 `json:"median_ns"` // of the rounds
	// frames that came through the veth pair, of those that were sent; nothing else is timed
	Received float64 `json:"received,omitzero"`
}

func (r *found) Name() string { return fileName }

func (r *found) Pictures() map[string]*chart.Picture {
	return map[string]*chart.Picture{pictureName: r.picture()}
}

func (r *found) Check() error {
	for _, t := range slices.Concat(r.Timed, r.Live) {
		if t.Subject == "" || t.Least <= 0 || t.Median < t.Least ||
			!slices.Contains(families, t.Family) ||
			!slices.ContainsFunc(mixes, func(m mix) bool { return m.Name == t.Listed }) {
			return recording.Malformed("a time of %q with %q listed, %v to %v ns", t.Subject,
				t.Listed, t.Least, t.Median)
		}
	}
	for _, l := range r.Lists {
		if l.Subject == "" || l.Members < 1 || l.Bytes < 0 || l.Load < 0 || l.Dropped > l.Asked {
			return recording.Malformed("a list of %q with %d members in %d bytes", l.Subject,
				l.Members, l.Bytes)
		}
	}
	if len(r.Timed) == 0 || len(r.Lists) == 0 {
		return recording.Malformed("no times, or no lists")
	}
	return nil
}
