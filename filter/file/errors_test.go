package file

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// An error has at most 300 bytes beside the path, and a long path is cut in its middle, whatever a
// file has and however it is called.
func TestErrorsAreBounded(t *testing.T) {
	long := strings.Repeat("long/", 800)
	path := "/start/" + long + "end"
	_, missing := Open(path, VerifyNow)
	_, folder := Open(t.TempDir(), VerifyNow)
	for _, test := range []struct {
		err         error
		wraps       error
		most        int
		starts, has string
	}{
		{missing, fs.ErrNotExist, 300 + 2*mostPath, "open filter /start/", "/end: "},
		{folder, ErrNotFilter, 300 + mostPath, "open filter /", ": not a Bloomlane filter: found " +
			"file mode d"},
		{At("verify", path, Wrong(ErrBounds, long, long)), ErrBounds, 300 + mostPath,
			"verify filter /start/", "/end: number out of bounds: found long/"},
		{Wrong(ErrUnverified, long, long), ErrUnverified, 300, "filter: opened", ", expected long"},
		{At("read", "f", errors.New(long)), nil, 300 + mostPath, "read filter f: long/", "…"},
	} {
		text := test.err.Error()
		if len(text) > test.most || !strings.HasPrefix(text, test.starts) ||
			!strings.Contains(text, test.has) || test.wraps != nil &&
			!errors.Is(test.err, test.wraps) {
			t.Errorf("%d bytes, want at most %d, %q and %q: %s", len(text), test.most, test.starts,
				test.has, text)
		}
	}
	var e *Error
	if !errors.As(missing, &e) || e.Path != path {
		t.Errorf("%#v, want the whole path", missing)
	}
	short := filepath.Join(t.TempDir(), "f")
	if _, err := Open(short, VerifyNow); strings.Count(err.Error(), short) != 2 {
		t.Errorf("%v, want %s as it is", err, short)
	}
}
