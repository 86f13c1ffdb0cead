package denylist

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/bench/result"
)

// measure measures all lists, and calls step after each round of each mix.
func (r *found) measure(step func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return err
	}
	r.Kernel = unix.ByteSliceToString(name.Release[:])
	for _, f := range families {
		for _, members := range r.Config.Members {
			if err := r.alone(f, members, step); err != nil {
				return err
			}
			debug.FreeOSMemory()
		}
	}
	return r.live(step)
}

// subjects are programs with their lists.
type subjects []*subject

func (all subjects) close() {
	for _, s := range all {
		s.close()
	}
}

// note says what was not measured, once.
func (r *found) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// subjects returns all programs, and adds their lists to what was found.
func (r *found) subjects(f family, members []address) (all subjects, err error) {
	add := func(s *subject, err error) error {
		if err == nil {
			all = append(all, s)
		}
		return err
	}
	for _, b := range bare {
		err = errors.Join(err, add(newBare(b.name, b.program)))
	}
	for _, o := range ours {
		err = errors.Join(err, add(newOurs(o.name, o.mode, f, members)))
	}
	for _, c := range comparators {
		err = errors.Join(err, add(c.make(f, members)))
	}
	if err != nil {
		all.close()
		return nil, err
	}
	return all, nil
}

// alone measures programs that are run by the kernel's test calls: without a driver and a stack.
func (r *found) alone(f family, members int, step func()) error {
	c := &r.Config
	listed, unlisted := addresses(f, members, max(c.Sources, c.Asked))
	all, err := r.subjects(f, listed)
	if err != nil {
		return err
	}
	defer all.close()
	feed, err := newFeeder(c.Sources, 0)
	if err != nil {
		return err
	}
	defer feed.Close()
	for _, s := range all {
		if err := r.ask(s, f, listed, unlisted[:c.Asked]); err != nil {
			return err
		}
	}
	for _, mix := range mixes {
		if err := feed.give(mix.draw(c.Sources, listed, unlisted)); err != nil {
			return err
		}
		times := newTimes(len(all), c.Sources/c.Slice)
		for round := range c.Rounds {
			err := times.round(round, func(subject, slice int) (time.Duration, error) {
				if err := feed.to(all[subject].program); err != nil {
					return 0, err
				}
				return feed.run("feed", f, slice*c.Slice, c.Slice, 0)
			})
			if err != nil {
				return err
			}
			step()
		}
		for i, s := range all {
			least, median := times.summary(i, c.Slice)
			r.Timed = append(r.Timed, timed{Subject: s.name, Family: f, Members: members,
				Listed: mix.Name, Least: least, Median: median})
		}
	}
	return nil
}

// ask adds a subject's list, with the verdicts on members and non-members.
func (r *found) ask(s *subject, f family, listed, unlisted []address) error {
	if s.memory == nil {
		return nil
	}
	bytes, err := s.memory()
	if err != nil {
		return err
	}
	l := list{Subject: s.name, Family: f, Members: len(listed), Bytes: int64(bytes), Load: s.load,
		Asked: len(unlisted)}
	packet := frame(f)
	drops := func(a address) (bool, error) {
		a.write(packet, f)
		verdict, err := s.program.Run(&ebpf.RunOptions{Data: packet})
		return verdict == xdpDrop, err
	}
	for _, a := range unlisted {
		drop, err := drops(a)
		if err != nil {
			return err
		}
		if drop {
			l.Dropped++
		}
	}
	for _, a := range listed[:min(len(listed), len(unlisted))] {
		drop, err := drops(a)
		if err != nil {
			return err
		}
		if !drop {
			l.Missed++
		}
	}
	r.Lists = append(r.Lists, l)
	return nil
}

// xdpDrop is the verdict of a packet that is dropped.
const xdpDrop = 1

// feeder gives packets their sources.
type feeder struct{ *ebpf.Collection }

