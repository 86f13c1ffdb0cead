package deny

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/xdp"
)

// objects returns the programs, maps and links of BPF that the process holds, by their kind and id,
// and the number of its open files.
func objects(t *testing.T) (held map[[2]any]bool, files int) {
	t.Helper()
	const folder = "/proc/self/fdinfo"
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	held = map[[2]any]bool{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			continue // the folder itself, which is closed
		}
		files++
		for line := range strings.Lines(string(text)) {
			var id uint32
			for _, kind := range []string{"prog", "map", "link"} {
				if n, _ := fmt.Sscanf(line, kind+"_id: %d", &id); n == 1 {
					held[[2]any{kind, id}] = true
				}
			}
		}
	}
	return held, files
}

// lives reports whether the kernel has an object.
func lives(object [2]any) bool {
	id := object[1].(uint32)
	var open interface{ Close() error }
	var err error
	switch object[0] {
	case "prog":
		open, err = ebpf.NewProgramFromID(ebpf.ProgramID(id))
	case "map":
		open, err = ebpf.NewMapFromID(ebpf.MapID(id))
	default:
		open, err = link.NewFromID(link.ID(id))
	}
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	return open.Close() == nil
}

// What is pinned outlives the gate, and the next one takes it over, unless it is ended.
func TestPinned(t *testing.T) {
	newGate(t, Config{Rate: 0.01}, nil) // or skip
	runtime.LockOSThread()              // for good: the thread ends with its namespaces
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS); err != nil {
		require.Skip(t, "xdp", "no namespaces: "+err.Error())
	}
	pins := t.TempDir()
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("bpf", pins, "bpf", 0, "")); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(pins, unix.MNT_DETACH)
	config := Config{Target: xdp.Target{Interface: "lo", Pin: filepath.Join(pins, "deny")},
		Rate: 0.01}
	for round := range 3 {
		g, err := New(config, map[xdp.List][]netip.Prefix{xdp.Deny: hosts(0, 10)})
		if err != nil {
			t.Fatal(err)
		}
		if took, err := g.Attach(); err != nil || took != (round > 0) {
			t.Fatalf("round %d: took over %v: %v", round, took, err)
		}
		if round == 2 {
			err = g.Detach()
		}
		err = errors.Join(err, g.Close())
		if _, gone := os.Lstat(config.Target.Pin); err != nil || (gone != nil) != (round == 2) {
			t.Errorf("round %d: the pin: %v; %v", round, gone, err)
		}
	}
}

// A gate that is refused has nothing in force.
func TestNotAttached(t *testing.T) {
	g := newGate(t, Config{Rate: 0.01, Target: xdp.Target{Interface: "absent"}}, nil)
	if _, err := g.Attach(); err == nil || g.attachment != nil {
		t.Errorf("it is attached: %v", err)
	}
}

// A list that is in force is said to be, also where what was before it cannot be given back.
func TestUpdateOfWhatStays(t *testing.T) {
	g := newGate(t, Config{Rate: 0.01}, hosts(0, 10))
	l := g.lists[xdp.Deny]
	field := reflect.ValueOf(l.table).Elem().FieldByName("memory")
	memory := (*[]byte)(field.Addr().UnsafePointer())
	*memory = (*memory)[:1] // which is no mapping
	l.stale = true
	if added, deleted, err := g.Update(xdp.Deny, hosts(7, 10)); added != 7 || deleted != 7 ||
		err != nil || !l.table.Query(hosts(16, 1)[0]) {
		t.Errorf("%d added, %d deleted: %v", added, deleted, err)
	}
}

// Of many gates that are attached, change their lists, build them again and end, the process keeps
// nothing, nor does the kernel: no program, map or link, no file, and no goroutine.
func TestLeaks(t *testing.T) {
	newGate(t, Config{Rate: 0.01}, nil) // or skip, and what the first one opens for all
	runtime.LockOSThread()              // for good: the thread ends with its namespace
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		require.Skip(t, "xdp", "no namespaces: "+err.Error())
	}
	_, files := objects(t)
	goroutines := runtime.NumGoroutine()
	seen := map[[2]any]bool{}
	for round := range 8 {
		config := Config{Target: xdp.Target{Interface: "lo"}, Rate: 0.01}
		config.Options.Mode = []xdp.Mode{xdp.Filter, xdp.Exact}[round%2]
		lists := map[xdp.List][]netip.Prefix{xdp.Deny: hosts(0, 10), xdp.NeverDeny: nil}
		g, err := New(config, lists)
		if err == nil {
			_, err = g.Attach()
		}
		if err != nil {
			t.Fatal(err)
		}
		held := 0
		for update := range 5 {
			g.lists[xdp.Deny].stale = update%2 == 0
			if _, _, err := g.Update(xdp.Deny, hosts(update, 10+update)); err != nil {
				t.Fatal(err)
			}
			now, _ := objects(t)
			for object := range now {
				seen[object] = true
			}
			if update > 0 && len(now) != held {
				t.Fatalf("update %d: %d objects are held, before it %d", update, len(now), held)
			}
			held = len(now)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	now, after := objects(t)
	if after != files {
		t.Errorf("%d files are open, before it %d", after, files)
	}
	for object := range now {
		delete(seen, object) // of the first gate
	}
	if len(seen) < 8*10 {
		t.Errorf("%d objects are seen, want more", len(seen))
	}
	for object := range seen { // the kernel frees them when it has time
		for deadline := time.Now().Add(time.Minute); lives(object); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("the kernel keeps %v", object)
			}
		}
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines run, before it %d", runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(time.Millisecond)
	}
}
