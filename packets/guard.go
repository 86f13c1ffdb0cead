package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// guardOptions are the flags of guard, and its argument.
type guardOptions struct {
	capture   string
	packets   string
	synthetic int
	seed      uint64

	blocklist, never, sequences, key string // files
	verdicts, answers                string // files

	config guard.Config
}

func newGuardCommand() *cobra.Command {
	var o guardOptions
	cmd := &cobra.Command{
		Use:   "guard [CAPTURE]",
		Short: "Filter and track the packets of a capture",
		Long: `Filter the packets of a capture by their sources, and track how the sources behave.

A source in the bad filter is rejected. Any other is inserted into the good filter once. Where one
to three words of 32 bits in its payload are a bad sequence, it has a strike. With the third strike
it is deleted from the good filter and inserted into the bad one.

CAPTURE is pcap or pcapng; "-" is standard input. The source is the address in the outermost IP
header, and the payload that of TCP, UDP, UDP-Lite or SCTP. The strikes of the --history sources
seen last are exact; a source that leaves the history is deleted, and its strikes are forgotten.

The rate of the good filter grows until its sources have been replaced --good-turnovers times; then
it is rebuilt from the history. With --good-reinserts its blocks are refreshed instead, in turn.
With --never-block some sources of the blocklist pass too: those that no filter could block without
blocking a source of that list. Each filter has a shadow, an exact set of a sample of its keys.

Verdicts: . accepted, s strike, m third strike, r rejected, - no IP header. docs/packets.md explains
the report, and docs/keyed-hashing.md what attackers can do.

Exit codes: 0 done; 1 a filter has lost a member of its shadow, or with --audit a source of
--never-block was blocked; 2 bad input or usage.`,
		Example: `  packets guard trace.pcap --blocklist blocklist.txt --sequences sequences.txt
  packets guard --packets packets.txt --sequences sequences.txt --verdicts verdicts.txt
  packets guard --synthetic 10000 --seed 1 --audit`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.capture = args[0]
			}
			return o.run(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.packets, "packets", "",
		"text `file`: a line has a source and a word, 8 hex digits each")
	command.CountVar(flags, &o.synthetic, "synthetic", "", 0,
		"make a trace of this many `sources`, and its own blocklist and sequences")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the synthetic trace")
	flags.StringVar(&o.blocklist, "blocklist", "",
		"`file` of bad sources: IPv4, IPv6 or 8 hex digits, one per line")
	flags.StringVar(&o.never, "never-block", "", "`file` of sources that are never blocked, "+
		"even if they turn bad")
	flags.StringVar(&o.sequences, "sequences", "",
		"`file` of bad sequences: a line has one to three words of 8 hex digits")
	flags.StringVar(&o.key, "key", "", "`file` with the filters' hash key (default a random one)")
	flags.StringVar(&o.verdicts, "verdicts", "", "write one character per packet to a `file`")
	flags.StringVar(&o.answers, "answers", "",
		"write a line per source to a `file`: source, tab and good, bad or unknown")
	command.CountVar(flags, &o.config.Sizing.Sources, "sources", "", 1<<16,
		"different sources at a time to plan for")
	command.CountVar(flags, &o.config.History, "history", "", 0,
		"sources whose strikes are kept (default as many as --sources)")
	command.RateVar(flags, &o.config.Sizing.GoodRate, "good-rate", 1e-3,
		"false-positive rate of the good filter")
	flags.Float64Var(&o.config.Sizing.GoodTurnovers, "good-turnovers", 1,
		"replacements of all sources before a rebuild; 0: no rebuild")
	flags.Float64Var(&o.config.Sizing.GoodReinserts, "good-reinserts", 0,
		"sources inserted again per new one, into blocks that are refreshed")
	command.RateVar(flags, &o.config.Sizing.BadRate, "bad-rate", 1e-6,
		"false-positive rate of the bad filter")
	command.RateVar(flags, &o.config.Sizing.SequenceRate, "sequence-rate", 1e-9,
		"false-positive rate of the filter of sequences")
	flags.BoolVar(&o.config.Audit, "audit", false,
		"compare with exact sets, report every difference, and measure false positives")
	flags.IntVar(&o.config.Shadow, "shadow", 1024, "keep an exact set of one `hash` in this "+
		"many, a power of two from 64; 0: none")
	cmd.MarkFlagsMutuallyExclusive("good-turnovers", "good-reinserts")
	cmd.MarkFlagsMutuallyExclusive("synthetic", "packets")
	cmd.MarkFlagsMutuallyExclusive("synthetic", "blocklist") // it has its own
	cmd.MarkFlagsMutuallyExclusive("synthetic", "sequences")
	command.Group(cmd, "The packets, in place of CAPTURE", "packets", "synthetic", "seed")
	command.Group(cmd, "The lists", "blocklist", "never-block", "sequences")
	command.Group(cmd, "The filters", "sources", "history", "good-rate", "good-turnovers",
		"good-reinserts", "bad-rate", "sequence-rate", "key", "audit", "shadow")
	return cmd
}

