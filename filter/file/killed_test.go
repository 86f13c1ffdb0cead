package file

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/internal/require"
)

// savers is the environment variable that tells a child process to save, and where.
const savers = "BLOOMLANE_SAVE_TO"

// generation returns the contents of save n. They are so large that most moments are within a
// write.
func generation(number uint64) *Contents {
	c := &Contents{Kind: "a", Sections: []Section{{"x", words(pieceWords+7, number%2)},
		{"y", words(99, number)}}}
	c.Set("number", number)
	return c
}

// saveForEver is the child. It saves one generation after another, and prints a line for each.
func saveForEver(path string) {
	for number := uint64(1); ; number++ {
		if err := generation(number).Save(path, 0o600); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(number)
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv(savers); path != "" {
		saveForEver(path)
	}
	os.Exit(m.Run())
}

// A process that is killed while it saves leaves either the old file or the new one, whole. The
// test kills it at 20 moments, with BLOOMLANE_FILES=full at 200, and with -short at 5.
func TestKilledWhileSaving(t *testing.T) {
	kills := 20
	if full() {
		kills = 200
	} else if testing.Short() {
		kills = 5
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	path := filepath.Join(t.TempDir(), "f.blm")
	unfinished, newer := 0, 0
	for kill := range kills {
		if err := generation(0).Save(path, 0o600); err != nil {
			t.Fatal(err)
		}
		child := exec.Command(program)
		child.Env = append(os.Environ(), savers+"="+path)
		output, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); errors.Is(err, syscall.ENOEXEC) {
			require.Skip(t, "processes", "an emulated test binary cannot start itself")
		} else if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(output)
		late := time.AfterFunc(2*time.Minute, func() { _ = child.Process.Kill() })
		lines.Scan() // it has saved once
		if !late.Stop() {
			t.Fatal("the child has not saved once in two minutes")
		}
		time.Sleep(time.Duration(rng.IntN(15_000)) * time.Microsecond)
		if err := child.Process.Kill(); err != nil {
			t.Error(err)
		}
		last := uint64(0)
		for more := true; more; more = lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &last); err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // it returns an error, because the child was killed

		c, err := Open(path, VerifyNow)
		if err != nil {
			t.Fatalf("kill %d after %d saves: %v", kill, last, err)
		}
		number, err := c.Uint("number", last, last+1)
		if err != nil {
			t.Fatalf("kill %d after %d saves: %v", kill, last, err)
		}
		if number == last+1 {
			newer++
		}
		got, _ := c.Append(nil)
		if want, _ := generation(number).Append(nil); !bytes.Equal(got, want) {
			t.Fatalf("kill %d: the file is not that of save %d", kill, number)
		}
		rest, err := filepath.Glob(path + ".*")
		if err != nil || len(rest) > 1 {
			t.Errorf("kill %d: %d files beside it (%v)", kill, len(rest), err)
		}
		for _, name := range rest {
			unfinished++
			if err := os.Remove(name); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d kills: %d left an unfinished file beside the old one, %d came between the rename "+
		"and its report",
		kills, unfinished, newer)
	if unfinished == 0 && kills >= 20 { // about half of the kills are within a save
		t.Error("no kill was within a save")
	}
}
