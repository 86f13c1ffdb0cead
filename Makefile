# Two commands: "make run" does the main job on real captures, "make test" runs the tests.
# Both do their own set-up. "make check" is the inner loop. "make help" lists all targets.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.PHONY: $(shell sed -n 's/^\([a-z][a-z0-9 -]*\):.*/\1/p' Makefile)

# What users link and run, and what holds it against other libraries and papers.
used    := ./{,filter/family/,interop/parquet/,report/,xdp/,packets/,cmd/bloomlane/}...
peers   := ./{bench/,papers/}...
all     := $(used) $(peers)
# What imports other libraries' filters takes minutes to build: it is built for this machine only.
light    = $(filter-out %/bench %/studies %/streams %/library %/engines,$(shell go list $(all)))
# The packages that the build tag purego changes.
assembled := ./asm/... ./internal/dispatch ./internal/pmac ./kernel/...
# Those that an order of bytes or an int of 32 bits can break. The packages left out simulate what is the same everywhere.
portable = ./fallback ./internal/batch ./internal/dispatch ./internal/pmac ./internal/siphash ./internal/hugepage \
	./internal/elementary ./internal/atomicfile ./kernel/... ./filter/family ./inpacket ./hdl/toeplitz \
	$(filter-out %/planning %/audit,$(shell go list ./filter/...))
# Those that start goroutines, share words between them, or cast pointers.
raced    = ./asm/... ./fallback ./kernel ./kernel/parquet ./internal/atomicfile ./internal/batch ./internal/dispatch \
	./internal/expected ./internal/hugepage ./internal/pmac ./internal/preemption ./inpacket ./hdl/register ./hdl/synth ./filter/family \
	./filter/family/retouched ./packets/deny ./bench/goroutines ./bench/measure ./papers/... ./xdp \
	$(filter-out %/planning,$(shell go list ./filter/...))
# The CPUs that QEMU emulates, by the names of .ci/emulate.
cpus    := haswell nehalem cortex-a57 arm64-max
captures = $(shell go list -C packets -m -f '{{.Dir}}' github.com/gopacket/gopacket)

help: # this list
	@awk -F ':[^#]*# ' '/^[a-z][a-z0-9 -]*:.*# / { printf "%-28s %s\n", $$1, $$2 }' Makefile

run: build # the main job on real input: speed, the packet guard, a deny list on four machines; then a page of all that
	.ci/demo
demo-inpacket: build # routes and chains in a real capture's packets, every hop through the in-line engine's RTL
	.build/packets inpacket --impl rtl --data-bytes 64 $(captures)/layers/testdata/cip.pcap
	@echo; .build/packets inpacket --impl rtl --packets 2000 $(captures)/layers/testdata/cip.pcap
agreement: # one deny list and one capture on Go, C, the kernel and Verilog, and a picture of who agrees, into .build/agreement
	.ci/agreement

# What waits for packages and links takes no core: Go is checked and built meanwhile.
test: # what a user links or runs, in full on this CPU, with the set-up that it needs: ten minutes where nothing is built
	.ci/legs setup format vet -- cosim proofs unit build hdl-lint vectors run
# The longest first. Race comes after unit: both look for BPF objects that a test has left behind in the kernel.
test-all: test # every test, with the set-up that it needs: what CI runs
	.ci/setup all
	.ci/legs generate lint formal cosim-all hdl-lint-all peers race bigendian $(cpus) foreign fuzz avx512 \
	  synth-check install demo-inpacket simd purego

# go test cannot tell that what the second line's tests read of other modules has changed, and would answer from its cache.
check: format vet # the inner loop: formats, vet, generated files, short tests; less than a minute
	go test -short ./asm ./fallback ./kernel/... ./filter/... ./inpacket ./hdl/toeplitz \
	  $(filter-out %/architecture %/filter/family,$(shell go list ./internal/... ./filter/family/...))
	go test -short -count=1 ./avogen ./hdl ./internal/architecture ./filter/family ./cmd/bloomlane ./packets

build: # the commands into .build, with their commit where Git tells
	mkdir -p .build
	go build $(if $(shell git rev-parse HEAD 2>/dev/null),-buildvcs=auto) -o .build/ ./cmd/bloomlane ./packets
