package kernel

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

func TestStatusString(t *testing.T) {
	for status, want := range map[Status]string{
		Absent: "absent", Retained: "retained", Deleted: "deleted", 3: "Status(3)",
		255: "Status(255)",
	} {
		if got := status.String(); got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}

// A status is its name in JSON, also as an element of a slice and as a key of a map. A slice of
// numbers of 8 bits without the method would be base64.
func TestStatusJSON(t *testing.T) {
	type result struct {
		One   Status         `json:"one"`
		Many  []Status       `json:"many"`
		None  []Status       `json:"none"`
		Array [2]Status      `json:"array"`
		Last  *Status        `json:"last"`
		Count map[Status]int `json:"count"`
	}
	last := Retained
	in := result{
		One: Deleted, Many: []Status{Absent, Retained, Deleted}, None: []Status{},
		Array: [2]Status{Deleted, Absent}, Last: &last, Count: map[Status]int{Retained: 5},
	}
	const want = `{"one":"deleted","many":["absent","retained","deleted"],"none":[],` +
		`"array":["deleted","absent"],"last":"retained","count":{"retained":5}}`
	text, err := json.Marshal(in)
	if err != nil || string(text) != want {
		t.Errorf("%s, %v\nwant %s", text, err, want)
	}
	var out result
	if err := json.Unmarshal([]byte(want), &out); err != nil {
		t.Fatal(err)
	}
	if out.One != in.One || !slices.Equal(out.Many, in.Many) || out.None == nil ||
		out.Array != in.Array || *out.Last != last || len(out.Count) != 1 ||
		out.Count[Retained] != 5 {
		t.Errorf("%+v, want %+v", out, in)
	}
}

// Values and texts that are no status are neither written nor read. A typed error has them.
func TestNoStatus(t *testing.T) {
	const want = `kernel: status "Status(3)": want absent, retained, deleted`
	var failed *StatusError
	for _, value := range []any{Status(3), []Status{Absent, 3}, struct{ S Status }{3}} {
		text, err := json.Marshal(value)
		if !errors.As(err, &failed) || failed.Text != "Status(3)" || failed.Error() != want {
			t.Errorf("%v: %s, %v; want %s", value, text, err, want)
		}
	}
	for _, text := range []string{"", "Absent", "absent ", "Status(3)", "2"} {
		s := Retained
		if err := s.UnmarshalText([]byte(text)); !errors.As(err, &failed) || failed.Text != text ||
			s != Retained {
			t.Errorf("%q: %v, status %v", text, err, s)
		}
	}
	for _, text := range []string{`2`, `"gone"`, `{}`} {
		s := Retained
		if err := json.Unmarshal([]byte(text), &s); err == nil || s != Retained {
			t.Errorf("%s: %v, status %v", text, err, s)
		}
	}
}
