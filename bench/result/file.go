package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// MaxBytes bounds the JSON of a run: some hundred times what one takes.
const MaxBytes = 64 << 20

// ErrTooLarge is wrapped by the error of Read for more than MaxBytes.
var ErrTooLarge = errors.New("too large")

// SchemaError says that a run has another schema than this package reads.
type SchemaError struct{ Found int }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("run of schema %d, want %d", e.Found, Schema)
}

// FormatError says that something is no run: no JSON, or values that no measurement gives.
type FormatError struct{ Err error }

func (e *FormatError) Error() string { return "malformed run: " + e.Err.Error() }
func (e *FormatError) Unwrap() error { return e.Err }

// Read reads a run and nothing after it. Fields that it does not know are passed over, because a
// later version of the same schema may have more. Errors are a *SchemaError, a *FormatError,
// ErrTooLarge or r's own.
func Read(r io.Reader) (*Run, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read a run: %w", err)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("read a run: %w: more than %d bytes", ErrTooLarge, MaxBytes)
	}
	// First alone: the other fields of another schema may have other types.
	var head struct{ Schema *int }
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &FormatError{err}
	}
	if head.Schema == nil {
		return nil, &FormatError{errors.New("no schema")}
	}
	if *head.Schema != Schema {
		return nil, &SchemaError{*head.Schema}
	}
	run := new(Run)
	if err := json.Unmarshal(text, run); err != nil {
		return nil, &FormatError{err}
	}
	if err := run.check(); err != nil {
		return nil, &FormatError{err}
	}
	return run, nil
}

// Write writes the run so that Read reads it back. What Read would refuse is not begun.
func (r *Run) Write(w io.Writer) error {
	if r.Schema != Schema {
		return &SchemaError{r.Schema}
	}
	if err := r.check(); err != nil {
		return &FormatError{err}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(r); err != nil { // infinities, NaN
		return &FormatError{err}
	}
	// A list of numbers on one line, or a run would have tens of thousands.
	_, err := w.Write(numbers.ReplaceAllFunc(text.Bytes(), func(list []byte) []byte {
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	}))
	return err
}

// numbers matches an indented list of numbers, and nothing in a string, which has no line breaks.
var numbers = regexp.MustCompile(`\[\n[-+.,0-9Ee\s]+\]`)

// check returns the first value that no measurement gives.
func (r *Run) check() error {
	for i, t := range r.Timings {
		if err := t.check(); err != nil {
			return fmt.Errorf("timing %d, %s of %q: %w", i, t.Operation, t.Name, err)
		}
	}
	for i, l := range r.Latencies {
		if l.Operation == "" || l.Batch < 1 || l.Bytes < 0 || l.Calls < 0 {
			return fmt.Errorf("latency %d, %s of %q: no operation, or a number below its least", i, l.Operation, l.Name)
		}
		if err := times(l.P50, l.P99, l.P999, l.Max); err != nil {
			return fmt.Errorf("latency %d, %s of %q: %w", i, l.Operation, l.Name, err)
		}
	}
	for i, a := range r.Accuracy {
		if !known(a.Kind) {
			return fmt.Errorf("accuracy %d, of %q: kind %q", i, a.Name, a.Kind)
		}
		if min(a.Members, a.Strangers, a.Positives, a.Lost, a.Refused, a.DeleteLost) < 0 ||
			min(a.Bits, a.Asked) < 0 || max(a.Bits, a.Asked) > maxBits {
			return fmt.Errorf("accuracy %d, of %q: a negative number, or more than %.0g bits a key", i, a.Name, maxBits)
		}
		for _, share := range []*float64{&a.Rate, a.Predicted, a.Deletable, a.PredictedDeletable} {
			if share != nil && (*share < 0 || *share > 1) {
				return fmt.Errorf("accuracy %d, of %q: share %v, want 0 to 1", i, a.Name, *share)
			}
		}
	}
	return nil
}

func (t *Timing) check() error {
	switch {
	case !known(t.Kind):
		return fmt.Errorf("kind %q", t.Kind)
	case t.Operation == "":
		return errors.New("no operation")
	case min(t.Bytes, t.Members, int64(t.Masks), int64(t.Cores), t.Lost) < 0:
		return errors.New("a negative number")
	case min(t.Spread, t.Held, t.Rate, t.Yes) < 0 || t.Held > maxBits || max(t.Rate, t.Yes) > 1:
		return errors.New("a spread, a memory or a share outside its range")
	case t.Ratio != nil && *t.Ratio < 0:
		return errors.New("a negative ratio")
	}
	if err := times(t.Least, t.Median); err != nil {
		return err
	}
	return times(t.Samples...)
}

// Bounds that no measurement reaches and within which no ratio overflows.
const (
	minTime = 1e-6 // ns, of those above 0
	maxTime = 1e15
	maxBits = 1e9 // a key
)

func times(all ...float64) error {
	for _, ns := range all {
		if ns < 0 || ns > 0 && ns < minTime || ns > maxTime {
			return fmt.Errorf("time of %v ns", ns)
		}
	}
	return nil
}

func known(k Kind) bool { return k == Kernel || k == Floor || k == Peer }