install: # a release, made, got and installed by its path with an empty module cache, as the README says; its commands for Linux
	cd tools && GOWORK=off go vet ./... && GOWORK=off go test -count=1 ./...
	.ci/binaries linux/amd64 linux/arm64
binaries: # what a release attaches into .build/dist: commands for each platform, Debian packages; those for Linux are run
	.ci/binaries
setup: # installs what the tests need: Debian packages, and DuckDB from npm
	.ci/setup
tidy: # go mod tidy on all modules
	.ci/tidy

format: # fails for Go that gofmt would change, or cannot read
	changes=$$(gofmt -l .); test -z "$$changes" || { echo "gofmt would change:" $$changes >&2; exit 1; }
pages: # whatever is made from committed sources and recordings: generated code, pages, pictures, tables in pages
	.ci/pages
generate: # make pages changes no file, and makes no new one
	.ci/unchanged .ci/pages

# Where a package does not compile, each analyzer says that it has skipped it.
compiled := 2>&1 | { grep -vE '^[a-z]+: (analysis skipped|failed prerequisites)' || true; }
analyzers: # the analyzers of go vet, built
	GOWORK=off go build -C tools -o ../.build/vet ./vet
vet: analyzers # the analyzers of go vet on what users link and run
	.build/vet $(used) $(compiled)
lint: analyzers # those on the other modules, and staticcheck on all
	.build/vet $(peers) $(compiled)
	cd interop/beam && ../../.build/vet ./... $(compiled)
	GOWORK=off go build -C tools -o ../.build/staticcheck honnef.co/go/tools/cmd/staticcheck
	.build/staticcheck $(all)

unit: # the Go tests of what users link and run, but for those of cosim and proof
	.ci/require residency,cosim,captures go test -vet=off -count=1 $(filter-out %/cosim %/proof,$(shell go list $(used)))
peers: # the Go tests of the benchmarks, of other engines and of the papers
	.ci/require residency,cosim,captures,duckdb go test -count=1 $(peers)
race: # the short tests of packages with goroutines or casts under the race detector
	.ci/require '' go test -count=1 -short -race $(raced)
purego: # the short tests of the kernels without assembly, and the command that is built so
	go test -count=1 -short -tags purego $(assembled)
	go run -tags purego ./cmd/bloomlane kernels
simd: # single queries in Go's own vectors, an experiment of the Go project, where the CPU has AVX-512
	.ci/simd
vectors: build # the definition's own vectors, through the command line
	.build/bloomlane vectors make -o .build
	.build/bloomlane vectors check --impl all .build/vectors256.jsonl .build/vectors512.jsonl
fuzz: # a smoke run of each fuzz target of the tree
	.ci/fuzz 5000x
	GOARCH=arm64 .ci/fuzz 2000x kernel/FuzzOperations -exec '$(CURDIR)/.ci/fuzz-arm64 max'
	GOARCH=arm64 .ci/fuzz 500x internal/pmac/FuzzHashes -exec '$(CURDIR)/.ci/fuzz-arm64 max'

foreign: analyzers # other systems and architectures: their vet; 32 bits also run here
	for platform in linux/arm64 linux/s390x linux/386 windows/amd64 darwin/arm64; do echo $$platform; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 .build/vet $(light) $(compiled); done
	run='GOARCH=386'; if ! GOARCH=386 go test -count=1 -run '^$$' ./fallback >/dev/null 2>&1; then \
		echo '32 bits by QEMU: this kernel runs no 386 programs'; run='.ci/emulate arm'; fi; \
	env $$run go test -count=1 -short $(portable)
emulated: bigendian $(cpus) avx512 # CPUs that this machine need not be: haswell nehalem cortex-a57 arm64-max bigendian avx512
bigendian: # a CPU that has the most significant byte first
	.ci/emulate s390x go test -count=1 -short $(portable)
# The assembly of cortex-a57 on a CPU that has every feature: make fuzz runs all its operations there.
arm64-max: assembled := ./asm ./internal/dispatch
$(cpus): # the kernels on a CPU of QEMU
	.ci/emulate $@ go test -count=1 -short $(assembled)
	.ci/emulate $@ go run ./cmd/bloomlane kernels
