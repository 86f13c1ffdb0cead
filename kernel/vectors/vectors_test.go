package vectors

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

func targets() []Target {
	var all []Target
	for _, im := range kernel.Implementations() {
		all = append(all, Targets(im)...)
	}
	return all
}

func run(t testing.TB, config Config) ([]byte, Tally) {
	t.Helper()
	var file bytes.Buffer
	tally, err := Make(&file, config)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), tally
}

// In ten thousand mixed operations at each width every implementation agrees, and every result of
// every operation occurs.
func TestImplementationsAgree(t *testing.T) {
	for _, blockBits := range []int{256, 512} {
		file, tally := run(t, Config{BlockBits: blockBits, NBlocks: 250, Records: 10_000, Seed: 1})
		for op, possible := range results {
			for _, result := range possible {
				if tally[op][result] < 20 {
					t.Errorf("%d bits: %s was %s %d times, want at least 20", blockBits, op, result,
						tally[op][result])
				}
			}
		}
		for _, target := range targets() {
			if n, err := Check(bytes.NewReader(file), target); n != 10_000 || err != nil {
				t.Errorf("%d bits: %s: %d records, %v", blockBits, target.Name(), n, err)
			}
		}
	}
}

// The worked example of DESIGN.md as a vector, read from its text.
func TestWorkedExample(t *testing.T) {
	const line = `{"block_bits":256,"nblocks":1000,"op":"insert","h":"0x0123456789abcdef","block":4,` + `"mask":["0x00000000","0x00000002","0x00040000","0x00000200","0x04000000","0x00008000","0x00002000","0x10000000"],` + `"after":["0x00000000","0x00000002","0x00040000","0x00000200","0x04000000","0x00008000","0x00002000","0x10000000"],` + `"result":"absent"}` + "\n"
	for _, target := range targets() {
		if n, err := Check(strings.NewReader(line), target); n != 1 || err != nil {
			t.Errorf("%s: %d records, %v", target.Name(), n, err)
		}
	}
}

// If any character of a file is changed, lost or added, the file is refused. The test tries it on
// the first record of each operation, with the run up to the next record.
func TestAnyChangeIsRefused(t *testing.T) {
	for _, blockBits := range []int{256, 512} {
		file, tally := run(t, Config{BlockBits: blockBits, NBlocks: 2, Records: 24, Seed: 2})
		if len(tally) != len(results) {
			t.Fatalf("the run has %v, want every operation", tally)
		}
		stride := 1
		if testing.Short() {
			stride = 7
		}
		lines := bytes.SplitAfter(file, []byte("\n"))
		tried := map[Op]bool{}
		start := 0
		for i, line := range lines[:len(lines)-1] {
			record, err := parse(line)
			if err != nil {
				t.Fatal(err)
			}
			if !tried[record.Op] {
				tried[record.Op] = true
				before, behind := file[:start], lines[i+1]
				for offset := 0; offset < len(line); offset += stride {
					for _, c := range []byte("08c ,") {
						if c != line[offset] {
							changed := bytes.Clone(line)
							changed[offset] = c
							refused(t, bytes.Join([][]byte{before, changed, behind}, nil), changed)
						}
					}
					longer := bytes.Join([][]byte{line[:offset], line[offset:]}, []byte("0"))
					refused(t, bytes.Join([][]byte{before, longer, behind}, nil), longer)
					shorter := bytes.Join([][]byte{line[:offset], line[offset+1:]}, nil)
					refused(t, bytes.Join([][]byte{before, shorter, behind}, nil), shorter)
				}
			}
			start += len(line)
		}
	}
}

func refused(t *testing.T, file, changed []byte) {
	t.Helper()
	if _, err := Check(bytes.NewReader(file), Targets(kernel.Active())[0]); err == nil {
		t.Fatalf("a file is accepted with the line %q", changed)
	}
}

