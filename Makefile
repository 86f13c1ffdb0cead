# Two commands: "make run" does the main job on real captures, "make test" runs every test.
# Both do their own set-up. "make check" is the inner loop. "make help" lists all targets.

# Each part of a pipe counts.
SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c

module   := github.com/bloomlane/bloomlane
all      := ./... ./filter/family/... ./cmd/bloomlane/... ./report/... ./packets/... ./bench/... ./papers/... ./interop/parquet/... ./xdp/...
others    = $(filter-out %/cosim %/proof,$(shell go list $(all))) # cosim and proof are legs of their own
# What imports other libraries' filters takes minutes to build: it is built for this machine only.
libraries := %/bench %/bench/studies %/bench/studies/streams %/bench/peer/library %/bench/splitblock %/bench/engines
light     = $(filter-out $(libraries),$(shell go list $(all)))
portable  = $(filter-out $(simulated),$(shell go list ./fallback ./internal/batch ./internal/dispatch ./internal/pmac ./internal/siphash ./internal/hugepage ./internal/elementary \
	./kernel/... ./filter/... ./filter/family/... ./inpacket ./hdl/toeplitz ./internal/atomicfile))
# Theory beside simulation, by one goroutine whose steps are the same on every CPU: elsewhere filter/family runs the laws of these
# kinds, and other packages run what is no simulation.
simulated := %/filter/planning %/filter/family/a2 %/filter/audit %/filter/family/bitwise %/filter/family/dlbf %/filter/family/retouched %/filter/family/spectral %/filter/family/stable
simulates := Extremes|Steady|Rate|LeastReinserts|Turnovers|HealthPredicts|PlanHolds|TestForEver$$|EveryState|FirstRefusal|Growth
simulates := $(simulates)|LongestCalls|DeletesOfFalse|TestReplay$$|BrokenProtocols|AllInterleavings|PlannedMembers
# What no order of bytes changes: plans, hashes that one filter or many goroutines look at, and files that fail as a whole.
numbers   := (Forgeries|Batches|Queries|Refusal|Counts.*|States|Sizing|Allocations|Rate|.*Beside.*)$$
# What releases are made for, and what the definition is held on.
foreign_platforms := linux/arm64 linux/s390x linux/386 windows/amd64 darwin/arm64
captures  = $(shell go list -C packets -m -f '{{.Dir}}' github.com/gopacket/gopacket)
demo     := packets/testdata/demo
duckdb   := .build/duckdb/node_modules/.package-lock.json
guard    := .build/packets guard --audit --key $(demo)/demo.key
addresses = awk 'BEGIN { for (i = 0; i < 10000; i++) print "$(1)." int(i/256) "." i%256 }'
record    = --record .build/demo/$(1).json
lists    := --blocklist $(demo)/blocklist.txt --sequences $(demo)/sequences.txt

# What this machine has: a test that finds it missing fails instead of being skipped.
comma    := ,
cpu      := $(shell cat /proc/cpuinfo 2>/dev/null)
has       = $(if $(filter $(1),$(cpu)),$(2)$(comma))
# The AES instructions that hash keys.
ciphers  := $(if $(filter aes,$(cpu)),$(call has,avx asimd,aes))$(if $(filter vaes,$(cpu)),$(call has,avx2,vaes256)$(call has,avx512vl,vaes512))
# Programs in the kernel's packet path need BPF, and the capabilities BPF, NET_ADMIN and, for namespaces, SYS_ADMIN.
xdp      := $(shell caps=0x$$(awk '/^CapEff/ { print $$2 }' /proc/self/status 2>/dev/null); \
	[ -e /proc/sys/kernel/unprivileged_bpf_disabled ] && [ $$((caps >> 39 & caps >> 12 & caps >> 21 & 1)) = 1 ] && unshare -nm true 2>/dev/null && echo xdp)
# Limits of memory for a test need control groups that it can write.
limits   := $(shell d=/sys/fs/cgroup; [ -d $$d/memory ] && d=$$d/memory; [ -w $$d/cgroup.procs ] && [ $$(id -u) = 0 ] && \
	[ -e $$d/memory.limit_in_bytes -o -n "$$(grep memory $$d/cgroup.subtree_control 2>/dev/null)" ] && echo yes)
