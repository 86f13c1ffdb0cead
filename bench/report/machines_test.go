package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
)

// measured returns a run whose batches are in a cache and in memory, as those of a machine are.
func measured() *result.Run {
	run, _ := besides()
	for i, g := range run.Groups {
		size := map[int64]int64{16 << 20: cacheBytes, 2 << 30: memoryBytes}[g.Bytes]
		if g.Against == "" && size > 0 {
			run.Groups[i].Bytes = size
		}
	}
	return run
}

// A machine has a row with its times, and an architecture without a machine an empty one.
func TestMachines(t *testing.T) {
	arm := measured()
	arm.Platform, arm.CPU, arm.Implementations = "linux/arm64", "Core(R) | 7", []string{"avx512"}
	all := []Recording{{"one", "one/README.md", measured()}}
	const none = "| none yet | arm64 |  | – |"
	const times = "| avx512 | 2.92 / 15.0 | 4.24 / 22.4 | 5.03 / 26.8 | 9.50 / 21.0 | 0123456 |"
	says(t, Blocks(all)["machines"], "| [one](one/README.md) | Synthetic CPU of tests @ 1 MHz, 4 "+
		"cores, caches 32 KiB, 1 MiB, unknown "+times, none)
	all = append(all, Recording{"two", "two/README.md", arm})
	got := Blocks(all)["machines"]
	says(t, got, `| [two](two/README.md) | Core \| 7, 4 cores`)
	if strings.Contains(got, "none yet") || strings.Count(got, times) != 2 {
		t.Errorf("an empty row where there is a machine, or other times:\n%s", got)
	}
	// Memory is what the largest filters of keys of bytes say.
	small := measured()
	for i, g := range small.Groups {
		if g.Bytes == memoryBytes {
			small.Groups[i].Bytes = memoryBytes / 4
		}
	}
	says(t, Blocks(append(all, Recording{"small", "s.md", small}))["machines"],
		"512 KiB / 128 MiB or 512 MiB)", "| [small](s.md) | Synthetic CPU of tests @ 1 MHz, 4 "+
			"cores, caches 32 KiB, 1 MiB, unknown "+times)
	bare := new(result.Run) // of which nothing is known
	bare.Platform = "linux/arm64"
	says(t, Blocks([]Recording{{"bare", "b.md", bare}})["machines"], "| – | – | – | – | – |")
}

// What is taken in is there with its page, and what is refused leaves nothing.
func TestTake(t *testing.T) {
	results := t.TempDir()
	take := func(name string, spoil func(run *result.Run)) error {
		run, file := measured(), filepath.Join(t.TempDir(), "result.json")
		spoil(run)
		written, err := os.Create(file)
		if err == nil {
			err = errors.Join(run.Write(written), written.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return Take(results, name, file)
	}
	for want, spoil := range map[string]func(run *result.Run){
		`found the commit ""`:               func(run *result.Run) { run.Revision = "" },
		`found the commit "0123, modified"`: func(run *result.Run) { run.Revision = "0123, modified" },
		"found no batches of delete": func(run *result.Run) {
			keep(run, func(g result.Group) bool { return g.Operation != "delete" },
				func(result.Subject) bool { return true })
		},
		"found 7 rounds of query (mixed), expected 8 or more": func(run *result.Run) {
			each(run, func(_ result.Group, s *result.Subject) { s.Rounds = 7 })
		},
	} {
		var e *TakeError
		if err := take("machine", spoil); !errors.As(err, &e) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, name := range []string{"", "..", "a/b", "A", "a--b", "-a", strings.Repeat("a", 41)} {
		var e *TakeError
		if err := take(name, func(*result.Run) {}); !errors.As(err, &e) {
			t.Errorf("%q: error %v, want a %T", name, err, e)
		}
	}
	if left, err := os.ReadDir(results); len(left) > 0 || err != nil {
		t.Errorf("%d files of what was refused (%v)", len(left), err)
	}
	if err := take("machine", func(*result.Run) {}); err != nil {
		t.Fatal(err)
	}
	all, err := ReadAll(results)
	if err != nil || len(all) != 1 || all[0].Name != "machine" || all[0].CPU != measured().CPU {
		t.Fatalf("%+v (%v)", all, err)
	}
	if page, err := os.ReadFile(all[0].Link); err != nil ||
		!strings.Contains(string(page), "](result.json.gz)") {
		t.Errorf("no page of the machine (%v)", err)
	}
	if err := take("machine", func(run *result.Run) { run.Go = "go1.27" }); err != nil {
		t.Errorf("a new recording of a machine: %v", err)
	}
	hashes := func(run *result.Run) {
		keep(run, func(g result.Group) bool { return g.Operation == hashing },
			func(result.Subject) bool { return true })
	}
	if err := take("hashes", hashes); err != nil {
		t.Errorf("a recording of hashes alone: %v", err)
	}
	if err := take("machine", func(run *result.Run) { run.CPU = "another" }); err == nil ||
		!strings.Contains(err.Error(), `found a recording of "another"`) {
		t.Errorf("another machine in the place of one: error %v", err)
	}
}
