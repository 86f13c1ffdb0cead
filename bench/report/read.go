package report

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomlane/bloomlane/bench/result"
)

// Read reads a recording, which is a file or in a folder, and returns that folder.
func Read(name string) (r *result.Run, folder string, err error) {
	folder = filepath.Dir(name)
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		folder, name = name, filepath.Join(name, ResultFile)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	if r, err = result.Read(file); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	return r, folder, nil
}

// ReadAll reads the recordings in the folders of a folder. The link of each is the path of its
// page.
func ReadAll(results string) (all []Recording, err error) {
	files, err := filepath.Glob(filepath.Join(results, "*", ResultFile))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has %d recordings (%v)", results, len(files), err)
	}
	for _, file := range files {
		r, folder, err := Read(file)
		if err != nil {
			return nil, err
		}
		all = append(all, Recording{Name: filepath.Base(folder),
			Link: filepath.Join(folder, ReadmeFile), Run: r})
	}
	return all, nil
}
