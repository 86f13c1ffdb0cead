package atomicfile

import "os"

// Scratch creates an empty file beside path, to write and read. It has no name, so nothing is left
// of it when it is closed, or when the process ends in any way. On Windows it has one until then.
func Scratch(path string) (*os.File, error) {
	Sweep(path) // of processes that were killed before they removed the name
	file, err := create(path, os.O_RDWR|removedAtEnd, 0o600)
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // Windows removes no open file, but this one at its end
	return file, nil
}
