// Package page is no API: it makes a page of HTML from records of reports.
package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/packets/agreement"
	"github.com/bloomlane/bloomlane/packets/deny"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/kernels"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// Report is a record with its result.
type Report struct {
	command.Record
	Of interface{ Tables() []*pivot.Table } // a *Report of one of the packages below
}

// RecordError says that an input is no record that a page can be made of.
type RecordError struct {
	Name string
	Err  error
}

func (e *RecordError) Error() string {
	const most = 160 // of what a forged record is quoted with
	const text = "%s: %s, expected a record of agreement, guard, deny or kernels"
	return fmt.Sprintf(text, e.Name, legible.Cut(e.Err.Error(), most))
}

func (e *RecordError) Unwrap() error { return e.Err }

// maxRecord bounds the bytes of a record.
const maxRecord = 64 << 20

// Read reads a record. An error is a [*RecordError] or that of the reader.
func Read(name string, r io.Reader) (*Report, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxRecord+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	report, err := parse(text)
	if err != nil {
		return nil, &RecordError{name, err}
	}
	return report, nil
}

func parse(text []byte) (*Report, error) {
	if len(text) > maxRecord {
		return nil, fmt.Errorf("found more than %d bytes", maxRecord)
	}
	var r Report
	if err := strict(text, &r.Record); err != nil {
		return nil, err
	}
	switch r.Command {
	case "agreement":
		r.Of = new(agreement.Report)
	case "guard":
		r.Of = new(guard.Report)
	case "deny":
		r.Of = new(deny.Report)
	case "kernels":
		r.Of = new(kernels.Report)
	default:
		return nil, fmt.Errorf("found the command %q", r.Command)
	}
	if len(r.Result) == 0 || r.Result[0] != '{' {
		return nil, errors.New("found no result")
	}
	return &r, strict(r.Result, r.Of) // one of another version can have other fields
}

func strict(text []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("found text after the record")
	}
	return nil
}