avx512: # the kernels on AVX-512 in a whole PC, because no lighter emulator has it
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o .build/ ./asm ./kernel
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/ran /avx512 -- .ci/avx512/run .build/asm.test -test.short
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/ran Implementations \
	  'Laws/'{every,no_false,merge_eq,a_table,many_calls}'/.*/'{avx512,methods} -- .ci/avx512/run .build/kernel.test -test.short

proofs: # theorems about the machine code of single keys into .build/proofs, and its instructions on this CPU and in QEMU
	mkdir -p .build/proofs
	BLOOMLANE_PROOFS=$(CURDIR)/.build/proofs .ci/require proofs .ci/ran Theorems Assumptions Operations Queries Listed Digests \
	  'TestInstructions$$' TestWrongMeanings Members PartTwice Verilog Mutants Simplifications Spellings Batches \
	  Plants Lemmas Flaws BPF Timings Leak Statement Substitutions -- go test -count=1 ./proof
	.ci/require proofs .ci/ran TestEmulated TestWrongEmulated -- go test -count=1 -short ./proof
proofs-long: # all batches, every generated mistake in kernels and some in batches, and more runs in QEMU: hours
	.ci/require proofs .ci/ran TestEmulated -- go test -count=1 ./proof
	BLOOMLANE_REQUIRE=proofs,foreign .ci/ran Foreign -- go test -count=1 ./proof
	BLOOMLANE_MUTANTS=full BLOOMLANE_REQUIRE=proofs .ci/ran TestMutants CipherMutants -- go test -count=1 -timeout 60m ./proof
	BLOOMLANE_BATCHES=. BLOOMLANE_REQUIRE=proofs .ci/ran 'TestBatches$$' -- go test -count=1 -timeout 180m ./proof -update
	BLOOMLANE_MUTANTS=full BLOOMLANE_BATCHES=. BLOOMLANE_REQUIRE=proofs .ci/ran BatchMutants Flaws -- go test -count=1 -timeout 180m ./proof -update

cosim: # the Verilog in Verilator against Go; the models are built once, into the user's cache
	BLOOMLANE_REQUIRE=cosim,captures go test -count=1 -timeout 30m ./hdl/cosim
cosim-all: # the same at full length, in Icarus and as two netlists too; and planted mistakes, which must be found
	BLOOMLANE_REQUIRE=cosim-all,cosim,captures,icarus,yosys go test -count=1 -timeout 60m ./hdl ./hdl/cosim
cosim-coverage: # lines and toggles by module; fails for a hole that hdl/cosim/COVERAGE.md does not name
	rm -rf .build/coverage && mkdir -p .build/coverage
	status=0; BLOOMLANE_REQUIRE=cosim-all,cosim,coverage BLOOMLANE_COVERAGE=$(CURDIR)/.build/coverage \
		.ci/ran '^TestCoverage$$' -- go test -count=1 ./hdl/cosim || status=$$?; cat .build/coverage/report.txt; exit $$status
cosim-mutants: # all mistakes that are generated from the Verilog, of which but the equivalent ones must be caught: some minutes
	BLOOMLANE_REQUIRE=cosim-all,cosim,yosys BLOOMLANE_MUTANTS=full .ci/ran '^TestGenerated$$' -- go test -count=1 -timeout 60m ./hdl/cosim
cosim-control: # a million accesses of the registers behind AXI4-Lite over nine ratios of clocks, and as many in one: minutes
	BLOOMLANE_REQUIRE=cosim-all,cosim BLOOMLANE_CONTROL=full .ci/ran '^TestRTL$$/^control' -- go test -count=1 ./hdl/cosim
cosim-netlists: # what yosys makes of the RTL, in its cells of iCE40 and UltraScale+, against Go: many minutes
	BLOOMLANE_REQUIRE=cosim-all,cosim BLOOMLANE_NETLISTS=full .ci/ran '^TestNetlists$$' -- go test -count=1 -timeout 60m ./hdl/cosim
wave: # the waveform of a bench, such as TEST=inline-w32-8b-14, for GTKWave
	mkdir -p .build
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_WAVES=$(CURDIR)/.build .ci/ran '^TestRTL$$/^$(TEST)$$' -- go test -count=1 ./hdl/cosim
	ls -l .build/$(TEST).fst

