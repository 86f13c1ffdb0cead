package denylist

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// firewall is a list behind the driver, which the system's own commands make and fill.
type firewall struct {
	name     string
	commands []string // that are needed
	loader   string   // reads create and then add
	create   func(members int) string
	add      func(members []string) string
	// command lines by which packets ask the list, and no longer ask it
	enter, leave []string
	remove       string // the list
}

// The names of the two.
const (
	nameNftables = "nftables set, at ingress"
	nameIPset    = "ipset, by iptables in raw"
)

func nftables(f family) *firewall {
	header := map[family]string{ipv4: "ip", ipv6: "ip6"}[f]
	return &firewall{
		name: nameNftables, commands: []string{"nft"}, loader: "nft -f -",
		create: func(members int) string {
			return fmt.Sprintf("table netdev deny { set listed { type %sv%s_addr; size %d; }; }\n",
				header[:2], string(f[3:]), members)
		},
		add: func(members []string) string {
			return "add element netdev deny listed { " + strings.Join(members, ", ") + " }\n"
		},
		enter: []string{
			"nft add chain netdev deny in { type filter hook ingress device " + receiver +
				" priority 0; }",
			"nft add rule netdev deny in " + header + " saddr @listed drop",
		},
		leave:  []string{"nft flush chain netdev deny in", "nft delete chain netdev deny in"},
		remove: "nft delete table netdev deny",
	}
}

func ipset(f family) *firewall {
	tables := map[family]string{ipv4: "iptables", ipv6: "ip6tables"}[f]
	kind := map[family]string{ipv4: "inet", ipv6: "inet6"}[f]
	rule := " -t raw -%s PREROUTING -m set --match-set listed src -j DROP"
	return &firewall{
		name: nameIPset, commands: []string{"ipset", tables, "nft"}, loader: "ipset restore",
		create: func(members int) string {
			return fmt.Sprintf("create listed hash:ip family %s maxelem %d\n", kind, members)
		},
		add: func(members []string) string {
			return "add listed " + strings.Join(members, "\nadd listed ") + "\n"
		},
		enter: []string{tables + fmt.Sprintf(rule, "A")},
		// without the table, whose chain would stay in the way of all packets
		leave: []string{
			tables + fmt.Sprintf(rule, "D"),
			"nft delete table " + strings.TrimSuffix(tables, "tables") + " raw",
		},
		remove: "ipset destroy listed",
	}
}

// missing says which command is not installed.
func (fw *firewall) missing() error {
	for _, command := range fw.commands {
		if _, err := exec.LookPath(command); err != nil {
			return err
		}
	}
	return nil
}

// firewall makes a list, and adds it to what was found. Its memory is what the kernel has more in
// its slabs and in pages of its own.
func (r *found) firewall(fw *firewall, f family, members []address) (*subject, error) {
	var script bytes.Buffer
	script.WriteString(fw.create(len(members)))
	for some := range slices.Chunk(members, 1<<12) {
		var texts []string
		for _, a := range some {
			texts = append(texts, a.addr(f).String())
		}
		script.WriteString(fw.add(texts))
	}
	before, err := kernelBytes()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := execute(fw.loader, script.String()); err != nil {
		return nil, fmt.Errorf("%s: %w", fw.name, err)
	}
	load := float64(time.Since(start).Nanoseconds()) / float64(len(members))
	after, err := kernelBytes()
	if err != nil {
		return nil, err
	}
	r.Lists = append(r.Lists, list{Subject: fw.name, Family: f, Members: len(members),
		Bytes: max(0, after-before), Load: load})
	each := func(lines []string) func() error {
		return func() error {
			for _, line := range lines {
				if err := execute(line, ""); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return &subject{name: fw.name, enter: each(fw.enter), leave: each(fw.leave),
		close: func() { _ = execute(fw.remove, "") }}, nil
}

// kernelBytes returns the memory of the kernel's slabs and of what it maps for itself.
func kernelBytes() (sum int64, err error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && slices.Contains([]string{"Slab:", "VmallocUsed:"}, fields[0]) {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0, err
			}
			sum += n << 10
		}
	}
	return sum, nil
}