required := aarch64-as$(comma)attributes$(comma)cc$(comma)clang$(comma)emulator$(comma)links$(comma)make$(comma)mapping$(comma)processes$(comma)python3$(comma)renames$(comma)shell$(comma)terminals$(comma)duckdb$(comma)$(call has,avx2,avx2$(comma)floors)$(call has,avx512vl,avx512)$(ciphers)$(if $(filter 0,$(shell id -u)),root$(comma))$(if $(xdp),xdp$(comma))$(if $(limits),memory-limits$(comma))$(if $(wildcard /proc/meminfo),meminfo$(comma))$(if $(findstring [never],$(shell cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || echo [never])),,hugepages)

# The CPUs that QEMU emulates, by the names of .ci/emulate.
cpus     := haswell nehalem cortex-a57 arm64-max

.PHONY: help run test check build install binaries setup format vet lint pages generate unit race purego papers foreign \
	emulated bigendian $(cpus) avx512 vectors fuzz demo-inpacket bench bench-filters hashes bench-quick bench-compare take \
	cosim cosim-control cosim-coverage cosim-mutants cosim-netlists wave hdl-lint formal formal-long synth synth-check

help: # this list
	@awk -F ':[^#]*# ' '/^[a-z][a-z0-9 -]*:.*# / { printf "%-28s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build # the main job on real input: speed, the packet guard, a deny list on four machines; then a page of all that
	@rm -rf .build/demo && mkdir -p .build/demo && chmod 600 $(demo)/demo.key
	.build/bloomlane kernels --speed $(call record,kernels)
	@echo; $(guard) --sources 16 $(lists) $(captures)/layers/testdata/cip.pcap $(call record,guard-cip)
	@echo; $(guard) --sources 16 $(lists) $(captures)/pcapgo/tests/le/test301.pcapng $(call record,guard-download)
	@echo; $(guard) --sources 16 $(lists) $(captures)/pcap/test_loopback.pcap $(call record,guard-loopback)
	@echo; $(guard) --sources 3000 --good-rate 1e-6 --synthetic 10000 $(call record,guard-synthetic)
	@echo; $(call addresses,198.18) >.build/blocked.txt; $(call addresses,10.200) >.build/never.txt
	$(guard) --blocklist .build/blocked.txt --never-block .build/never.txt --bad-rate 0.01 --sources 3000 \
	  --sequences $(demo)/sequences.txt $(captures)/layers/testdata/cip.pcap $(call record,guard-never)
	@echo; .build/packets agreement $(captures)/layers/testdata/cip.pcap $(call record,agreement)
	@echo; .build/packets page -o .build/demo/index.html .build/demo/*.json

demo-inpacket: build # routes and chains in a real capture's packets, every hop through the in-line engine's RTL
	.build/packets inpacket --impl rtl --data-bytes 64 $(captures)/layers/testdata/cip.pcap
	@echo; .build/packets inpacket --impl rtl --packets 2000 $(captures)/layers/testdata/cip.pcap

.PHONY: agreement
agreement: # one deny list and one capture on Go, C, the kernel and Verilog, and a picture of who agrees, into .build/agreement
	.ci/setup agreement || echo "agreement: what needs the missing packages does not run" >&2
	@$(MAKE) --no-print-directory build
	mkdir -p .build/agreement && cp -f $(captures)/layers/testdata/cip.pcap .build/agreement/
	cd .build/agreement && ../packets agreement cip.pcap --picture agreement.svg --record agreement.json
	@echo "the picture: .build/agreement/agreement.svg"

test: # every test, with the set-up that it needs: what CI runs
test: setup format generate vet lint
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target --keep-going legs

# What waits for simulators, solvers and processes leaves a core idle: two legs at a time, the longest first. Those of a line
# do not wait for each other, but race for unit: both look for BPF objects that a test has left behind in the kernel.
.PHONY: legs
legs: analyzers build unit formal cosim hdl-lint race bigendian proofs $(cpus) foreign fuzz avx512 synth-check install \
	simd purego vectors run demo-inpacket
ifneq ($(filter legs,$(MAKECMDGOALS)),)
race: | unit
endif

# Tests that read files of another module, or run a program that reads files: go test cannot tell that these have changed,
# and would answer from its cache.
looking  := ./avogen ./hdl ./internal/architecture ./filter/family ./cmd/bloomlane ./packets
check: format vet # the inner loop: formats, vet, generated files, short tests; less than a minute
	go test -short ./asm ./fallback ./kernel/... ./filter/... ./inpacket ./hdl/toeplitz \
	  $(filter-out $(looking:./%=$(module)/%),$(shell go list ./internal/... ./filter/family/...))
	go test -short -count=1 $(looking)

build: # the commands into .build, with their commit where Git tells
	mkdir -p .build
	go build $(if $(shell git rev-parse HEAD 2>/dev/null),-buildvcs=auto) -o .build/ ./cmd/bloomlane ./packets

install: # a release, got and installed by its path with an empty module cache, as the README says; the command for Linux
	cd tools && GOWORK=off go vet ./... && GOWORK=off go test -count=1 ./...
	$(MAKE) --no-print-directory binaries platforms='linux/amd64 linux/arm64'

# What the command is built for: the files need no other.
platforms := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
binaries: # the command for each platform into .build/binaries, without C; those for Linux make the same filter
	rm -rf .build/binaries
	set -e; for platform in $(platforms); do \
		out=.build/binaries/bloomlane-$$(echo $$platform | tr / -); \
		case $$platform in windows/*) out=$$out.exe ;; esac; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -trimpath -buildvcs=true -ldflags='-s -w' -o $$out ./cmd/bloomlane; \
	done
	mkdir .build/binaries/test && seq 10000 >.build/binaries/test/words.txt
	set -e; cd .build/binaries/test; for command in ../bloomlane-linux-amd64 'qemu-aarch64-static ../bloomlane-linux-arm64'; do \
		$$command version; $$command kernels; $$command build -o $${command##*-}.blm --key words.key words.txt; \
		$$command query $${command##*-}.blm --key words.key --keys words.txt | awk '$$1 == "present" { n++ } END { exit n != 10000 }'; \
	done; cmp amd64.blm arm64.blm
	cd .build/binaries && ../../.ci/same-files ./bloomlane-linux-amd64 'qemu-aarch64-static ./bloomlane-linux-arm64'
	rm -r .build/binaries/test; ls -l .build/binaries

setup: # installs what the tests need: Debian packages, and DuckDB from npm
	.ci/setup
	@$(MAKE) --no-print-directory $(duckdb)

$(duckdb): bench/engines/package-lock.json
	mkdir -p .build/duckdb
	cp bench/engines/package.json $< .build/duckdb
	npm ci --prefix .build/duckdb --no-audit --no-fund

format: # fails for Go that gofmt would change, or cannot read
	changes=$$(gofmt -l .); test -z "$$changes" || { echo "gofmt would change:" $$changes >&2; exit 1; }

pages: # whatever is made from committed sources and recordings: generated code, pages, pictures, tables in pages
	go generate ./...
	go run ./hdl/synth -render
	set -e; for recording in bench/results/*/result.json.gz; do go run ./bench render "$$recording"; done
	set -e; for report in churn growth streams; do \
		go run ./bench/studies $$report --from bench/studies/results/$$report --out bench/studies/results/$$report >/dev/null; done
	go run ./packets agreement --from packets/agreement/agreement.json --picture packets/agreement/agreement.svg >/dev/null
	$(figures)

