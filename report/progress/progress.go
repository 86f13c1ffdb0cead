// Package progress is no API: it shows how far long work is: with a bar on a terminal, and
// otherwise not.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar is a progress bar; nil is one that is not shown. A bar that cannot be drawn is no reason to
// stop the work.
type Bar struct{ bar *progressbar.ProgressBar }

// Start returns a bar that is full at total, if stderr is a terminal, and otherwise nil. The unit
// of what it counts is "bytes", a noun that the bar's description names, or "" for none. A total of
// -1 is not known.
func Start(stderr io.Writer, what string, total int64, unit string) *Bar {
	if file, ok := stderr.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return start(stderr, what, total, unit)
}

// start draws the first frame at once, so that something is there before the first piece of work is
// done.
func start(w io.Writer, what string, total int64, unit string) *Bar {
	bytes := unit == "bytes"
	if !bytes && unit != "" {
		what = fmt.Sprintf("%s (%s)", what, unit) // beside the count, where the library has no unit
	}
	return &Bar{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// Set moves the bar to n.
func (b *Bar) Set(n int64) {
	if b != nil {
		_ = b.bar.Set64(n)
	}
}

// Add moves the bar on by n.
func (b *Bar) Add(n int) {
	if b != nil {
		_ = b.bar.Add(n)
	}
}

// Done removes the bar.
func (b *Bar) Done() {
	if b != nil {
		_ = b.bar.Finish()
		_ = b.bar.Clear()
	}
}
