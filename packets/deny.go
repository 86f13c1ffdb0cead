package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/deny"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
	"github.com/bloomlane/bloomlane/xdp"
)

// denyOptions are the flags of deny, and its argument.
type denyOptions struct {
	list, never, key string // files
	mode, path       string
	destination      bool
	remove, dryRun   bool
	every, counters  time.Duration

	config deny.Config
}

func newDenyCommand() *cobra.Command {
	var o denyOptions
	cmd := &cobra.Command{
		Use:   "deny INTERFACE",
		Short: "Drop packets at an interface by a list of addresses",
		Long: `Drop packets at an interface by a list of addresses, before the network stack sees them.

The list has an IPv4 or IPv6 address or prefix a line; what follows # or ; is a comment. IPv4 is in
exact ranges. IPv6 is in a Bloom filter, which also finds --rate of other addresses for each of the
eight lengths that most prefixes have; other lengths are in an exact trie. Begin with report-only:
  filter       What is found is dropped: a few innocent packets of IPv6 too.
  exact        An exact set confirms each hit of the filter, so that none is.
  report-only  Nothing is dropped, and the counters say what would have been.
Addresses of --never pass in each mode.
The files are read again at SIGHUP, and when they have changed and then stay as they are for
--every. A wrong line is reported, and the list stays as it was. The program is in force until this
process ends. With --pin it stays in force after an error or a crash, the next start with the same
--pin takes it over, and --remove ends it. It needs Linux 6.1, and root or the capabilities CAP_BPF,
CAP_NET_ADMIN and CAP_PERFMON. docs/xdp.md has more.

Exit codes: 0 done; 2 bad input or usage, or the interface vanished.`,
		Example: `  packets deny eth0 --list deny.txt
  packets deny eth0 --list deny.txt --never partners.txt --mode report-only
  packets deny eth0 --list deny.txt --pin /sys/fs/bpf/deny-eth0
  packets deny eth0 --pin /sys/fs/bpf/deny-eth0 --remove`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.config.Target.Interface = args[0]
			return o.run(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.list, "list", "", "`file` of addresses and prefixes to drop, one per line")
	flags.StringVar(&o.never, "never", "",
		"`file` of addresses and prefixes of which no packet is dropped")
	flags.StringVar(&o.mode, "mode", "filter", "`mode`: filter, exact or report-only")
	flags.StringVar(&o.path, "path", "any", "`path` of packets: native, in the driver; generic, "+
		"behind it; any, the first that there is")
	flags.BoolVar(&o.destination, "destination", false, "look up destinations, and not sources")
	flags.BoolVar(&o.config.Options.DropFragments, "drop-fragments", false,
		"drop fragments of packets")
	flags.BoolVar(&o.config.Options.DropMalformed, "drop-malformed", false,
		"drop packets whose headers are malformed")
	command.RateVar(flags, &o.config.Rate, "rate", 1e-5,
		"false-positive rate to plan a filter for, of each prefix length")
	flags.Float64Var(&o.config.Turnovers, "turnovers", 1,
		"replacements of all entries of a filter before it is built again")
	command.CountVar(flags, &o.config.Members, "members", "", 0,
		"entries to plan the filter of each list for (default twice those it has, at least 1000)")
	flags.BoolVar(&o.config.Options.FilterIPv4, "filter-ipv4", false,
		"put IPv4 into filters too, and not into ranges")
	flags.StringVar(&o.config.Target.Pin, "pin", "",
		"`path` in a BPF file system, which keeps the program in force if this process dies")
	flags.BoolVar(&o.dryRun, "dry-run", false,
		"say where the entries would be, and put nothing in force")
	flags.BoolVar(&o.remove, "remove", false, "end what is pinned at --pin, and nothing else")
	flags.StringVar(&o.key, "key", "",
		"`file` of the hash key, of --hash siphash-1-3 (default a random one)")
	flags.DurationVar(&o.every, "every", time.Second, "how often to look for changes of the files")
	flags.DurationVar(&o.counters, "counters", 10*time.Second,
		"how often to print the counters; 0: only at the end")
	command.Group(cmd, "The lists", "list", "never", "every")
	command.Group(cmd, "What is dropped", "mode", "destination", "drop-fragments",
		"drop-malformed")
	command.Group(cmd, "The filters", "rate", "members", "turnovers", "filter-ipv4", "key")
	command.Group(cmd, "The program", "path", "pin", "remove", "dry-run", "counters")
	return cmd
}

// setMode sets the mode and the path from their names.
func (o *denyOptions) setMode() error {
	for mode := xdp.Filter; mode <= xdp.Exact; mode++ {
		if mode.String() == o.mode {
			o.config.Options.Mode = mode
		}
	}
	for path := xdp.AnyPath; path <= xdp.Generic; path++ {
		if path.String() == o.path {
			o.config.Target.Path = path
		}
	}
	switch {
	case o.config.Options.Mode.String() != o.mode:
		return &command.FlagError{Flag: "mode", Found: o.mode,
			Expected: "filter, exact or report-only"}
	case o.config.Target.Path.String() != o.path:
		return &command.FlagError{Flag: "path", Found: o.path, Expected: "any, native or generic"}
	case o.every <= 0:
		return fmt.Errorf("--every is %v, expected more than 0s", o.every)
	case o.counters < 0:
		return fmt.Errorf("--counters is %v, expected at least 0s", o.counters)
	case o.config.Members < 0:
		return fmt.Errorf("--members is %d, expected at least 0", o.config.Members)
	}
	if o.destination {
		o.config.Options.Side = xdp.Destination
	}
	return nil
}

func (o *denyOptions) run(cmd *cobra.Command) error {
	if o.remove {
		return o.runRemove(cmd)
	}
	if err := o.setMode(); err != nil {
		return err
	}
	if o.list == "" {
		return errors.New("expected --list, which packets deny needs")
	}
	if o.key != "" {
		key, err := command.ReadKey(cmd, o.key)
		if err != nil {
			return err
		}
		o.config.Key = key
	}
	files := []*followed{{path: o.list, list: xdp.Deny}}
	if o.never != "" {
		files = append(files, &followed{path: o.never, list: xdp.NeverDeny})
	}
	lists := map[xdp.List][]netip.Prefix{}
	for _, f := range files {
		if f.path == command.Standard {
			return errors.New("found standard input, expected a file: it is read when it changes")
		}
		prefixes, err := f.read(cmd)
		if err != nil {
			return err
		}
		if len(prefixes) == 0 {
			command.Warn(cmd, "the %v list is empty", f.list)
		}
		lists[f.list] = prefixes
	}
	// A channel for each, so that no SIGHUP takes the place of a SIGTERM.
	ends, reads := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(ends)
	signal.Notify(reads, syscall.SIGHUP)
	defer signal.Stop(reads)
	// The list stays in force if nobody reads the messages any more.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	gate, err := deny.New(o.config, lists)
	if err != nil {
		return err
	}
	defer gate.Close() // again, where Close below was not reached
	plan, err := gate.Report(nil)
	if err != nil {
		return err
	}
	if o.dryRun {
		return command.PrintResult(cmd, cmd.OutOrStdout(), planned{plan})
	}
	for i := range plan.Lists {
		command.Note(cmd, "%s", plan.PlanLine(i))
	}
	took, err := gate.Attach()
	if err != nil {
		return err
	}
	name := legible.Escape(o.config.Target.Interface)
	if took {
		command.Note(cmd, "%s: took over what was pinned at %s", name, o.config.Target.Pin)
	}
	does := "it drops from now on (begin with --mode report-only)"
	if o.config.Options.Mode == xdp.ReportOnly {
		does = "it drops nothing"
	}
	command.Note(cmd, "%s: %s in force, mode %s: %s", name,
		quantity.Of(len(lists[xdp.Deny]), "entry"), o.mode, does)
	damage := o.follow(cmd, gate, files, ends, reads)
	report, err := gate.Report(damage)
	if unpins(damage) {
		err = errors.Join(err, gate.Detach())
	} else if pin := o.config.Target.Pin; pin != "" {
		command.Warn(cmd, "%s: what is pinned at %s stays in force", name, pin)
	}
	if err = errors.Join(err, gate.Close()); err != nil {
		return err
	}
	return command.PrintReport(cmd, cmd.OutOrStdout(), report, name, damage, nil)
}

// planned is what deny --dry-run prints.
type planned struct{ *deny.Report }

func (p planned) String() string { return pivot.Text(p.Plan()) }

// unpins reports whether what is pinned ends with the command. It does at a signal, and where its
// interface vanished. After other errors it stays in force, as after a crash.
func unpins(damage error) bool {
	var lacking *xdp.Error
	return damage == nil || errors.As(damage, &lacking) && lacking.Cause == xdp.Interface
}

// runRemove ends what is pinned.
func (o *denyOptions) runRemove(cmd *cobra.Command) error {
	pin := o.config.Target.Pin
	if err := command.Requires(cmd, "pin", "remove"); err != nil {
		return err
	}
	if err := xdp.Remove(pin); err != nil {
		return err
	}
	return command.PrintResult(cmd, cmd.OutOrStdout(), removed{pin})
}

// removed is what deny --remove prints.
type removed struct {
	Pin string `json:"removed"`
}

func (r removed) String() string { return "removed " + legible.Escape(r.Pin) + "\n" }

// follow updates the lists until a signal, or until the program is no longer in force, which is the
// error.
func (o *denyOptions) follow(
	cmd *cobra.Command,
	gate *deny.Gate,
	files []*followed,
	ends, reads <-chan os.Signal,
) error {
	look := time.NewTicker(o.every)
	defer look.Stop()
	var counters <-chan time.Time
	if o.counters > 0 {
		ticker := time.NewTicker(o.counters)
		defer ticker.Stop()
		counters = ticker.C
	}
	for {
		select { // first, because the others may always be ready
		case <-ends:
			return nil
		default:
		}
		immediate := false // the files are read at once
		select {
		case <-ends:
			return nil
		case <-reads:
			immediate = true
		case <-counters:
			counts, err := gate.Counts()
			if err != nil {
				return err
			}
			command.Note(cmd, "%s", deny.CountsLine(&counts))
			continue
		case <-look.C:
		}
		if err := gate.Check(); err != nil {
			return err
		}
		for _, f := range files {
			if immediate {
				f.forget()
			}
			if immediate || f.changed() {
				f.update(cmd, gate)
			}
		}
	}
}

// followed is a file that is read again when it has changed.
type followed struct {
	path string
	list xdp.List

	was  fs.FileInfo // of what was read, or nil
	seen *os.File    // what had the path at the last look, if that differs, or nil
	then fs.FileInfo // of seen, at the last look
}

// read reads the list: what settled, or what has the path.
func (f *followed) read(cmd *cobra.Command) ([]netip.Prefix, error) {
	if f.seen != nil {
		defer f.forget()
		f.was = f.then
		return parseList(f.path, f.seen, capture.ReadPrefixes)
	}
	f.was, _ = os.Stat(f.path) // its error is that of reading
	if f.was != nil && !f.was.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: found %s, expected a regular file: it is read when it changes",
			command.PathName(f.path), f.was.Mode())
	}
	return readList(cmd, f.path, capture.ReadPrefixes)
}

