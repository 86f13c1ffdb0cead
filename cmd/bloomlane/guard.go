package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/guard"
)

// guardOptions are the flags of guard, and its argument.
type guardOptions struct {
	capture   string
	packets   string
	synthetic int
	seed      uint64

	blocklist, sequences, key string // files
	verdicts, answers         string // files

	plan    guard.Plan
	history int
	audit   bool
}

func newGuardCommand() *cobra.Command {
	var o guardOptions
	cmd := &cobra.Command{
		Use:   "guard [CAPTURE]",
		Short: "Filter and track the packets of a capture",
		Long: `Filter and track the packets of a capture (pcap or pcapng), of a text file or of a
synthetic trace. "-" reads from standard input.

A source in the bad filter is rejected. Any other is inserted into the good filter once,
and after each 32-bit word of its payload the last three, two and one words are looked up
among the bad sequences. A hit is a strike; with the third one the source is deleted from
the good filter and inserted into the bad one.

The source is that of the outermost IP header, the words those of its TCP, UDP, UDP-Lite or
SCTP payload. Trailing bytes are dropped, and fragments after the first have no words.

Verdicts: . accepted, s strike, m third strike, r rejected, - no IP header.

Strikes and history are exact, for the --history sources seen last. Whoever is evicted from
there is deleted from the good filter, and starts anew.

A filter decays with every insert. The good one keeps its rate until its sources have been
replaced --good-turnovers times, and is then built anew from the sources that have a state;
but not while these are more than --sources.`,
		Example: `  bloomlane guard trace.pcap --blocklist blocklist.txt --sequences sequences.txt
  bloomlane guard --packets packets.txt --sequences sequences.txt --verdicts verdicts.txt
  bloomlane guard --synthetic 10000 --seed 1 --audit`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.capture = args[0]
			}
			if err := o.validate(cmd); err != nil {
				return err
			}
			return o.run(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.packets, "packets", "", "read packets from a text `file`: source and word, 8 hex digits each, a line a packet")
	flags.IntVar(&o.synthetic, "synthetic", 0, "generate a trace of that many `sources`, with a blocklist and sequences of its own")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the synthetic trace")
	flags.StringVar(&o.blocklist, "blocklist", "", "`file` of bad sources: IPv4, IPv6 or 8 hex digits, one a line")
	flags.StringVar(&o.sequences, "sequences", "", "`file` of bad sequences: one to three words of 8 hex digits, one sequence a line")
	flags.StringVar(&o.key, "key", "", "`file` with the filters' hash key, 64 hex digits (default a random key)")
	flags.StringVar(&o.verdicts, "verdicts", "", "write one character a packet to a `file`")
	flags.StringVar(&o.answers, "answers", "", "write source, tab and good, bad or unknown to a `file`, a line a source")
	flags.IntVar(&o.plan.Sources, "sources", 1<<16, "different sources at a time to plan the good and the bad filter for")
	flags.IntVar(&o.history, "history", 0, "sources whose strikes and history are kept (default as many as --sources)")
	flags.Float64Var(&o.plan.GoodRate, "good-rate", 1e-3, "false-positive rate to plan the good filter for")
	flags.Float64Var(&o.plan.GoodTurnovers, "good-turnovers", 1, "turnovers of the sources to plan the good filter for; 0: it is never built anew")
	flags.Float64Var(&o.plan.BadRate, "bad-rate", 1e-6, "false-positive rate to plan the bad filter for")
	flags.Float64Var(&o.plan.SequenceRate, "sequence-rate", 1e-9, "false-positive rate to plan the sequence filter for")
	flags.BoolVar(&o.audit, "audit", false, "run exact sets beside the filters, report every difference, and measure false positives")
	return cmd
}

// validate checks what can be checked before any file is opened.
func (o *guardOptions) validate(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("history") {
		o.history = o.plan.Sources
	}
	synthetic := cmd.Flags().Changed("synthetic")
	inputs := 0
	for _, given := range []bool{o.capture != "", o.packets != "", synthetic} {
		if given {
			inputs++
		}
	}
	if inputs != 1 {
		return fmt.Errorf("guard: found %d inputs, expected one: CAPTURE, --packets or --synthetic", inputs)
	}
	if synthetic && (o.blocklist != "" || o.sequences != "") {
		return errors.New("guard: found --blocklist or --sequences, expected neither: a synthetic trace has its own")
	}
	err := onlyOnce(input{"the capture", o.capture}, input{"the packets (--packets)", o.packets},
		input{"the --blocklist", o.blocklist}, input{"the --sequences", o.sequences},
		input{"the hash key (--key)", o.key})
	if err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	return nil
}

