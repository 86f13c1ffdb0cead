package measure

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a progress bar on stderr, where that is a terminal, and otherwise nothing.
type progress struct{ bar *progressbar.ProgressBar }

func startProgress(stderr io.Writer, what string, total int) progress {
	file, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return progress{}
	}
	return progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(file),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// add moves the bar on. A bar that cannot be drawn is no reason to stop the work.
func (p progress) add(n int) {
	if p.bar != nil {
		_ = p.bar.Add(n)
	}
}

// done removes the bar.
func (p progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
		_ = p.bar.Clear()
	}
}

// Steps returns a function that shows how many of all steps are done.
func (p Plan) Steps(what string) func(done, all int) {
	var bar *progress
	return func(done, all int) {
		if bar == nil {
			started := startProgress(p.Stderr, what, all)
			bar = &started
		}
		bar.add(1)
		if done == all {
			bar.done()
		}
	}
}
