package denylist

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// The two ends of the veth pair: frames go out of the first, and come into the second.
const (
	sender   = "deny0"
	receiver = "deny1"

	receiverMAC = "02:00:00:00:00:02" // as the frames have it
)

// liveFrames is BPF_F_TEST_XDP_LIVE_FRAMES: the kernel sends on what the program redirects.
const liveFrames = 1 << 1

// live measures frames that come into an interface, of which some pass on to the stack. All of that
// is on one core, and in a network namespace that ends with its thread.
func (r *found) live(step func()) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // for good
		done <- r.inNamespace(step)
	}()
	return <-done
}

func (r *found) inNamespace(step func()) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make a network namespace: %w", err)
	}
	var one unix.CPUSet
	one.Set(0)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	for _, line := range []string{
		"ip link add " + sender + " type veth peer name " + receiver,
		"ip link set " + receiver + " address " + receiverMAC,
		"ip link set " + sender + " up", "ip link set " + receiver + " up",
	} {
		if err := execute(line, ""); err != nil {
			return err
		}
	}
	for _, f := range families {
		if err := r.frames(f, step); err != nil {
			return err
		}
	}
	return nil
}

// execute runs a command line in the thread's namespace.
func execute(line, input string) error {
	words := strings.Fields(line)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(input)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		text, _, _ := strings.Cut(said.String(), "\n")
		return fmt.Errorf("%s: %w: %s", line, err, text)
	}
	return nil
}

// frames measures the frames of one family.
func (r *found) frames(f family, step func()) error {
	c := &r.Config
	listed, unlisted := addresses(f, c.Filtered, c.Live)
	all, err := r.subjects(f, listed)
	if err != nil {
		return err
	}
	defer func() { all.close() }()
	passing := all[slices.IndexFunc(all, func(s *subject) bool { return s.name == barePass })]
	for _, fw := range []*firewall{nftables(f), ipset(f)} {
		if err := fw.missing(); err != nil {
			r.note("%s was not measured: %v", fw.name, err)
			continue
		}
		s, err := r.firewall(fw, f, listed)
		if err != nil {
			return err
		}
		s.program = passing.program
		all = append(all, s)
	}
	index, err := interfaceIndex(receiver)
	if err != nil {
		return err
	}
	attached, err := link.AttachXDP(link.XDPOptions{Program: passing.program, Interface: index,
		Flags: link.XDPDriverMode})
	if err != nil {
		return fmt.Errorf("attach to %s: %w", receiver, err)
	}
	defer attached.Close()
	if index, err = interfaceIndex(sender); err != nil {
		return err
	}
	feed, err := newFeeder(c.Live, index)
	if err != nil {
		return err
	}
	defer feed.Close()
	for _, mix := range mixes {
		if err := feed.give(mix.draw(c.Live, listed, unlisted)); err != nil {
			return err
		}
		slice := min(c.Slice, c.Live)
		times, least := newTimes(len(all), c.Live/slice), make([]float64, len(all))
		for i := range least {
			least[i] = 1
		}
		for round := range c.Rounds {
			err := times.round(round, func(subject, at int) (time.Duration, error) {
				took, received, err := feed.through(attached, all[subject], f, at*slice, slice)
				least[subject] = min(least[subject], received)
				return took, err
			})
			if err != nil {
				return err
			}
			step()
		}
		for i, s := range all {
			time, median := times.summary(i, slice)
			r.Live = append(r.Live, timed{Subject: s.name, Family: f, Members: len(listed),
				Listed: mix.Name, Least: time, Median: median, Received: least[i]})
		}
	}
	return nil
}

// through sends frames to a subject, and returns how long as many take to be received, and which
// share was: the queue between the ends is short.
func (feed *feeder) through(
	attached link.Link,
	s *subject,
	f family,
	from, n int,
) (took time.Duration, received float64, err error) {
	if err := attached.Update(s.program); err != nil {
		return 0, 0, err
	}
	if s.enter != nil {
		if err := s.enter(); err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, s.leave()) }()
	}
	before, err := receivedPackets()
	if err != nil {
		return 0, 0, err
	}
	if took, err = feed.run("generate", f, from, n, liveFrames); err != nil {
		return 0, 0, err
	}
	after, err := receivedPackets()
	if err != nil {
		return 0, 0, err
	}
	if after == before {
		return 0, 0, fmt.Errorf("%s: no frame came into %s", s.name, receiver)
	}
	received = min(1, float64(after-before)/float64(n))
	return time.Duration(float64(took) / received), received, nil
}

// interfaceIndex returns the index of an interface of the thread's namespace.
func interfaceIndex(name string) (int, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq(name)
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlIfreq(socket, unix.SIOCGIFINDEX, request); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return int(request.Uint32()), nil
}

// receivedPackets returns how many packets came into the receiver.
func receivedPackets() (int64, error) {
	text, err := os.ReadFile("/proc/thread-self/net/dev")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		name, numbers, _ := strings.Cut(strings.TrimSpace(line), ":")
		if fields := strings.Fields(numbers); name == receiver && len(fields) > 1 {
			return strconv.ParseInt(fields[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s is not in /proc/net/dev", receiver)
}
