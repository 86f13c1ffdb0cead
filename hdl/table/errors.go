package table

import "fmt"

// DeviceError says that the hardware is not what was expected, or that what was to be done does not
// fit it.
type DeviceError struct {
	What            string
	Found, Expected int64 // expected: exactly, or of a bank and of what is counted at most
}

// Error says what was found and expected.
func (e *DeviceError) Error() string {
	return fmt.Sprintf("table device: %s: found %#x, expected %#x", e.What, e.Found, e.Expected)
}

func mismatch[N int | uint32](what string, found, expected N) *DeviceError {
	return &DeviceError{what, int64(found), int64(expected)}
}

// ClearingError says that a bank was not empty in time: the hardware does not answer as it should.
type ClearingError struct {
	Reads int // of the register Bank
}

// Error says how long it was waited for.
func (e *ClearingError) Error() string {
	return fmt.Sprintf("table device: a bank is still being emptied after %d reads, expected fewer",
		e.Reads)
}
