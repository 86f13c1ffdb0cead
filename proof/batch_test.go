package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// quickBatches are proved in each run, with an output only: one of each operation, and some of each
// instruction set.
var quickBatches = regexp.MustCompile(`^((Select|Insert|Merge)(Batch)?SplitNEON|DeleteBatch256NEON|` +
	`MatchBatch512AVX2|QueryBatch512NEON|HashBatch64AVX512)$`)

// batchLimit is how many seconds z3 may take for one part of a proof.
const batchLimit = 600

var batchSolver = Solver{"z3", fmt.Sprintf("-T:%d", batchLimit), nil}

// chosenBatches returns the batches that BLOOMLANE_BATCHES names by a regular expression.
func chosenBatches(t *testing.T) (all []Batch) {
	t.Helper()
	pattern := quickBatches
	if text := os.Getenv("BLOOMLANE_BATCHES"); text != "" {
		pattern = regexp.MustCompile(text)
	}
	for _, b := range Batches {
		if pattern.MatchString(b.String()) {
			all = append(all, b)
		}
	}
	return all
}

// TestBatches asks the solver for a counterexample to each part of the proofs of batches. With
// -update it notes those that it went through in docs/proofs.md.
func TestBatches(t *testing.T) {
	p, folder := linked(t), scripts(t)
	for _, b := range chosenBatches(t) {
		t.Run(b.String(), func(t *testing.T) {
			parts, paths, executed, seconds := 0, 0, 0, 0.0
			var open []string
			silences := b.Silences()
			if os.Getenv("BLOOMLANE_BATCHES") == "" {
				silences = silences[:1]
			}
			for _, silent := range silences {
				theorems, err := p.Induction(b, silent)
				if err != nil {
					t.Fatal(err)
				}
				for _, theorem := range theorems {
					verdict, err := theorem.Prove(batchSolver, folder)
					switch {
					case err != nil && strings.Contains(err.Error(), "timeout"):
						open = append(open, theorem.Name)
					case err != nil:
						t.Error(err)
					case verdict.Counterexample != "":
						t.Errorf("%s is refuted: %s", theorem.Name, verdict.Counterexample)
					}
					t.Logf("%s: %.1f s", theorem.Name, verdict.Took.Seconds())
					parts, paths = parts+1, paths+theorem.Paths
					executed, seconds = executed+theorem.Executed, seconds+verdict.Took.Seconds()
				}
			}
			if len(open) > 0 && quickBatches.MatchString(b.String()) {
				t.Errorf("it does not end: %v", open)
			}
			if *update && len(silences) == len(b.Silences()) && !t.Failed() {
				verdict := "no counterexample"
				if len(open) > 0 {
					verdict = fmt.Sprintf("%d parts do not end in %d s", len(open), batchLimit)
				}
				row := fmt.Sprintf(" | %d | %d | %d | %s | %.1f s | %s | %s | %s |\n", parts, paths,
					executed, verdict, seconds, commit(t), p.code(t, b), p.basis(t, b))
				provedBatches.note(t, b, row)
			}
		})
	}
}

func commit(t *testing.T) string {
	output, err := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(output))
}

// code is the beginning of the digest of a batch's machine code.
func (p *Program) code(t *testing.T, b Batch) string {
	t.Helper()
	f, err := p.assembly(b).digest(b.symbol())
	if err != nil {
		t.Fatal(err)
	}
	return f.Digest[:8]
}

