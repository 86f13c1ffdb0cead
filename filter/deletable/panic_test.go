package deletable

import "testing"

// mustPanic fails the test unless call panics with the message want.
func mustPanic(t *testing.T, want string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	call()
}