func (o *guardOptions) run(cmd *cobra.Command) error {
	if err := command.Requires(cmd, "synthetic", "seed"); err != nil {
		return err
	}
	config := o.config
	if !cmd.Flags().Changed("history") {
		config.History = config.Sizing.Sources
	}
	if config.Sizing.GoodReinserts != 0 {
		config.Sizing.GoodTurnovers = 0
	}
	synthetic := cmd.Flags().Changed("synthetic")
	if synthetic == (o.capture+o.packets != "") || o.capture != "" && o.packets != "" {
		return errors.New("expected one input: CAPTURE, --packets or --synthetic")
	}
	err := command.OnlyOnce(command.NewInput("the capture", o.capture),
		command.NewInput("the packets (--packets)", o.packets),
		command.NewInput("the --blocklist", o.blocklist),
		command.NewInput("the --never-block", o.never),
		command.NewInput("the --sequences", o.sequences),
		command.NewInput("the hash key (--key)", o.key))
	if err != nil {
		return err
	}
	results, err := command.ResultsBeside(cmd, o.verdicts, o.answers)
	if err != nil {
		return err
	}
	if o.key != "" {
		if config.Sizing.Key, err = command.ReadKey(cmd, o.key); err != nil {
			return err
		}
	}
	if config.Blocklist, err = readList(cmd, o.blocklist, capture.ReadBlocklist); err != nil {
		return err
	}
	if config.Never, err = readList(cmd, o.never, capture.ReadBlocklist); err != nil {
		return err
	}
	if o.never != "" && len(config.Never) == 0 {
		command.Note(cmd, "%s has no sources: any may be blocked", command.PathName(o.never))
	}
	if config.Sequences, err = readList(cmd, o.sequences, capture.ReadSequences); err != nil {
		return err
	}
	var packets capture.Packets
	name := command.PathName(o.capture + o.packets)
	var in io.ReadCloser
	if synthetic {
		trace, err := capture.NewSynthetic(o.synthetic, o.seed)
		if err != nil {
			return err
		}
		name = fmt.Sprintf("%s, seed %d", quantity.Of(o.synthetic, "source"), o.seed)
		packets, config.Blocklist, config.Sequences = trace, trace.Blocklist(), trace.Sequences()
	} else {
		if in, err = command.OpenInput(cmd, o.capture+o.packets); err != nil {
			return err
		}
		defer in.Close()
		if o.packets != "" {
			packets = capture.NewText(in)
		} else {
			reader := capture.Open(in)
			defer warnUndecoded(cmd, name, reader)
			packets = reader
		}
	}

	run, err := guard.New(config)
	if err != nil {
		return err
	}
	process := func(w io.Writer) error {
		err := run.Process(packets, w)
		if damage := run.Damage(); err == nil && damage != nil && run.Packets() == 0 {
			return &capture.NoPacketError{Input: name, Err: damage} // it is no capture at all
		}
		return err
	}
	if o.verdicts == "" {
		err = process(io.Discard)
	} else {
		var fault error // of the packets, more often than of the file
		err = command.WritePath(cmd, o.verdicts, 0o666, func(w io.Writer) error {
			fault = process(w)
			return fault
		})
		err = cmp.Or(fault, err)
	}
	if err == nil && o.answers != "" {
		err = command.WritePath(cmd, o.answers, 0o666, run.WriteAnswers)
	}
	if err != nil {
		return err
	}
	if in != nil {
		_ = in.Close() // with its progress bar, before the report
	}
	report := run.Report(name, synthetic)
	return command.PrintReport(cmd, results, report, name, run.Damage(), report.Failure())
}

// warnUndecoded warns of packets whose link layer is not decoded: whatever sends them is not seen.
func warnUndecoded(cmd *cobra.Command, name string, r *capture.Reader) {
	packets := 0
	for _, n := range r.Undecoded {
		packets += n
	}
	if packets > 0 {
		types := strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(r.Undecoded))), "[]")
		command.Warn(cmd, "%s: the sources of %s are not seen: link type %s is not decoded", name,
			quantity.Of(packets, "packet"), legible.Cut(types, 60))
	}
}

// readList reads a list from a file with one of capture's parsers; no file is an empty list.
func readList[T any](
	cmd *cobra.Command,
	path string,
	parse func(io.Reader) ([]T, error),
) ([]T, error) {
	if path == "" {
		return nil, nil
	}
	file, err := command.OpenInput(cmd, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return parseList(path, file, parse)
}

// parseList reads a list from a file that is open, and has a path.
func parseList[T any](
	path string,
	file io.Reader,
	parse func(io.Reader) ([]T, error),
) ([]T, error) {
	list, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command.PathName(path), err)
	}
	return list, nil
}
