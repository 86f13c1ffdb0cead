package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// progress is a progress bar on stderr, where that is a terminal, and otherwise nothing.
type progress struct{ bar *progressbar.ProgressBar }

// startProgress starts a bar that is full at total, in the unit that it counts: "bytes", a noun that the
// bar's description names, or "" for nothing. A total of -1 means that it is not known.
func startProgress(cmd *cobra.Command, what string, total int64, unit string) progress {
	stderr, ok := cmd.ErrOrStderr().(*os.File)
	if !ok || isQuiet(cmd) || !term.IsTerminal(int(stderr.Fd())) {
		return progress{}
	}
	return newProgress(stderr, what, total, unit)
}

// newProgress draws the first frame at once, so that something is there before the first piece of work is
// done.
func newProgress(w io.Writer, what string, total int64, unit string) progress {
	bytes := unit == "bytes"
	if !bytes && unit != "" {
		what = fmt.Sprintf("%s (%s)", what, unit) // beside the count, where the library has no unit
	}
	return progress{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// set moves the bar to n. A bar that cannot be drawn is no reason to stop the work.
func (p progress) set(n int64) {
	if p.bar != nil {
		_ = p.bar.Set64(n)
	}
}

// done removes the bar.
func (p progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
		_ = p.bar.Clear()
	}
}