func TestMalformed(t *testing.T) {
	file, _ := run(t, Config{BlockBits: 512, NBlocks: 4, Records: 2, Seed: 3})
	lines := strings.SplitAfter(string(file), "\n")
	good := lines[0]
	tests := []struct {
		name, file string
		line       int
		message    string
	}{
		{"not JSON", good + "x\n", 2, "invalid character"},
		{"no end of the last line", good[:len(good)-1], 1, "the last line has no end"},
		{"an empty line", good + "\n" + good, 2, "unexpected end of JSON input"},
		{"a long line", good + strings.Repeat(" ", 2000) + "\n", 2, "longer than 1024 bytes"},
		{"a width of 16", strings.Replace(good, `"block_bits":512`, `"block_bits":128`, 1), 1,
			"block_bits is 128"},
		{"another width", good + strings.Replace(strings.ReplaceAll(lines[1], "0x00000000", "0x"),
			`"block_bits":512`, `"block_bits":256`, 1), 2, "16 hex digits"},
		{"no blocks", strings.Replace(good, `"nblocks":4`, `"nblocks":0`, 1), 1, "nblocks is 0"},
		{"too many blocks", strings.Replace(good, `"nblocks":4`, `"nblocks":1048577`, 1), 1,
			"nblocks is 1048577"},
		{"other blocks", good + strings.Replace(lines[1], `"nblocks":4`, `"nblocks":5`, 1), 2,
			"want 512 and 4"},
		{"an unknown operation", strings.Replace(good, "insert", "upsert", 1), 1, `op is "upsert"`},
		{"a result of another operation", strings.Replace(good, `"absent"`, `"deleted"`, 1), 1,
			`result of insert is "deleted"`},
		{"upper-case hex", strings.Replace(good, "0x0", "0X0", 1), 1, "h:"},
		{"seven lanes", strings.Replace(good, `"mask":["0x0000000000000000",`, `"mask":[`, 1),
			1, "7 lanes"},
		{"a space", strings.Replace(good, ":", ": ", 1), 1, "byte 15"},
		{"another order", strings.Replace(good, `"block_bits":512,"nblocks":4`,
			`"nblocks":4,"block_bits":512`, 1), 1, "byte 3"},
		{"one more field", strings.Replace(good, `{`, `{"x":1,`, 1), 1, "byte 3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Check(strings.NewReader(test.file), Targets(kernel.Active())[0])
			var malformed *MalformedError
			if !errors.As(err, &malformed) {
				t.Fatalf("%v, want a *MalformedError", err)
			}
			if malformed.Line != test.line || !strings.Contains(err.Error(), test.message) {
				t.Errorf("%v; want line %d, %q", err, test.line, test.message)
			}
		})
	}
}

// faulty is a target with a planted mistake in one operation.
type faulty struct {
	Target
	fault func(*Record, *Result, *Block)
}

type faultyMachine struct {
	Machine
	*faulty
	after Block
	block int
}

func (f *faulty) New(blockBits, nblocks int) (Machine, error) {
	m, err := f.Target.New(blockBits, nblocks)
	return &faultyMachine{Machine: m, faulty: f}, err
}

func (m *faultyMachine) Apply(records []Record, results []Result) error {
	if err := m.Machine.Apply(records, results); err != nil {
		return err
	}
	m.block = records[0].Block
	m.after, _ = m.Machine.Block(m.block)
	m.fault(&records[0], &results[0], &m.after)
	return nil
}

func (m *faultyMachine) Block(i int) (Block, error) {
	if i == m.block {
		return m.after, nil
	}
	return m.Machine.Block(i)
}

// The mistake of a target is reported with the first record and lane in which it shows.
func TestDifferences(t *testing.T) {
	file, _ := run(t, Config{BlockBits: 512, NBlocks: 8, Records: 2000, Seed: 4})
	tests := []struct {
		name  string
		fault func(*Record, *Result, *Block)
		what  string
	}{
		{"a wrong result", func(r *Record, result *Result, _ *Block) {
			if r.Op == Delete && *result == Retained {
				*result = Deleted
			}
		}, "result"},
		{"no collision marked", func(r *Record, _ *Result, after *Block) {
			if r.Op == Insert {
				after[0] = 0
			}
		}, "after lane 0"},
		{"a query that writes", func(r *Record, _ *Result, after *Block) {
			if r.Op == Query {
				after[5] ^= 1 << 63
			}
		}, "after lane 5"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := &faulty{Targets(kernel.Active())[0], test.fault}
			_, err := Check(bytes.NewReader(file), target)
			var difference *Difference
			if !errors.As(err, &difference) || difference.What != test.what || difference.Line < 1 {
				t.Errorf("%v, want a difference in %q", err, test.what)
			}
		})
	}
}

func TestMakeConfig(t *testing.T) {
	for _, config := range []Config{
		{BlockBits: 384, NBlocks: 1}, {BlockBits: 512, NBlocks: 0},
		{BlockBits: 512, NBlocks: MaxBlocks + 1}, {BlockBits: 512, NBlocks: 1, Records: -1},
	} {
		if _, err := Make(&bytes.Buffer{}, config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
	if file, _ := run(t, Config{BlockBits: 256, NBlocks: 1}); len(file) != 0 {
		t.Errorf("no records: %q", file)
	}
	if n, err := Check(strings.NewReader(""), Targets(kernel.Active())[0]); n != 0 || err != nil {
		t.Errorf("an empty run: %d, %v", n, err)
	}
}

// FuzzParse parses lines. A line is refused, or is written back byte for byte.
func FuzzParse(f *testing.F) {
	for _, blockBits := range []int{256, 512} {
		file, _ := run(f, Config{BlockBits: blockBits, NBlocks: 9, Records: 30, Seed: 5})
		for line := range bytes.Lines(file) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parse(line)
		if err == nil && !bytes.Equal(r.line(), line) {
			t.Errorf("%q is accepted and written back as %q", line, r.line())
		}
	})
}
