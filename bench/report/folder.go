// Package report makes what people read of a run of the benchmark: tables for a terminal, a page of
// Markdown with pictures, and the text that benchstat reads. All of it is made of a [result.Run] alone,
// so it can be made again from the JSON of one.
package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// Write writes a run into a folder, which is made where there is none: README.md, result.json,
// benchstat.txt and the pictures. Each file is replaced whole or stays as it was, and other files are
// left alone, but for pictures of a report that was there and that this one has not; where one fails, those
// after it are not written.
func Write(folder string, run *result.Run) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	before, err := os.ReadFile(filepath.Join(folder, ReadmeFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write a report: %w", err)
	}
	files := []file{
		{ResultFile, run.Write},
		{BenchstatFile, func(w io.Writer) error { return Benchstat(w, run) }},
	}
	for _, p := range Plots(run) {
		files = append(files, file{p.Name, p.WriteSVG})
	}
	// Last, because it links the others.
	files = append(files, file{ReadmeFile, func(w io.Writer) error { return Markdown(w, run) }})
	for _, f := range files {
		if err := atomicfile.Write(filepath.Join(folder, f.name), 0o666, f.write); err != nil {
			return fmt.Errorf("write a report: %w", err)
		}
	}
	for _, match := range linkedPicture.FindAllSubmatch(before, -1) {
		name := string(match[1])
		if slices.ContainsFunc(files, func(f file) bool { return f.name == name }) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("write a report: %w", err)
		}
	}
	return nil
}

// linkedPicture is a link to one that Markdown writes: into the same folder.
var linkedPicture = regexp.MustCompile(`\]\(([a-z0-9-]+\.svg)\)`)

type file struct {
	name  string
	write func(w io.Writer) error
}
