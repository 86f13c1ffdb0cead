package deletable_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/require"
)

// One process saves a filter again and again, and others map its file: they open it again when it
// is another file. A reader finds every member of each filter that it opens, and gets to the last
// one.
func TestProcessesShareAFile(t *testing.T) {
	const child = "BLOOMLANE_SHARED_FILE"
	const saves, step = 20, 500
	if path := os.Getenv(child); path != "" {
		follow(t, path, saves*step)
		return
	}
	path := filepath.Join(t.TempDir(), "f.blm")
	f, err := deletable.New(deletable.Config{Members: saves * step, BitsPerKey: 16,
		Key: exampleKey})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	var readers []*exec.Cmd
	var said []*bufio.Scanner
	for range 2 {
		reader := exec.Command(os.Args[0], "-test.run=^TestProcessesShareAFile$", "-test.v")
		reader.Env = append(os.Environ(), child+"="+path)
		reader.Stderr = os.Stderr
		output, err := reader.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := reader.Start(); errors.Is(err, syscall.ENOEXEC) {
			require.Skip(t, "processes", "an emulated test binary cannot start itself")
		} else if err != nil {
			t.Fatal(err)
		}
		readers, said = append(readers, reader), append(said, bufio.NewScanner(output))
	}
	for n := range uint64(saves * step) {
		f.InsertUint64(n)
		if (n+1)%step != 0 {
			continue
		}
		if err := f.Save(path); err != nil {
			t.Error(err)
		}
		if n+1 == step { // then the readers follow the others
			for _, lines := range said {
				for lines.Scan() && lines.Text() != "opened" {
				}
			}
		}
	}
	for i, reader := range readers {
		for said[i].Scan() {
			t.Log(said[i].Text())
		}
		if err := reader.Wait(); err != nil {
			t.Errorf("reader %d: %v", i, err)
		}
	}
}

// follow opens the filter of a file again whenever it is another one, until it has that many
// members.
func follow(t *testing.T, path string, most int) {
	var current atomic.Pointer[deletable.Filter]
	var opened os.FileInfo
	reopen := func() error {
		info, err := os.Stat(path)
		if err != nil || os.SameFile(info, opened) {
			return err
		}
		fresh, err := deletable.Open(path, exampleKey)
		if err != nil {
			return err
		}
		current.Store(fresh)
		opened = info
		return nil
	}
	const patience = time.Minute
	members := 0
	for start := time.Now(); members < most; time.Sleep(time.Millisecond) {
		if err := reopen(); err != nil {
			t.Fatal(err)
		}
		f := current.Load()
		for n := range uint64(f.Members()) {
			if !f.QueryUint64(n) {
				t.Fatalf("member %d of %d is lost", n, f.Members())
			}
		}
		if members == 0 {
			fmt.Println("opened")
		}
		members = max(1, f.Members())
		if time.Since(start) > patience {
			t.Fatalf("%d members after %v, want %d", members, patience, most)
		}
	}
}
