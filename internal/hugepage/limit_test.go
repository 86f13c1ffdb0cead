package hugepage

import "testing"

// Words that are more than is possible are not made, and the error has the numbers. Small tables
// are no question.
func TestMakeWithinMemory(t *testing.T) {
	const possible = 32 << 20
	Possible = func() (int64, string) { return possible, "the test" }
	defer func() { Possible = nil }()
	for bytes, fits := range map[int]bool{8: true, possible: true, possible + 8: false} {
		func() {
			defer func() {
				want := MemoryError{int64(bytes), possible, "the test"}
				if err, is := recover().(*MemoryError); is == fits || is && *err != want {
					t.Errorf("%d bytes: %v", bytes, err)
				}
			}()
			Make(bytes / 8)
		}()
	}
	Possible = func() (int64, string) { return 0, "the test" }
	Make(1 << 20)
}