// basis is the beginning of a digest of all that is stated of a batch. The statements depend on its
// machine code, on that of the definition, on the contract and on what the prover takes instructions
// to mean: where none of that has changed, a proof is one of now.
func (p *Program) basis(t *testing.T, b Batch) string {
	t.Helper()
	sum := sha256.New()
	for _, silent := range b.Silences() {
		theorems, err := p.Induction(b, silent)
		if err != nil {
			t.Fatal(err)
		}
		for _, theorem := range theorems {
			sum.Write([]byte(statementOf(theorem)))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// listing is a table of batches in docs/proofs.md.
type listing struct {
	name, head, blank string
}

var (
	provedBatches = listing{"batches", "| batch | instruction set | parts | paths | instructions " +
		"| z3 finds | in | at commit | code | statements |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
		" | | | | not run | | | | |\n"}
	mutatedBatches = listing{"batch mutants", "| batch | instruction set | changes | planted " +
		"| refuted | not followed | the same | at commit |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n", " | | not run | | | | |\n"}
)

// note puts a row into a table, and leaves the others as they are.
func (l listing) note(t *testing.T, b Batch, row string) {
	t.Helper()
	const path = "../docs/proofs.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- "+l.name+" -->\n")
	old, _, _ := strings.Cut(rest, "<!-- end of "+l.name+" -->\n")
	text := l.head
	for _, other := range Batches {
		begin := fmt.Sprintf("| `%s` | %s", other, other.Set)
		line := begin + l.blank
		for known := range strings.Lines(old) {
			if strings.HasPrefix(known, begin+" |") {
				line = known
			}
		}
		if other == b {
			line = begin + row
		}
		text += line
	}
	section(t, l.name, text, regexp.MustCompile(`$^`))
}

// docs/proofs.md has a row for each batch. Where what is stated of it has changed since z3 was asked,
// the row says as of which commit it is; -update writes that.
func TestBatchesAreListed(t *testing.T) {
	p := linked(t)
	page, err := os.ReadFile("../docs/proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := batchRows(t)
	for _, b := range Batches {
		row, ok := rows[b]
		if !ok && strings.Contains(string(page), fmt.Sprintf("| `%s` | %s%s", b, b.Set,
			provedBatches.blank)) {
			continue
		}
		want := row
		want.stale = row.basis != p.basis(t, b)
		switch {
		case ok && row.stale == want.stale:
		case ok && *update:
			provedBatches.note(t, b, want.String())
		default:
			t.Errorf("docs/proofs.md has %+v of %s, want that it is stale: %v", row, b, want.stale)
		}
	}
}

// function is the beginning of one in assembly.
var function = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)

// docs/proofs.md names each function of the assembly that no theorem is about.
func TestOtherFunctionsAreListed(t *testing.T) {
	page, err := os.ReadFile("../docs/proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	stated := map[string]bool{}
	for _, b := range Batches {
		stated[b.symbol()] = true
	}
	for _, k := range Kernels {
		stated[k.symbol()] = true
	}
	for _, c := range Ciphers {
		stated[c.symbol()] = true
	}
	files, err := filepath.Glob("../asm/*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly is found (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range function.FindAllStringSubmatch(string(text), -1) {
			name := match[1]
			if !stated[inAssembly+name+".abi0"] &&
				!strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/proofs.md does not name %s", name)
			}
		}
	}
}

// followedByBatches returns the instructions of an architecture's batches, and of the definitions
// that only they have.
func (p *Program) followedByBatches(t *testing.T, a *architecture) (all []instruction) {
	t.Helper()
	for _, b := range Batches {
		program := p.assembly(b)
		if program.architecture != a {
			continue
		}
		code, err := program.function(b.symbol())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slices.DeleteFunc(slices.Clone(code), func(i instruction) bool {
			return i.mnemonic == "udf" // behind the end
		})...)
	}
	if a != amd64 {
		return all
	}
	program, err := readBPF(shipped)
	if err != nil {
		t.Fatal(err)
	}
	define := func(i instruction) { all = append(all, i) }
	if _, err := p.has(program, lookups[1], define); err != nil {
		t.Fatal(err)
	}
	for _, b := range []Batch{{"Merge", "512", "AVX2"}, {"Merge", "256", "AVX2"},
		{"Merge", "Split", "AVX2"}, {"MatchBatch", "512", "AVX2"}, {"MatchBatch", "256", "AVX2"},
		{"HashBatch", "32", "AVX512"}, {"HashBatch", "64", "AVX512"}} {
		x, err := p.induct(b, true)
		if err != nil {
			t.Fatal(err)
		}
		x.define = func(i instruction) { all = append(all, i) }
		if err := x.guessInvariants(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// What is assumed of a batch can hold, on each path: what is assumed of the definition and of memory
// leaves out none that the contract and the invariant leave.
func TestAssumptionsOfBatchesCanHold(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	for _, b := range []Batch{{"QueryBatch", "512", "NEON"}, {"MatchBatch", "256", "AVX2"}} {
		x := p.induced(t, b, false)
		can := 0
		for _, from := range x.points() {
			paths, err := x.explore(from)
			if err != nil {
				t.Fatal(err)
			}
			for n, e := range paths.ends {
				taken := func(assumed []goal) bool {
					c := &claim{x.pool, assumed, []goal{{"never", "It is never taken", x.not(e.path)}},
						func(r *rand.Rand) func(t *term) value { return (&samples{x, r}).values(from) }}
					v, err := Theorem{Name: "path", Script: c.script(nil), claim: c}.Refute(Solvers[0], folder)
					if err != nil {
						t.Fatal(err)
					}
					return v.Counterexample != ""
				}
				switch {
				case taken(append(slices.Clip(paths.assumed), paths.definitions()...)):
					can++
				case taken(paths.assumed):
					t.Errorf("%s: what is assumed excludes path %d from %q", b, n, from.head.name)
				}
			}
		}
		if can < 6 {
			t.Errorf("%s: %d paths are taken", b, can)
		}
	}
}

// batchMutants are changes of the instructions that a batch follows.
func batchMutants(t *testing.T, p *Program, b Batch) (all []mutant) {
	t.Helper()
	code, err := p.assembly(b).function(b.symbol())
	if err != nil {
		t.Fatal(err)
	}
	for place, i := range code {
		if i.mnemonic != "nop" && i.mnemonic != "int3" && i.mnemonic != "udf" {
			all = append(all, mutants(Kernel{Set: b.Set}, b.symbol(), place, i)...)
		}
	}
	return all
}

// mutantsEach is how many changes of a batch are planted at least.
const mutantsEach = 4

// TestBatchMutants plants mistakes in the loops of batches, some in each. What breaks a part of a
// proof, or cannot be followed, is refuted. A part that states the same as without the mistake is
// not asked for again. BLOOMLANE_MUTANTS=full plants them in the batches that BLOOMLANE_BATCHES
// names, and with -update notes in docs/proofs.md what comes of it.
func TestBatchMutants(t *testing.T) {
	p, folder := linked(t), t.TempDir()
	full := os.Getenv("BLOOMLANE_MUTANTS") == "full"
	mutated := []Batch{{"QueryBatch", "512", "NEON"}}
	if full {
		mutated = chosenBatches(t)
	}
	for _, b := range mutated {
		t.Run(b.String(), func(t *testing.T) {
			all := batchMutants(t, p, b)
			every := max(1, len(all)/mutantsEach)
			x := p.induced(t, b, false)
			known := x.known(t)
			planted, refuted, stuck, same := 0, 0, 0, 0
			for i := slices.Index(Batches, b) % every; i < len(all); i += every {
				m := all[i]
				planted++
				broken, queries, err := x.refute(m.change, known, folder)
				switch {
				case broken:
					refuted++
				case isStuck(err):
					stuck++
				case err != nil:
					t.Errorf("%d %s: %v", m.place, m.says, err)
				case queries > 0 && b.Operation != "Fetch" && // which may prefetch another block
					!slices.ContainsFunc(equivalents, func(e equivalent) bool {
						return strings.Contains(fmt.Sprintf("%d %s", m.place, m.says), e.part)
					}):
					t.Errorf("%d %s: not refuted", m.place, m.says)
				default:
					same++
				}
			}
			t.Logf("of %d changes %d are planted: %d are refuted, %d not followed, %d do the same",
				len(all), planted, refuted, stuck, same)
			if refuted+stuck == 0 {
				t.Error("no mistake is found")
			}
			if full && *update && !t.Failed() {
				row := fmt.Sprintf(" | %d | %d | %d | %d | %d | %s |\n", len(all), planted, refuted,
					stuck, same, commit(t))
				mutatedBatches.note(t, b, row)
			}
		})
	}
}

// induced returns the proof of a batch, with its invariants.
func (p *Program) induced(t *testing.T, b Batch, silent bool) *induction {
	t.Helper()
	x, err := p.induct(b, silent)
	if err == nil {
		err = x.guessInvariants()
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// known are the statements of the code as it is.
func (x *induction) known(t *testing.T) map[string]bool {
	t.Helper()
	theorems, err := x.theorems()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, theorem := range theorems {
		all[statementOf(theorem)] = true
	}
	return all
}

// refute says whether a part of the proof is false with a planted mistake, and how many parts state
// what is not known. If there is none, all that the code stores and answers is the same term.
func (x *induction) refute(
	change change,
	known map[string]bool,
	folder string,
) (broken bool, asked int, err error) {
	if err := x.mutate(change); err != nil {
		return false, 0, err
	}
	theorems, err := x.theorems()
	if err != nil {
		return false, 0, err
	}
	theorems = slices.DeleteFunc(theorems, func(theorem Theorem) bool {
		return known[statementOf(theorem)]
	})
	for _, theorem := range theorems { // before a solver is asked for any
		if theorem.claim.broken() != nil {
			return true, 1, nil
		}
	}
	for _, theorem := range theorems {
		verdict, err := theorem.Prove(Solvers[0], folder)
		if err != nil || verdict.Counterexample != "" {
			return err == nil, 1, err
		}
	}
	return false, len(theorems), nil
}

// statementOf returns the script of a theorem without its comments. Equal terms of a pool have
// equal names in it.
func statementOf(theorem Theorem) string {
	var text strings.Builder
	for line := range strings.Lines(theorem.Script) {
		if !strings.HasPrefix(line, ";") {
			text.WriteString(line)
		}
	}
	return text.String()
}
