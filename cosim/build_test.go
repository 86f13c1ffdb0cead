package cosim

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// echo is a model that costs little to build: it is not in package hdl.
func echo(text string) Model {
	return Model{Top: "echo", Sources: map[string]string{"echo.v": text}}
}

const good = `
module echo #(parameter W = 3) (
    input wire clk, input wire [W-1:0] in, input wire [69:0] wide,
    output reg [W-1:0] out, output wire [69:0] same, output wire [39:0] middle
);
    always @(posedge clk) out <= in;
    assign same = wide;
    assign middle = wide[39:0];
endmodule
`

// emptyCache gives the test a cache folder of its own.
func emptyCache(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("HOME", folder)
	return folder
}

// A program is built once, also if several goroutines ask for it at the same time, and found
// afterwards; nothing else is left in the cache. Other parameters are another program.
func TestBuild(t *testing.T) {
	needTools(t)
	folder := emptyCache(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := Build(context.Background(), echo(good)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	programs := func() (names []string) {
		err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				names = append(names, filepath.Base(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if got := strings.Join(programs(), " "); got != "layout.json program" {
		t.Errorf("the cache holds %s", got)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(canceled, echo(good)); err != nil {
		t.Errorf("what is in the cache is built again: %v", err)
	}
	wider := echo(good)
	wider.Parameters = map[string]int{"W": 17}
	if _, err := Build(canceled, wider); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled build: %v, want %v", err, context.Canceled)
	}
	if _, err := Build(context.Background(), wider); err != nil {
		t.Error(err)
	}
	if got := len(programs()); got != 4 {
		t.Errorf("the cache holds %d files, want two programs' 4", got)
	}
}

// Values come back as they went in, whatever the width of the port, a clock later where they are
// registered.
func TestPorts(t *testing.T) {
	s := start(t, echo(good))
	records, answers := make([]byte, 2*s.InBytes()), make([]byte, 2*s.OutBytes())
	wide := []uint32{0x89abcdef, 0x01234567, 0x2a}
	for i, in := range []uint64{5, 2} {
		record := records[i*s.InBytes():][:s.InBytes()]
		s.In("in").Set(record, in)
		s.In("wide").SetWords(record, wide)
	}
	if err := s.Run(records, answers); err != nil {
		t.Fatal(err)
	}
	second := answers[s.OutBytes():]
	if got := s.Out("out").Get(second); got != 5 {
		t.Errorf("out is %d, want 5", got)
	}
	if got := s.Out("middle").Get(second); got != 0x6789abcdef {
		t.Errorf("middle is %#x, want 0x6789abcdef", got)
	}
	if got, want := string(s.Out("middle").Bytes(nil, second)),
		"\xef\xcd\xab\x89\x67"; got != want {
		t.Errorf("the bytes of middle are %x, want %x", got, want)
	}
	var got [3]uint32
	s.Out("same").Words(second, got[:])
	if got != [3]uint32(wide) {
		t.Errorf("same is %x, want %x", got, wide)
	}
	bytes := s.Out("same").Bytes(nil, second)
	s.In("wide").SetBytes(records, bytes[:6])
	if err := s.Run(records, answers); err != nil {
		t.Fatal(err)
	}
	s.Out("same").Words(answers, got[:])
	if got != [3]uint32{0x89abcdef, 0x4567, 0} {
		t.Errorf("of the first 6 bytes, same is %x", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Run(records, answers); err == nil {
		t.Error("a closed simulation runs")
	}
}

// What Verilator or the compiler refuses is an error that says why, and leaves nothing.
func TestBuildFails(t *testing.T) {
	needTools(t)
	folder := emptyCache(t)
	for _, test := range []struct {
		name, text, message string
	}{
		{"a syntax error", "module echo(input wire a) endmodule", "syntax error"},
		{"a module that there is not", "module echo(input wire a); none inst (.a(a)); endmodule",
			"Cannot find file containing module: 'none'"},
		{"no ports", "module echo; endmodule", "no ports"},
		{"an inout", "module echo(inout wire a, input wire b); assign a = b ? 1'b1 : 1'bz; " +
			"endmodule", "no driver"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Build(t.Context(), echo(test.text)); err == nil ||
				!strings.Contains(err.Error(), test.message) {
				t.Errorf("%v, want %q", err, test.message)
			}
		})
	}
	if _, err := Build(t.Context(), Model{Top: "none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want %v", err, os.ErrNotExist)
	}
	if entries, err := os.ReadDir(filepath.Join(folder, "bloomlane", "cosim")); err != nil ||
		len(entries) != 0 {
		t.Errorf("the cache holds %v (%v)", entries, err)
	}
}

// Without the tools the error says what is missing and how to install it.
func TestNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), echo(good))
	var missing *NotInstalledError
	if !errors.As(err, &missing) || missing.Tool != "verilator" ||
		!strings.Contains(err.Error(), Install) {
		t.Errorf("%v, want that verilator is missing and %q", err, Install)
	}
}

// A process that dies is an error, once and for all, with what it said.
func TestRunFails(t *testing.T) {
	const text = `module echo(input wire clk, input wire stop, output wire same);
    assign same = stop;
    always @(posedge clk) if (stop) $stop;
endmodule`
	s := start(t, echo(text))
	records, answers := make([]byte, 3*batch*s.InBytes()), make([]byte, 3*batch*s.OutBytes())
	if err := s.Run(records, answers); err != nil {
		t.Fatal(err)
	}
	s.In("stop").Set(records, 1)
	for range 2 {
		if err := s.Run(records, answers); err == nil ||
			!strings.Contains(err.Error(), "echo.v:3") {
			t.Errorf("%v, want one that names the line", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
