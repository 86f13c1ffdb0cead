package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// progress is a progress bar on stderr, where that is a terminal, and otherwise nothing.
type progress struct{ bar *progressbar.ProgressBar }

// startProgress starts a bar that is full at total, in bytes where bytes is true. A total of -1
// means that it is not known.
func startProgress(cmd *cobra.Command, what string, total int64, bytes bool) progress {
	stderr, ok := cmd.ErrOrStderr().(*os.File)
	if !ok || !term.IsTerminal(int(stderr.Fd())) {
		return progress{}
	}
	return progress{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
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