func newFeeder(sources, out int) (*feeder, error) {
	spec, err := loadObject()
	if err != nil {
		return nil, err
	}
	if err := spec.Variables["interface"].Set(uint32(out)); err != nil {
		return nil, err
	}
	spec.Maps["sources"].MaxEntries = uint32(sources)
	for name := range spec.Programs {
		if name != "feed" && name != "generate" {
			delete(spec.Programs, name)
		}
	}
	c, err := ebpf.NewCollection(spec)
	if err != nil {
		return nil, err
	}
	return &feeder{c}, nil
}

// give sets the sources of the packets.
func (feed *feeder) give(sources []address) error {
	indexes := make([]uint32, len(sources))
	for i := range indexes {
		indexes[i] = uint32(i)
	}
	_, err := feed.Maps["sources"].BatchUpdate(indexes, sources, nil)
	return err
}

// to sets the program that packets go to.
func (feed *feeder) to(program *ebpf.Program) error {
	return feed.Maps["subject"].Put(uint32(0), program)
}

// testRun are the arguments of the system call by which the kernel runs a program on a packet.
type testRun struct {
	program, verdict  uint32
	dataIn, dataOut   uint32 // bytes
	in, out           uint64
	repeat, duration  uint32 // duration: whole ns of each time
	contextIn, unused uint32
	_, _              uint64
	flags, _, _, _    uint32
}

// run runs a program on packets of the sources from an index on, and returns the time that took by
// the kernel's clock, which stands while the call begins and ends.
func (feed *feeder) run(
	program string,
	f family,
	from, n int,
	flags uint32,
) (time.Duration, error) {
	packet := frame(f)
	for {
		if err := feed.Variables["next"].Set(uint32(from)); err != nil {
			return 0, err
		}
		run := testRun{program: uint32(feed.Programs[program].FD()), repeat: uint32(n),
			flags: flags, dataIn: uint32(len(packet)),
			in: uint64(uintptr(unsafe.Pointer(&packet[0])))}
		_, _, err := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_TEST_RUN,
			uintptr(unsafe.Pointer(&run)), unsafe.Sizeof(run))
		runtime.KeepAlive(packet)
		switch {
		case err == unix.EINTR: // and from the beginning
		case err != 0:
			return 0, fmt.Errorf("run %s: %w", program, err)
		case flags == 0 && run.verdict == 0:
			return 0, errors.New("a packet has no next source")
		default:
			return time.Duration(run.duration) * time.Duration(n), nil
		}
	}
}

// times are of subjects by slice, in all rounds.
type times struct {
	least  [][]time.Duration // by subject and slice
	rounds [][]float64       // ns, by subject and round
}

func newTimes(subjects, slices int) *times {
	t := &times{make([][]time.Duration, subjects), make([][]float64, subjects)}
	for s := range t.least {
		t.least[s] = make([]time.Duration, slices)
		for i := range t.least[s] {
			t.least[s][i] = math.MaxInt64
		}
	}
	return t
}

// round times each slice with each subject, which take turns.
func (t *times) round(
	number int,
	run func(subject, slice int) (time.Duration, error),
) error {
	n := len(t.least)
	sum := make([]time.Duration, n)
	for slice := range t.least[0] {
		for i := range n {
			s := (i + slice + number) % n
			took, err := run(s, slice)
			if err != nil {
				return err
			}
			t.least[s][slice] = min(t.least[s][slice], took)
			sum[s] += took
		}
	}
	for s := range sum {
		t.rounds[s] = append(t.rounds[s], float64(sum[s]))
	}
	return nil
}

// of returns ns per packet of slices of n: the mean of the least that each slice took, and the
// median of the rounds.
func (t *times) summary(subject, n int) (least, median float64) {
	var sum time.Duration
	for _, took := range t.least[subject] {
		sum += took
	}
	packets := float64(n * len(t.least[subject]))
	return float64(sum) / packets, result.Median(t.rounds[subject]) / packets
}
