package xdp

import (
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// execute runs a command line in the thread's namespace, and returns what it says.
func execute(t *testing.T, line, input string) string {
	t.Helper()
	words := strings.Fields(line)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %.300s", line, err, out)
	}
	return string(out)
}

// arrived returns how many packets came into the near end.
func arrived(t *testing.T) (n int) {
	text, err := os.ReadFile("/proc/thread-self/net/dev")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, numbers, _ := strings.Cut(strings.TrimSpace(line), ":"); name == near {
			n, err = strconv.Atoi(strings.Fields(numbers)[1])
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}

type firewall struct {
	name         string
	program      *ebpf.Program
	enter, leave []string
	dropped      func() string
}

// live measures frames through a veth pair: a bare pass, ranges, and behind the bare pass nftables
// and ipset.
func live(t *testing.T, object []byte, members, fresh, gone []netip.Prefix, hosts bool, mixes [3][]uint32) {
	isolate(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	from, err := net.InterfaceByName(far)
	must(err)
	to, err := net.InterfaceByName(near)
	must(err)
	spec := specOf(t, object)
	for name := range spec.Programs {
		if name != "generate" && name != "pass" {
			delete(spec.Programs, name)
		}
	}
	must(spec.Variables["interface"].Set(uint32(from.Index)))
	c, err := ebpf.NewCollection(spec)
	must(err)
	defer c.Close()
	p, err := Load(Options{})
	must(err)
	defer p.Close()
	table, err := p.NewTable(deletable.Config{Members: 1, Rate: 0.01})
	must(err)
	defer table.Close()
	must(table.InsertBatch(members))
	must(p.Replace(Deny, table))

	iptables := os.Getenv("BLOOMLANE_IPTABLES")
	texts := func(all []netip.Prefix) (out []string) {
		for _, p := range all {
			if hosts {
				out = append(out, p.Addr().String())
			} else {
				out = append(out, p.String())
			}
		}
		return out
	}
	elements := func(verb string, all []string) string {
		return verb + " element netdev deny listed { " + strings.Join(all, ", ") + " }\n"
	}
	flags := "flags interval; auto-merge;"
	if hosts {
		flags = fmt.Sprintf("size %d;", len(members)+len(fresh))
	}
	create := func(table string) string {
		return "table netdev " + table + " { set listed { type ipv4_addr; " + flags + " }; }\n"
	}
	listed := texts(members)
	load := create("deny") + elements("add", listed)
	after := slices.DeleteFunc(slices.Clone(members), func(p netip.Prefix) bool {
		_, found := slices.BinarySearchFunc(gone, p, netip.Prefix.Compare)
		return found
	})
	change := elements("add", texts(fresh)) + elements("delete", texts(gone))
	if !hosts {
		change = "flush set netdev deny listed\n" + elements("add", texts(append(after, fresh...)))
	}
	before := slab()
	start := time.Now()
	execute(t, "nft -f -", load)
	loading := time.Since(start)
	bytes := float64(slab()-before) * 1024
	if len(members) < 10_000 {
		const copies = 200
		var b strings.Builder
		for i := range copies {
			name := fmt.Sprint("copy", i)
			b.WriteString(create(name) + strings.Replace(elements("add", listed), " deny ", " "+name+" ", 1))
		}
		before := slab()
		execute(t, "nft -f -", b.String())
		bytes = float64(slab()-before) * 1024 / copies
		b.Reset()
		for i := range copies {
			fmt.Fprintf(&b, "delete table netdev copy%d\n", i)
		}
		execute(t, "nft -f -", b.String())
	}
	fmt.Printf("%-22s B/entry %.2f load %.1f ms\n", "nftables", bytes/float64(len(members)), loading.Seconds()*1e3)

	kind := "hash:net"
	if hosts {
		kind = "hash:ip"
	}
	adds := func(verb string, all []string) string {
		return verb + " listed " + strings.Join(all, "\n"+verb+" listed ") + "\n"
	}
	before = slab()
	start = time.Now()
	execute(t, "ipset restore", fmt.Sprintf("create listed %s maxelem %d\n", kind, len(members)+len(fresh))+adds("add", listed))
	setLoading := time.Since(start)
	setBytes := float64(slab()-before) * 1024
	for line := range strings.Lines(execute(t, "ipset list -t listed", "")) {
		if size, found := strings.CutPrefix(line, "Size in memory: "); found {
			n, err := strconv.Atoi(strings.TrimSpace(size))
			must(err)
			fmt.Printf("%-22s B/entry %.2f (slab %.2f) load %.1f ms\n", "ipset", float64(n)/float64(len(members)),
				setBytes/float64(len(members)), setLoading.Seconds()*1e3)
			setBytes = max(setBytes, float64(n))
		}
	}

	pass := c.Programs["pass"]
	rule := iptables + " -t raw -%s PREROUTING -m set --match-set listed src -j DROP"
	all := []firewall{{name: "bare pass", program: pass}, {name: "ranges", program: p.program},
		{"nftables", pass, []string{
			"nft add chain netdev deny in { type filter hook ingress device " + near + " priority 0; }",
			"nft add rule netdev deny in ip saddr @listed counter drop",
		}, []string{"nft flush chain netdev deny in", "nft delete chain netdev deny in"}, func() string {
			_, text, _ := strings.Cut(execute(t, "nft list chain netdev deny in", ""), "counter packets ")
			text, _, _ = strings.Cut(text, " ")
			return text
		}},
		{"ipset", pass, []string{fmt.Sprintf(rule, "A")}, []string{fmt.Sprintf(rule, "D"), "nft delete table ip raw"},
			func() string {
				text := execute(t, iptables+" -t raw -nvxL PREROUTING", "")
				lines := strings.Split(strings.TrimSpace(text), "\n")
				return strings.Fields(lines[len(lines)-1])[0]
			}}}
	attached, err := link.AttachXDP(link.XDPOptions{Program: pass, Interface: to.Index, Flags: link.XDPDriverMode})
	must(err)
	defer attached.Close()
	frame := frame(netip.IPv4Unspecified(), netip.MustParseAddr("198.51.100.1"))
	copy(frame, to.HardwareAddr)
	copy(frame[6:], from.HardwareAddr)
	binary.BigEndian.PutUint16(frame[16:], 50)
	frame[22], frame[23] = 64, 17
	const slice, turns, rounds = 1 << 16, 6, 3
	send := func(at int) time.Duration {
		must(c.Variables["following"].Set(uint32(at)))
		run := struct {
			program, verdict  uint32
			dataIn, dataOut   uint32
			in, out           uint64
			repeat, duration  uint32
			contextIn, unused uint32
			_, _              uint64
			flags, _, _, _    uint32
		}{program: uint32(c.Programs["generate"].FD()), repeat: slice, flags: 1 << 1, dataIn: uint32(len(frame)),
			in: uint64(uintptr(unsafe.Pointer(&frame[0])))}
		for {
			_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_TEST_RUN, uintptr(unsafe.Pointer(&run)), unsafe.Sizeof(run))
			if errno == unix.EINTR {
				must(c.Variables["following"].Set(uint32(at)))
				continue
			}
			if errno != 0 {
				t.Fatal(errno)
			}
			return time.Duration(run.duration) * slice
		}
	}
	fmt.Printf("through a pair: none, 1 %%, all, ns\n")
	least := make([][3]float64, len(all))
	share := make([]string, len(all))
	for mix := range mixes {
		memory, err := mapped(c.Maps["sources"], len(mixes[mix])*4)
		must(err)
		for j, x := range mixes[mix] {
			binary.NativeEndian.PutUint32(memory[4*j:], x)
		}
		must(unmap(memory))
		best := make([][turns]float64, len(all))
		for i := range best {
			for j := range best[i] {
				best[i][j] = math.MaxFloat64
			}
		}
		for round := range rounds + 1 { // the last one counts what falls
			for i, s := range all {
				must(attached.Update(s.program))
				if round == rounds && s.dropped == nil {
					continue
				}
				for _, line := range s.enter {
					if round < rounds {
						line = strings.ReplaceAll(line, " counter", "")
					}
					execute(t, line, "")
				}
				got := 0
				for at := range turns {
					before := arrived(t)
					took := send(at * slice)
					n := arrived(t) - before
					got += n
					if n == 0 {
						t.Fatal("no frame arrived")
					}
					if round < rounds {
						best[i][at] = min(best[i][at], float64(took)/float64(n))
					}
				}
				if round == rounds {
					share[i] = fmt.Sprintf("%s %s of %d", share[i], s.dropped(), got)
				}
				for _, line := range s.leave {
					execute(t, line, "")
				}
			}
		}
		for i := range all {
			for _, x := range best[i] {
				least[i][mix] += x / turns
			}
		}
	}
	for i, s := range all {
		fmt.Printf("%-22s %8.0f %8.0f %8.0f   fell:%s\n", s.name, least[i][0], least[i][1], least[i][2], share[i])
	}
	start = time.Now()
	execute(t, "nft -f -", change)
	changing := time.Since(start)
	call, back := freed(uint64(bytes), func() { execute(t, "nft delete table netdev deny", "") })
	fmt.Printf("%-22s tenth %.1f ms, deleted in %.1f ms, memory back in %.1f ms\n", "nftables", changing.Seconds()*1e3,
		call.Seconds()*1e3, back.Seconds()*1e3)
	start = time.Now()
	execute(t, "ipset restore", adds("add", texts(fresh))+adds("del", texts(gone)))
	changing = time.Since(start)
	call, back = freed(uint64(setBytes), func() { execute(t, "ipset destroy listed", "") })
	fmt.Printf("%-22s tenth %.1f ms, deleted in %.1f ms, memory back in %.1f ms\n", "ipset", changing.Seconds()*1e3,
		call.Seconds()*1e3, back.Seconds()*1e3)
}
