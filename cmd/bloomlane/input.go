package main

import (
	"net/netip"
	"os"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/progress"
)

// inputFile is a file that is read, with a progress bar.
type inputFile struct {
	file *os.File
	bar  *progress.Bar
	read int64
}

func openInput(cmd *cobra.Command, name string) (*inputFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	total := int64(-1)
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		total = info.Size()
	}
	return &inputFile{file: file, bar: startProgress(cmd, name, total, "bytes")}, nil
}

func (f *inputFile) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	f.read += int64(n)
	f.bar.Set(f.read)
	return n, err
}

// close may be called twice.
func (f *inputFile) close() {
	f.bar.Done()
	_ = f.file.Close() // it was only read
}

// damagedInput is an input that ends before its first packet.
type damagedInput struct{ err error }

func (d damagedInput) Next() (netip.Addr, []byte, error)   { return netip.Addr{}, nil, d.err }
func (d damagedInput) NextFrame() ([]byte, error)          { return nil, d.err }
func (d damagedInput) NextHeader() (capture.Header, error) { return capture.Header{}, d.err }
