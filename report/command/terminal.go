package command

import (
	"io"
	"os"

	"golang.org/x/term"
)

// resultWriter is standard output. It keeps the first error of a write: cobra does not look at it
// when it writes a help text.
type resultWriter struct {
	io.Writer
	err error
}

func (r *resultWriter) Write(b []byte) (int, error) {
	n, err := r.Writer.Write(b)
	if r.err == nil {
		r.err = err
	}
	return n, err
}

// IsTerminal reports whether what is written to w goes to a terminal. Tests replace it.
var IsTerminal = func(w io.Writer) bool {
	if r, ok := w.(*resultWriter); ok {
		w = r.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
