package proof

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

var update = flag.Bool("update", false, "write the table of theorems to docs/proofs.md")

// needsSolver skips the test where proofs are not required, because solvers and emulators take
// minutes, and fails where a tool of the proofs is missing.
func needsSolver(t *testing.T) {
	t.Helper()
	if !require.Names("proofs") {
		require.Skip(t, "proofs", "make proofs runs it, and BLOOMLANE_REQUIRE=proofs go test")
	}
	for _, tool := range []string{"go", Disassembler, Synthesizer, Solvers[0].Name,
		Solvers[1].Name} {
		if _, err := exec.LookPath(tool); err != nil {
			require.Skip(t, "proofs", err.Error())
		}
	}
	if _, err := exec.LookPath(compiler()); err != nil {
		require.Skip(t, "proofs", err.Error())
	}
}

// programs is the folder of the programs that linked builds, for all tests.
var programs string

var openOnce = sync.OnceValues(func() (*Program, error) { return Open(programs) })

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "proof"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// linked returns the program that the theorems are about.
func linked(t *testing.T) *Program {
	t.Helper()
	needsSolver(t)
	p, err := openOnce()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// scripts returns the folder for the statements: BLOOMLANE_PROOFS, where they stay.
func scripts(t *testing.T) string {
	if folder := os.Getenv("BLOOMLANE_PROOFS"); folder != "" {
		return folder
	}
	return t.TempDir()
}

// theorems returns every lemma, and a theorem for each definition and each kernel.
func theorems(t *testing.T, p *Program) []Theorem {
	t.Helper()
	all := slices.Clone(Lemmas)
	add := func(theorem Theorem, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
			return
		}
		all = append(all, theorem)
	}
	seen := map[string]bool{}
	for _, k := range Kernels {
		if !seen[k.definition()] {
			seen[k.definition()] = true
			add(p.Definition(k))
		}
		add(p.Theorem(k))
	}
	program, err := readBPF(shipped)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lookups {
		add(p.has(program, l, nil))
	}
	functions, err := compileBPF(packets, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range formats {
		for _, s := range steps {
			add(p.step(s, format, nil))
		}
		for _, operation := range circuits {
			add(p.circuit(verilog, operation, format, t.TempDir()))
			add(p.packet(functions, operation, format))
		}
	}
	return all
}

// cipherTheorems returns one for each function of AES-PMAC that has one. They assume nothing.
func cipherTheorems(t *testing.T, p *Program) (all []Theorem) {
	t.Helper()
	for _, c := range Ciphers {
		theorem, err := p.CipherTheorem(c)
		if err != nil {
			t.Error(err)
			continue
		}
		all = append(all, theorem)
	}
	return all
}

// TestTheorems asks the solver for a counterexample to each theorem. docs/proofs.md has their table
// as it is; only its times may differ.
func TestTheorems(t *testing.T) {
	p, folder := linked(t), scripts(t)
	table := "| theorem | instruction set | what it says | paths | instructions |"
	for _, solver := range Solvers {
		table += fmt.Sprintf(" %s |", solver.Name)
	}
	table += "\n" + strings.Repeat("| --- ", 5+len(Solvers)) + "|\n"
	for _, theorem := range append(theorems(t, p), cipherTheorems(t, p)...) {
		t.Run(theorem.Name, func(t *testing.T) {
			paths, executed := "", ""
			if theorem.Paths > 0 {
				paths, executed = fmt.Sprint(theorem.Paths), fmt.Sprint(theorem.Executed)
			}
			table += fmt.Sprintf("| `%s` | %s | %s | %s | %s |", theorem.Name, theorem.Set,
				theorem.Says, paths, executed)
			for _, solver := range Solvers {
				verdict, err := theorem.Prove(solver, folder)
				if err != nil {
					t.Fatal(err)
				}
				if verdict.Counterexample != "" {
					t.Fatalf("%s refutes it: %s", solver.Name, verdict.Counterexample)
				}
				table += fmt.Sprintf(" %.2f s |", verdict.Took.Seconds())
			}
			table += "\n"
		})
	}
	if t.Failed() {
		return
	}
	section(t, "theorems", table, regexp.MustCompile(`\d+\.\d\d s`))
}

// section holds a part of docs/proofs.md to what it should be but for what varies, or writes it. The
// page is that of the Go of go.mod: others make some other instructions of the definition.
func section(t *testing.T, name, text string, varies *regexp.Regexp) {
	t.Helper()
	const path = "../docs/proofs.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)[1]
	from, to := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, started := strings.Cut(string(page), from)
	old, after, ended := strings.Cut(rest, to)
	if !started || !ended {
		t.Fatalf("%s has no place for the %s", path, name)
	}
	if *update {
		err := os.WriteFile(path, []byte(before+from+text+to+after), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	} else if strings.HasPrefix(runtime.Version(), "go"+string(language)+".") &&
		varies.ReplaceAllString(old, "") != varies.ReplaceAllString(text, "") {
		t.Errorf("%s has other %s; with -update it gets\n%s", path, name, text)
	}
}

// The assumptions of a theorem can hold: without that, anything follows from them.
func TestAssumptionsCanHold(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	for _, theorem := range theorems(t, p)[len(Lemmas):] {
		lines := strings.Split(theorem.Script, "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "(assert (not (and ")
		})
		theorem.Script = strings.Join(lines, "\n")
		if v, err := theorem.Prove(Solvers[0], folder); err != nil || v.Counterexample == "" {
			t.Errorf("%s: nothing satisfies the assumptions (%v)", theorem.Name, err)
		}
	}
}

// The code of a kernel is not that of another operation.
func TestOtherOperationsAreRefuted(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	for _, k := range Kernels {
		if k.Set == chosen { // of a query only
			continue
		}
		code, err := p.program(k).function(k.symbol())
		if err != nil {
			t.Fatal(err)
		}
		other := k
		other.Operation = map[string]string{"Query": "Insert", "Insert": "Delete",
			"Delete": "Query", "Add": "Query"}[k.Operation]
		if k.split() && k.Operation == "Insert" {
			other.Operation = "Query"
		}
		theorem, err := p.ask(other, func(name string, old []instruction) []instruction {
			if name == other.symbol() {
				return code
			}
			return old
		}).theorem()
		if isStuck(err) { // the one has a result, the other none
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if v, err := theorem.Refute(Solvers[0], folder); err != nil || v.Counterexample == "" {
			t.Errorf("the code of %s is %s (%v)", k, other, err)
		}
	}
}

// followedByKeys returns the instructions of an architecture along the paths of all kernels of
// single keys and their definitions.
func (p *Program) followedByKeys(t *testing.T, a *architecture) (all []instruction) {
	t.Helper()
	for _, k := range Kernels {
		if p.program(k).architecture != a {
			continue
		}
		q := p.ask(k, nil)
		definition, err := q.runDefinition(q.block)
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := q.runKernel()
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, kernel.followed...); a == amd64 {
			all = append(all, definition.followed...)
		}
	}
	return all
}

// followed returns those along the paths of histories, hashes and batches too.
func (p *Program) followed(t *testing.T, a *architecture) []instruction {
	all := p.followedByKeys(t, a)
	if a == amd64 {
		for _, s := range steps {
			for _, format := range formats {
				h := p.history(format, nil)
				s.goals(h)
				for _, e := range h.seen {
					all = append(all, e.followed...)
				}
			}
		}
	}
	all = append(all, p.followedByHashes(t, a)...)
	return append(all, p.followedByBatches(t, a)...)
}

// A query that stores to a block is no query, even if the block stays as it is.
func TestQueriesDoNotStore(t *testing.T) {
	p := linked(t)
	code, err := p.amd64.function(Kernel{"Insert", "512", "AVX2"}.symbol())
	if err != nil {
		t.Fatal(err)
	}
	query := Kernel{"Query", "512", "AVX2"}
	_, err = p.ask(query, func(string, []instruction) []instruction { return code }).runKernel()
	var structure *StructureError
	if !errors.As(err, &structure) {
		t.Errorf("an insert passes for a query: %v", err)
	}
}

// mnemonics returns those of instructions, each once.
func mnemonics(all []instruction) []string {
	seen := map[string]bool{}
	for _, i := range all {
		seen[i.mnemonic] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// docs/proofs.md lists the instructions that are followed, and README has the number of those that
// theorems about kernels of single keys follow.
func TestInstructionsAreListed(t *testing.T) {
	p := linked(t)
	text, meant := "", 0
	for _, a := range []*architecture{amd64, arm64} {
		known := mnemonics(p.followed(t, a))
		meant += len(mnemonics(p.followedByKeys(t, a)))
		text += fmt.Sprintf("The machine follows %d instructions of %s, by mnemonic:\n", len(known),
			a.name)
		for n, mnemonic := range known {
			separator := " "
			if n%12 == 0 {
				separator = "\n    "
			}
			text += separator + mnemonic
		}
		text += "\n\n"
	}
	section(t, "instructions", text, regexp.MustCompile(`$^`))
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	claim := fmt.Sprintf("a model of %d instructions", meant)
	if words := strings.Join(strings.Fields(string(readme)), " "); !strings.Contains(words, claim) {
		t.Errorf("README.md does not say %q", claim)
	}
}