func (o *guardOptions) run(cmd *cobra.Command) error {
	config := guard.Config{Plan: o.plan, History: o.history, Audit: o.audit}
	results, err := resultsBeside(cmd, o.verdicts, o.answers)
	if err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	if o.key != "" {
		key, err := readKey(cmd, o.key)
		if err != nil {
			return fmt.Errorf("guard: %w", err)
		}
		config.Plan.Key = key
	}
	if config.Blocklist, err = readList(cmd, o.blocklist, capture.ReadBlocklist); err != nil {
		return err
	}
	if config.Sequences, err = readList(cmd, o.sequences, capture.ReadSequences); err != nil {
		return err
	}
	in, err := o.open(cmd)
	if err != nil {
		return err
	}
	defer in.close()
	if trace, ok := in.packets.(*capture.Synthetic); ok {
		config.Blocklist, config.Sequences = trace.Blocklist(), trace.Sequences()
	}

	run, err := guard.New(config)
	if err != nil {
		return err
	}
	if err := o.process(cmd, run, pathName(in.name), in.packets); err != nil {
		return err
	}
	in.close()
	report := run.Report(in.name, o.synthetic != 0)
	if wantsJSON(cmd) {
		err = writeJSON(results, report)
	} else {
		err = report.Write(results)
	}
	if err != nil {
		return fmt.Errorf("guard: report: %w", err)
	}
	if damage := run.Damage(); damage != nil {
		return fmt.Errorf("guard: %s: %w", in.name, damage)
	}
	return nil
}

// process runs the packets through the guard and writes the files that were asked for.
func (o *guardOptions) process(
	cmd *cobra.Command, run *guard.Run, name string, packets capture.Packets,
) error {
	counted := &countedPackets{Packets: packets}
	process := func(w io.Writer) error {
		err := run.Process(counted, w)
		if damage := run.Damage(); err == nil && damage != nil && counted.n == 0 {
			return fmt.Errorf("%s: no packet can be read: %w", name, damage) // it is no capture at all
		}
		return err
	}
	if o.verdicts == "" {
		if err := process(io.Discard); err != nil {
			return fmt.Errorf("guard: %w", err)
		}
	} else if err := writePath(cmd, o.verdicts, 0o666, process); err != nil {
		return fmt.Errorf("guard: verdicts: %w", err)
	}
	if o.answers == "" {
		return nil
	}
	if err := writePath(cmd, o.answers, 0o666, run.WriteAnswers); err != nil {
		return fmt.Errorf("guard: answers: %w", err)
	}
	return nil
}

// countedPackets counts the packets that were read.
type countedPackets struct {
	capture.Packets
	n int
}

func (c *countedPackets) Next() (netip.Addr, []byte, error) {
	source, payload, err := c.Packets.Next()
	if err == nil {
		c.n++
	}
	return source, payload, err
}

// guardInput is where packets come from.
type guardInput struct {
	name    string
	packets capture.Packets
	close   func() // may be called twice
}

// open opens the input. What is wrong inside it comes out with its first packet, so that an input
// with a damaged head is reported like one that is damaged further on.
func (o *guardOptions) open(cmd *cobra.Command) (*guardInput, error) {
	if o.capture == "" && o.packets == "" {
		trace, err := capture.NewSynthetic(o.synthetic, o.seed)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%d sources, seed %d", o.synthetic, o.seed)
		return &guardInput{name, trace, func() {}}, nil
	}
	in := &guardInput{name: o.capture + o.packets, close: func() {}}
	reader := cmd.InOrStdin()
	if in.name != "-" {
		file, err := openInput(cmd, in.name)
		if err != nil {
			return nil, fmt.Errorf("guard: %w", err)
		}
		reader, in.close = file, file.close
	}
	if o.packets != "" {
		in.packets = capture.NewText(reader)
	} else if packets, err := capture.Open(reader); err != nil {
		in.packets = damagedInput{err}
	} else {
		in.packets = packets
	}
	return in, nil
}

// readList reads a list from a file with one of capture's parsers; no file is an empty list.
func readList[T any](cmd *cobra.Command, path string, parse func(io.Reader) ([]T, error)) ([]T, error) {
	if path == "" {
		return nil, nil
	}
	file, err := openPath(cmd, path)
	if err != nil {
		return nil, fmt.Errorf("guard: %w", err)
	}
	defer file.Close()
	list, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("guard: %s: %w", pathName(path), err)
	}
	return list, nil
}
