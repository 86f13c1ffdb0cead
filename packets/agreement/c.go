package agreement

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bloomlane/bloomlane/c"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/xdp"
)

//go:embed driver/driver.c
var driver string

// cCode is the header for C in a program for this machine, which reads frames as the packet program
// does.
type cCode struct {
	folder  string
	cmd     *exec.Cmd
	in      *bufio.Writer
	end     io.Closer // of the program's input
	out     *bufio.Reader
	stderr  bytes.Buffer
	nblocks uint32
}

// NoCompilerError says that no compiler of C is on the search path.
type NoCompilerError struct{}

func (NoCompilerError) Error() string {
	return "agreement: found no cc, expected a compiler of C: apt-get install gcc libc6-dev"
}

// cMachine is the program of a header.
func cMachine(header string) machine {
	return machine{"C (bloomlane.h)", func(s *scenario) (executor, error) {
		p := &cCode{}
		err := p.build(header)
		if err == nil {
			err = p.start()
		}
		if err == nil {
			p.in.WriteByte('f')
			p.put(s.file)
			p.put(s.config.Key.Bytes())
			err = p.answer(&p.nblocks)
		}
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		return p, nil
	}}
}

// build compiles the program into a folder of its own.
func (p *cCode) build(header string) (err error) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return NoCompilerError{}
	}
	if p.folder, err = os.MkdirTemp("", "bloomlane-agreement-"); err != nil {
		return fmt.Errorf("agreement: %w", err)
	}
	sources := map[string]string{"driver.c": driver, "bloomlane.h": header}
	for _, name := range []string{"packet.h", "kernel.h"} {
		text, err := fs.ReadFile(xdp.Headers, "program/"+name)
		if err != nil {
			return fmt.Errorf("agreement: %w", err)
		}
		sources[name] = string(text)
	}
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("agreement: %w", err)
		}
	}
	// The packet program reads words where they lie, as the machines of packets allow.
	cmd := exec.Command(compiler, "-std=gnu11", "-O2", "-fno-strict-aliasing", "-o", "driver",
		"driver.c")
	cmd.Dir = p.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("agreement: %v: %w\n%s", cmd, err, out)
	}
	return nil
}

// start starts the program.
func (p *cCode) start() error {
	p.cmd = exec.Command(filepath.Join(p.folder, "driver"))
	p.cmd.Stderr = &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("agreement: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("agreement: %w", err)
	}
	p.in, p.end, p.out = bufio.NewWriter(in), in, bufio.NewReader(out)
	return p.cmd.Start()
}

// put writes bytes, with their size before them.
func (p *cCode) put(b []byte) {
	p.number(len(b))
	p.in.Write(b)
}

func (p *cCode) number(n int) {
	p.in.Write(binary.NativeEndian.AppendUint32(nil, uint32(n)))
}

// answer sends what was written, and reads the answer. Its error is the first one.
func (p *cCode) answer(into any) error {
	err := p.in.Flush()
	if err == nil {
		err = binary.Read(p.out, binary.NativeEndian, into)
	}
	if err != nil {
		err = errors.Join(p.end.Close(), p.cmd.Wait())
		p.cmd = nil
		return fmt.Errorf("agreement: the program in C ends: %w: %s", err,
			strings.TrimSpace(p.stderr.String()))
	}
	return nil
}

func (p *cCode) frames(frames [][]byte) {
	p.number(len(frames))
	for _, frame := range frames {
		p.put(frame)
	}
}

func (p *cCode) judge(frames [][]byte, dropped []bool) error {
	p.in.WriteByte('j')
	p.frames(frames)
	return p.answer(dropped)
}

func (p *cCode) change(insert bool, addresses []netip.Addr, results []uint8) error {
	command := byte('d')
	if insert {
		command = 'i'
	}
	for _, a := range addresses {
		p.in.WriteByte(command)
		p.put(a.AsSlice())
	}
	return p.answer(results)
}

func (p *cCode) blocks(table kernel.Table512) error {
	p.in.WriteByte('b')
	return p.answer(table)
}

func (p *cCode) cost(frames [][]byte) (Cost, error) {
	var took uint64
	p.in.WriteByte('t')
	p.number(rounds)
	p.frames(frames)
	err := p.answer(&took)
	return Cost{PerPacket: float64(took) / float64(len(frames)), Unit: "ns",
		What: "reading, hashing and looking up, one packet after another"}, err
}

func (p *cCode) close() (err error) {
	if p.cmd != nil {
		if err = errors.Join(p.end.Close(), p.cmd.Wait()); err != nil {
			err = fmt.Errorf("agreement: the program in C: %w: %s", err, p.stderr.String())
		}
	}
	if p.folder != "" {
		err = errors.Join(err, os.RemoveAll(p.folder))
	}
	return err
}

// header is the header as it is.
var header = c.Header