figures = go run ./bench/studies figures --picture bench/results/readme.svg $$(git grep -l '^<!-- figures: ' -- '*.md')
take: # the recording of a machine into bench/results, and its figures into pages, as in NAME=graviton FILE=result.json.gz
	go run ./bench take '$(NAME)' '$(FILE)'
	$(figures)

generate: # make pages changes no file, and makes no new one
	.ci/unchanged $(MAKE) --no-print-directory pages

# Where a package does not compile, each analyzer says that it has skipped it.
compiled := 2>&1 | { grep -vE '^[a-z]+: (analysis skipped|failed prerequisites)' || true; }
.PHONY: analyzers
analyzers:
	GOWORK=off go build -C tools -o ../.build/vet ./vet
vet: analyzers # the analyzers of go vet on all modules
	.build/vet $(all) $(compiled)
	cd interop/beam && ../../.build/vet ./... $(compiled)

lint: # staticcheck on all modules
	GOWORK=off go build -C tools -o ../.build/staticcheck honnef.co/go/tools/cmd/staticcheck
	.build/staticcheck $(all)

unit: # all Go tests but those of cosim and proof
	BLOOMLANE_REQUIRE=residency,cosim,captures,$(required) go test -count=1 $(others)

# Where the race detector, under which tests take ten times as long, can find something: packages that start goroutines, share
# words between them or cast pointers, which it checks too, and the laws and trials, which do that. The tests of the commands
# only wait for processes and pipes in goroutines, those of proof for solvers, and filter/family runs the laws of the spectral
# kinds.
races := ^[[:space:]]*go (func\b|[a-zA-Z_.]+\()|\.Go\(|"(sync|sync/atomic|unsafe)"|\bfiltertest\.Run\(|\bkindstest\.Suite\b|\btrials\.(Each|Recall)\(
race: # the short tests of packages with goroutines or casts under the race detector
	packages=$$(go list -f '{{.Dir}} {{.ImportPath}}' $(filter-out %/cosim %/proof %/cmd/bloomlane %/packets %/spectral,$(light)) | while read -r folder package; do \
		if grep -qE '$(races)' "$$folder"/*.go; then echo "$$package"; fi; done); \
	BLOOMLANE_REQUIRE=$(required) go test -count=1 -short -race -skip 'Preemption|$(simulates)|SourcesThatFail|PiecesDoNotMix' $$packages

# The packages that the build tag changes. The filters on portable Go, which is what the tag leaves, are tested in 32 bits.
assembled := ./asm/... ./internal/dispatch ./internal/pmac ./kernel/...
purego: # the short tests of the kernels without assembly, and the command that is built so
	go test -count=1 -short -tags purego $(assembled)
	go run -tags purego ./cmd/bloomlane kernels

# TestVectors is only in a program that has the experiment. GOAMD64=v4 needs a CPU with AVX-512.
.PHONY: simd
simd: # single queries in Go's own vectors, an experiment of the Go project, where the CPU has AVX-512
	set -e; for level in $(call has,avx512vl,v1 v4); do \
		export GOEXPERIMENT=simd GOAMD64=$${level%,} BLOOMLANE_REQUIRE=avx512; \
		.ci/ran Vectors -- go test -count=1 -short ./kernel ./filter/internal/bloom; \
		.ci/ran Laws -- go test -count=1 -short ./kernel ./filter/deletable; \
		go test -count=1 -short ./filter/internal/bloom ./filter/plain; done

papers: # the figures of the papers, of a short run as the tests make it
	go run ./papers all --short --out .build/papers

cosim: # the Verilog in Verilator and Icarus against Go; the models are built once, into the user's cache
	BLOOMLANE_REQUIRE=cosim,captures go test -count=1 -timeout 30m ./cosim

cosim-coverage: # lines and toggles by module; fails for a hole that cosim/COVERAGE.md does not name
	rm -rf .build/coverage && mkdir -p .build/coverage
	status=0; BLOOMLANE_REQUIRE=cosim,coverage BLOOMLANE_COVERAGE=$(CURDIR)/.build/coverage \
		.ci/ran '^TestCoverage$$' -- go test -count=1 ./cosim || status=$$?; cat .build/coverage/report.txt; exit $$status

cosim-mutants: # mistakes that are generated from the Verilog, all of which but the equivalent ones must be caught: some minutes
	BLOOMLANE_REQUIRE=cosim,mutants BLOOMLANE_MUTANTS=full .ci/ran '^TestGenerated$$' -- go test -count=1 -timeout 60m ./cosim

cosim-control: # a million accesses of the registers behind AXI4-Lite, over nine ratios of clocks, and as many in one clock: some minutes
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_CONTROL=full .ci/ran '^TestRTL$$/^control' -- go test -count=1 ./cosim

cosim-netlists: # what yosys makes of the RTL, in its cells of iCE40 and UltraScale+, against Go: many minutes
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_NETLISTS=full .ci/ran '^TestNetlists$$' -- go test -count=1 -timeout 60m ./cosim

wave: # the waveform of a bench, such as TEST=inline-w32-8b-14, for GTKWave
	mkdir -p .build
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_WAVES=$(CURDIR)/.build .ci/ran '^TestRTL$$/^$(TEST)$$' -- go test -count=1 -short ./cosim
	ls -l .build/$(TEST).fst

# The filters on a CPU that QEMU emulates, without the tests of this pattern either.
slowly = .ci/emulate $(1) go test -count=1 -short -skip '$(2)Preemption|$(simulates)|SourcesThatFail|PiecesDoNotMix|NewRefuses|Refresh|Rebuild|Laws/$(numbers)|Laws/./$(numbers)' $(portable)

foreign: analyzers # other systems and architectures: their vet; 32 bits also run here
	for platform in $(foreign_platforms); do echo $$platform; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 .build/vet $(light) $(compiled); done
	if GOARCH=386 go test -count=1 -run '^$$' ./fallback >/dev/null 2>&1; then \
		GOARCH=386 go test -count=1 -short -skip 'Preemption|Resident|$(simulates)|Laws/./(Rate|.*Beside.*)$$' $(portable); \
	else echo '32 bits by QEMU: this kernel runs no 386 programs'; $(call slowly,arm,Resident|); fi

emulated: bigendian $(cpus) avx512 # CPUs that this machine need not be: haswell nehalem cortex-a57 arm64-max bigendian avx512

bigendian: # a CPU that has the most significant byte first
	$(call slowly,s390x)

# The assembly of cortex-a57 on a CPU that has every feature: make fuzz runs all its operations there.
arm64-max: assembled := ./asm ./internal/dispatch
$(cpus):
	.ci/emulate $@ go test -count=1 -short -skip 'Preemption|AnyChangeIsRefused' $(assembled)
	.ci/emulate $@ go run ./cmd/bloomlane kernels

avx512: # a whole PC, because no lighter emulator has it
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o .build/asm.test ./asm
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o .build/kernel.test ./kernel
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/ran /avx512 -- .ci/avx512/run .build/asm.test -test.short
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/ran Implementations \
	  $(foreach law,every no_false merge_eq a_table many_calls,$(foreach by,avx512 methods,'Laws/$(law)/.*/$(by)')) \
	  -- .ci/avx512/run .build/kernel.test -test.short

vectors: build # the definition's own vectors, through the command line
	.build/bloomlane vectors make -o .build
	.build/bloomlane vectors check --impl all .build/vectors256.jsonl .build/vectors512.jsonl

.PHONY: proofs proofs-long
proofs: # the assembly of single keys is the definition: theorems about the machine code into .build/proofs, and instructions on this CPU and in QEMU
	mkdir -p .build/proofs
	BLOOMLANE_PROOFS=$(CURDIR)/.build/proofs BLOOMLANE_REQUIRE=proofs,$(required) .ci/ran Theorems Assumptions Operations Queries \
		'TestInstructions$$' TestWrongMeanings Listed Digests Members PartTwice Verilog Mutants Simplifications Spellings Batches EarlyLoads -- go test -count=1 ./proof
	BLOOMLANE_REQUIRE=proofs,$(required) .ci/ran TestEmulated TestWrongEmulated -- go test -count=1 -short ./proof

proofs-long: # all batches, every generated mistake in kernels and some in batches, all of which but the equivalent ones must be refuted, and more runs in QEMU: hours
	BLOOMLANE_REQUIRE=proofs,$(required) .ci/ran TestEmulated -- go test -count=1 ./proof
	BLOOMLANE_MUTANTS=full BLOOMLANE_REQUIRE=proofs .ci/ran TestMutants -- go test -count=1 -timeout 60m ./proof
	BLOOMLANE_BATCHES=. BLOOMLANE_REQUIRE=proofs .ci/ran 'TestBatches$$' -- go test -count=1 -timeout 180m ./proof -update
	BLOOMLANE_MUTANTS=full BLOOMLANE_BATCHES=. BLOOMLANE_REQUIRE=proofs .ci/ran BatchMutants -- go test -count=1 -timeout 180m ./proof -update

hdl-lint: # Verilator, Icarus Verilog and Yosys
	hdl/lint

formal: # the RTL's proofs; DEPTH=n looks further where a proof is bounded
	DEPTH=$(DEPTH) hdl/formal/run

formal-long: # those of them that are marked as long
	hdl/formal/run --long

synth: # sizes and speeds of the RTL into hdl/synth: many minutes
	go run ./hdl/synth

synth-check: # the core, the pipeline, the in-line engine and the queue of packets have not grown by more than a tenth
	go run ./hdl/synth -check

.PHONY: board
board: # the bitstream of a board, and its netlist simulated with packets of a capture: some minutes
	.ci/setup board
	BLOOMLANE_REQUIRE=cosim,captures,board hdl/board/run .build/board

fuzz: # a smoke run of each fuzz target of the tree
	.ci/fuzz 5000x
	GOARCH=arm64 .ci/fuzz 2000x kernel/FuzzOperations -exec '$(CURDIR)/.ci/fuzz-arm64 max'
	GOARCH=arm64 .ci/fuzz 500x internal/pmac/FuzzHashes -exec '$(CURDIR)/.ci/fuzz-arm64 max'

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

bench-compare: # two recordings of one machine: fails where a kernel got slower, as in A=before B=after, two folders of reports
	go run ./bench compare '$(A)' '$(B)'

.PHONY: churn
churn: # the filter that does not decay, with a million members and 100 turnovers; then one table of all that delete
	BLOOMLANE_CHURN=full .ci/ran '^TestRateAfterAHundredTurnovers$$' -- go test -count=1 -timeout 60m ./filter/rolling
	go run -buildvcs=true ./bench/studies churn --out bench/studies/results/churn

.PHONY: loads
loads: # cuckoo filters of up to 60 million members, which must fit as planned, and loads at the first refusal: many minutes
	BLOOMLANE_LOADS=full .ci/ran '^TestPlannedMembersFitWithShortFingerprints$$' '^TestFirstRefusal$$' -- \
		go test -count=1 -timeout 60m ./filter/cuckoo

.PHONY: growth
growth: # the elastic filter from 10,000 members to 10 million and back: rates, memory, the longest calls; some 400 MB
	BLOOMLANE_GROWTH=full .ci/ran '^TestGrowth$$' '^TestLongestCalls$$' -- go test -count=1 ./filter/elastic

.PHONY: long
long: # other tests in their long form, such as builds of 50 million keys and 200,000 damaged files: half an hour and 5 GB
	BLOOMLANE_BUILD_MEMBERS=50000000 .ci/ran '^TestBuildMemory$$' -- go test -count=1 ./cmd/bloomlane
	BLOOMLANE_FILES=full .ci/ran '^TestDamage$$' '^TestKilledWhileSaving$$' '^TestALargeFileOpensAtOnce$$' -- \
		go test -count=1 -timeout 30m ./filter/file
	BLOOMLANE_FORGERIES=full .ci/ran '^TestForgedHeaders$$' -- go test -count=1 ./c
	BLOOMLANE_HASHES=full .ci/ran '^TestReference$$' -- go test -count=1 ./internal/pmac
	BLOOMLANE_REFRESHES=full .ci/ran '^TestReadersBesideRefreshes$$' -- go test -count=1 ./filter/deletable
	BLOOMLANE_RESIDENT=full .ci/ran '^TestResident$$' -- go test -count=1 ./filter/deletable
	BLOOMLANE_SEEDS=full .ci/ran '^TestSeeds$$' -- go test -count=1 -timeout 60m ./papers
	BLOOMLANE_STEADY=full .ci/ran '^TestSteady$$' -- go test -count=1 -timeout 60m ./filter/planning
	BLOOMLANE_XDP=full BLOOMLANE_REQUIRE=xdp,clang .ci/ran Beside Histories -- go test -count=1 -timeout 60m ./xdp

# What Go's benchmarks print, in bench/results/recipes, from which the pages have their figures.
recorded = mkdir -p .build && { echo "commit: $$(git describe --always --dirty)"; echo "date: $$(date -u +%F)"; go test -run '^$$' $(2); } | \
	tee .build/$(1).txt && mv .build/$(1).txt bench/results/recipes/ && $(figures)

.PHONY: pebble pebble-times
pebble: # the recipe's filters in a database of Pebble, which takes a minute of CPU time to build
	CGO_ENABLED=0 .ci/ran '^TestDatabase$$' -- go test -count=1 -tags pebble ./bench/sstable
pebble-times: # the recipe's times, into its page; half a minute on idle cores
	$(call recorded,pebble,-bench Filters -benchtime 4ms -count 25 ./bench/sstable)

.PHONY: billion
billion: # the recipe's filter of a billion keys, from the command line, into its page: six minutes, 2 GB, and 10 GB of disk
	BLOOMLANE_BUILD_MEMBERS=1000000000; export BLOOMLANE_BUILD_MEMBERS; \
	$(call recorded,billion,-bench Billion -benchtime 1x -timeout 3h ./cmd/bloomlane)

.PHONY: beam
beam: # filters built by Apache Beam, whose SDK takes minutes to build: its vet, linter, tests and study
	go vet -C interop/beam ./...
	GOWORK=off go build -C tools -o ../.build/staticcheck honnef.co/go/tools/cmd/staticcheck
	cd interop/beam && ../../.build/staticcheck ./...
	go test -C interop/beam -count=1 -v ./...

.PHONY: tidy
tidy: ours := /filter/family /interop/parquet /report /packets /xdp
tidy: # go mod tidy on all modules
# It does not read go.work, so that each module gets a replace line for as long as it runs.
	for folder in . tools filter/family interop/parquet report xdp packets cmd/bloomlane interop/beam bench papers; do (cd $$folder && \
		go mod edit -replace=$(module)=$(CURDIR) $(foreach m,$(ours),-replace=$(module)$(m)=$(CURDIR)$(m)) && \
		GOWORK=off go mod tidy; status=$$?; \
		go mod edit -dropreplace=$(module) $(foreach m,$(ours),-dropreplace=$(module)$(m)); exit $$status) || exit; done
