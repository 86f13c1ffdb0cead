package result

import (
	"bufio"
	"bytes"
	"compress/gzip"
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

// SchemaError says that a run has another schema than is read.
type SchemaError struct{ Found, Expected int }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("run of schema %d, want %d", e.Found, e.Expected)
}

// FormatError says that something is no run: no JSON, or values that no measurement gives.
type FormatError struct{ Err error }

func (e *FormatError) Error() string { return "malformed run: " + e.Err.Error() }
func (e *FormatError) Unwrap() error { return e.Err }

// Read reads a run as [Decode] does.
func Read(r io.Reader) (*Run, error) {
	run := new(Run)
	if err := Decode(r, Schema, run); err != nil {
		return nil, err
	}
	if err := run.check(); err != nil {
		return nil, &FormatError{err}
	}
	return run, nil
}

// Decode reads the JSON of a run of a schema, in gzip or not, and nothing after it. Fields that
// the run does not have are passed over, because a later version of the same schema may have more.
// Errors are a *SchemaError, a *FormatError, ErrTooLarge or r's own.
func Decode(r io.Reader, schema int, run any) error {
	buffered := bufio.NewReader(r)
	r = buffered
	// what cannot be read is told below
	if magic, _ := buffered.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return &FormatError{err}
		}
		r = unzipped
	}
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF):
		return &FormatError{err}
	case err != nil:
		return fmt.Errorf("read a run: %w", err)
	case len(text) > MaxBytes:
		return fmt.Errorf("read a run: %w: more than %d bytes", ErrTooLarge, MaxBytes)
	}
	// First alone: the other fields of another schema may have other types.
	var head struct{ Schema *int }
	if err := json.Unmarshal(text, &head); err != nil {
		return &FormatError{err}
	}
	if head.Schema == nil {
		return &FormatError{errors.New("no schema")}
	}
	if *head.Schema != schema {
		return &SchemaError{*head.Schema, schema}
	}
	if err := json.Unmarshal(text, run); err != nil {
		return &FormatError{err}
	}
	return nil
}

// Write writes the run so that Read reads it back. What Read would refuse is not begun.
func (r *Run) Write(w io.Writer) error {
	if r.Schema != Schema {
		return &SchemaError{r.Schema, Schema}
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

// WriteGzip is [Run.Write] in gzip.
func (r *Run) WriteGzip(w io.Writer) error {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(r.Write(zipped), zipped.Close())
}

// numbers matches an indented list of numbers, and nothing in a string, which has no line breaks.
var numbers = regexp.MustCompile(`\[\n[-+.,0-9Ee\s]+\]`)

// Bounds that no measurement reaches and within which no ratio overflows.
const (
	minTime = 1e-6 // ns, of those above 0
	maxTime = 1e15
	maxBits = 1e9 // per key
)

// check returns the first value that no measurement gives.
func (r *Run) check() error {
	for i, g := range r.Groups {
		if g.Operation == "" || min(g.Bytes, g.Members, int64(g.Masks), int64(g.Cores),
			int64(g.BlockBits)) < 0 {
			return fmt.Errorf("group %d: no operation, or a negative number", i)
		}
		for _, s := range g.Subjects {
			err := times(append([]float64{s.Least}, s.Samples...)...)
			if min(s.BytesPerKey, s.Rate, s.Yes) < 0 || s.BytesPerKey > maxBits ||
				max(s.Rate, s.Yes) > 1 || s.Lost < 0 {
				err = errors.New("a memory, a share or a count outside its range")
			}
			if err = errors.Join(s.Kind.check(), err); err != nil {
				return fmt.Errorf("group %d, %s of %q: %w", i, g.Operation, s.Name, err)
			}
		}
	}
	for i, l := range r.Latencies {
		if l.Operation == "" || l.Batch < 1 || l.Bytes < 0 || l.Calls < 0 {
			return fmt.Errorf("latency %d: no operation, or a number below its least", i)
		}
		if err := times(l.P50, l.P99, l.P999, l.Max); err != nil {
			return fmt.Errorf("latency %d: %w", i, err)
		}
	}
	for i, a := range r.Accuracy {
		err := a.Kind.check()
		if min(a.Members, a.NonMembers, a.Positives, a.Lost, a.Refused, a.DeleteLost) < 0 ||
			min(a.Bits, a.Asked) < 0 || max(a.Bits, a.Asked) > maxBits {
			err = fmt.Errorf("a negative number, or more than %.0g bits per key", maxBits)
		}
		for _, share := range []*float64{&a.Rate, a.Predicted, a.Deletable, a.PredictedDeletable} {
			if share != nil && (*share < 0 || *share > 1) {
				err = fmt.Errorf("share %v, want 0 to 1", *share)
			}
		}
		if err != nil {
			return fmt.Errorf("accuracy %d, of %q: %w", i, a.Name, err)
		}
	}
	return nil
}

func times(all ...float64) error {
	for _, ns := range all {
		if ns < 0 || ns > 0 && ns < minTime || ns > maxTime {
			return fmt.Errorf("time of %v ns", ns)
		}
	}
	return nil
}

func (k Kind) check() error {
	if k != Implementation && k != Floor && k != Peer {
		return fmt.Errorf("kind %q", k)
	}
	return nil
}