// changed reports whether the path has another file or content than what was read, and that has not
// changed since the last look: it may be half written. If others take its place meanwhile, it is
// read still, because they could do so before each look.
func (f *followed) changed() bool {
	now, err := os.Stat(f.path)
	if err != nil {
		now = nil
	}
	if same(now, f.was) {
		f.forget()
		return false
	}
	if now == nil || !now.Mode().IsRegular() {
		f.forget()
		return true
	}
	if f.seen != nil {
		if info, err := f.seen.Stat(); err == nil && same(info, f.then) {
			return true
		}
	}
	f.forget()
	if f.seen, err = os.Open(f.path); err == nil {
		f.then, err = f.seen.Stat()
	}
	if err != nil {
		f.forget()
	}
	return err != nil
}

// forget forgets the last look.
func (f *followed) forget() {
	if f.seen != nil {
		_ = f.seen.Close() // it was only read
	}
	f.seen, f.then = nil, nil
}

// same reports whether a file is as it was.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// update makes the list in force that of the file. If that is not possible it stays as it was.
func (f *followed) update(cmd *cobra.Command, gate *deny.Gate) {
	prefixes, err := f.read(cmd)
	added, deleted := 0, 0
	if err == nil {
		if added, deleted, err = gate.Update(f.list, prefixes); err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	var leftover *deny.LeftoverError
	switch {
	case errors.As(err, &leftover):
		command.Warn(cmd, "some deleted entries may stay until SIGHUP or the next change: %v", err)
	case err != nil:
		command.Warn(cmd, "the %v list stays as it was: %v", f.list, err)
		return
	case len(prefixes) == 0:
		command.Warn(cmd, "the %v list is empty", f.list)
	}
	command.Note(cmd, "%s: %s added, %s deleted, %s in force", f.path, quantity.Count(added),
		quantity.Count(deleted), quantity.Count(len(prefixes)))
}