hdl-lint: # Verilator reads the RTL without a word
	hdl/lint verilator
hdl-lint-all: # so do Icarus Verilog and Yosys
	hdl/lint
formal: # the RTL's proofs; DEPTH=n looks further where a proof is bounded
	DEPTH=$(DEPTH) hdl/formal/run
formal-long: # those of them that are marked as long
	hdl/formal/run --long
synth: # sizes and speeds of the RTL into hdl/synth: many minutes
	go run ./hdl/synth
synth-check: # the core, the pipeline, the in-line engine and the queue of packets have not grown by more than a tenth
	go run ./hdl/synth -check
board: # the bitstream of a board, and its netlist simulated with packets of a capture: some minutes
	.ci/setup board
	BLOOMLANE_REQUIRE=cosim,captures,board hdl/board/run .build/board

# Where "make bench" writes its report, beside what it prints.
OUT ?= .build/bench
bench: # this CPU's kernels against its memory and against other libraries: many minutes
	go run -buildvcs=true ./bench --out '$(OUT)'
bench-filters: # what the README says of this CPU, hashes too, on filters of up to 128 MiB: a quarter of an hour
	go run -buildvcs=true ./bench --sizes 64KiB,512KiB,128MiB --out '$(OUT)'
hashes: # hashes of keys by their length, beside other libraries': a minute
	go run -buildvcs=true ./bench --parts hashes --rounds 8 --out '$(OUT)'
bench-quick: # less of the same, in less than a minute
	go run ./bench --quick
bench-compare: # benchstat on two recordings of one machine, in multiples of the floor, as in A=before B=after, two folders of reports
	mkdir -p .build && go run ./bench render --benchstat '$(A)' >.build/before.txt && go run ./bench render --benchstat '$(B)' >.build/after.txt
	go run golang.org/x/perf/cmd/benchstat -alpha 0.0001 -filter '.unit:floors /kind:implementation' .build/before.txt .build/after.txt
take: # the recording of a machine into bench/results, and its figures into pages, as in NAME=graviton FILE=result.json.gz
	go run ./bench take '$(NAME)' '$(FILE)'
	.ci/figures

churn: # the filter that does not decay, with a million members and 100 turnovers; then one table of all that delete
	BLOOMLANE_CHURN=full .ci/ran '^TestRateAfterAHundredTurnovers$$' -- go test -count=1 -timeout 60m ./filter/rolling
	go run -buildvcs=true ./bench/studies churn --out bench/studies/results/churn
loads: # cuckoo filters of up to 60 million members, which must fit as planned, and loads at the first refusal: many minutes
	BLOOMLANE_LOADS=full .ci/ran '^TestPlannedMembersFitWithShortFingerprints$$' '^TestFirstRefusal$$' -- \
		go test -count=1 -timeout 60m ./filter/cuckoo
growth: # the elastic filter from 10,000 members to 10 million and back: rates, memory, the longest calls; some 400 MB
	BLOOMLANE_GROWTH=full .ci/ran '^TestGrowth$$' '^TestLongestCalls$$' -- go test -count=1 ./filter/elastic
long: # other tests in their long form, such as builds of 50 million keys and 200,000 damaged files: half an hour and 5 GB
	.ci/long

pebble: # the recipe's filters in a database of Pebble, which takes a minute of CPU time to build
	CGO_ENABLED=0 .ci/ran '^TestDatabase$$' -- go test -count=1 -tags pebble ./bench/sstable
pebble-times: # the recipe's times, into its page; half a minute on idle cores
	.ci/record pebble -bench Filters -benchtime 4ms -count 25 ./bench/sstable
billion: # the recipe's filter of a billion keys, from the command line, into its page: six minutes, 2 GB, and 10 GB of disk
	BLOOMLANE_BUILD_MEMBERS=1000000000 .ci/record billion -bench Billion -benchtime 1x -timeout 3h ./cmd/bloomlane
beam: # filters built by Apache Beam, whose SDK takes minutes to build: its vet, linter, tests and study
	.ci/beam
