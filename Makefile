# Two commands: "make run" does the main job on real captures, "make test" runs every test.
# Both do their own set-up. Every other target is a part of one of them, to run by hand.

all      := ./... ./cmd/bloomlane/... ./bench/...
others    = $(filter-out %/cosim,$(shell go list $(all))) # cosim is a leg of its own
# What imports other libraries' filters takes minutes to build: it is built for this machine only.
libraries := %/bench %/bench/churn %/bench/peer/library %/bench/splitblock
light     = $(filter-out $(libraries),$(shell go list $(all)))
portable := ./fallback ./internal/dispatch ./kernel/... ./filter/... ./internal/atomicfile
captures  = $(shell go list -C cmd/bloomlane -m -f '{{.Dir}}' github.com/gopacket/gopacket)
demo     := cmd/bloomlane/testdata/demo
guard    := .build/bloomlane guard --audit --key $(demo)/demo.key
fuzz     := go test -run='^$$' -fuzztime=5000x -fuzzminimizetime=10x
lists    := --blocklist $(demo)/blocklist.txt --sequences $(demo)/sequences.txt

# What this machine has: a test that finds it missing fails instead of being skipped.
comma    := ,
cpu      := $(shell cat /proc/cpuinfo 2>/dev/null)
has       = $(if $(filter $(1),$(cpu)),$(2)$(comma))
required := aarch64-as$(comma)processes$(comma)$(call has,avx2,avx2$(comma)floors)$(call has,avx512vl,avx512)$(if $(wildcard /proc/meminfo),meminfo)

# The CPUs that QEMU emulates: target, Go's architecture, QEMU's model, and what must be active there.
cpus       := haswell:amd64:Haswell:avx2 nehalem:amd64:Nehalem:purego cortex-a57:arm64:cortex-a57:neon arm64-max:arm64:max:neon
cpu_names  := $(foreach row,$(cpus),$(firstword $(subst :, ,$(row))))
column      = $(word $(1),$(subst :, ,$(filter $@:%,$(cpus))))
arch        = $(call column,2)
active      = $(call column,4)
qemu_amd64 := qemu-x86_64-static
qemu_arm64 := qemu-aarch64-static
emulator    = $(qemu_$(arch)) -cpu $(call column,3)

.PHONY: run test build setup format vet lint generate unit race purego foreign \
	emulated bigendian $(cpu_names) avx512 vectors fuzz demo-inband bench bench-quick bench-compare \
	cosim cosim-coverage wave hdl-lint formal synth synth-check

run: build
	.build/bloomlane kernels
	@echo; $(guard) $(lists) $(captures)/layers/testdata/cip.pcap
	@echo; $(guard) $(lists) $(captures)/pcapgo/tests/le/test301.pcapng
	@echo; $(guard) $(lists) $(captures)/pcap/test_loopback.pcap
	@echo; $(guard) --sources 3000 --good-rate 1e-6 --synthetic 10000
	@echo; .build/bloomlane flows $(captures)/layers/testdata/cip.pcap
	@echo; .build/bloomlane flows --synthesise 100000 --density 10 --plot .build/flows.svg $(captures)/layers/testdata/cip.pcap
	@echo; .build/bloomlane plan --members 1000000 --rate 0.01 --turnovers 5

demo-inband: build # routes and chains in a real capture's packets, every hop through the in-line engine's RTL
	.build/bloomlane inband --impl rtl --data-bytes 64 $(captures)/layers/testdata/cip.pcap
	@echo; .build/bloomlane inband --impl rtl --packets 2000 $(captures)/layers/testdata/cip.pcap

test: setup format generate vet lint cosim unit race purego foreign build emulated vectors \
	hdl-lint formal synth-check fuzz run demo-inband

build:
	go build -o .build/bloomlane ./cmd/bloomlane

setup:
	.ci/setup

format:
	test -z "$$(gofmt -l . | tee /dev/stderr)"

generate: # a test finds stale files too; this shows them
	go generate ./...
	git diff --exit-code -- asm bench internal/dispatch kernel hdl/rtl/bloomlane_params.vh

vet:
	go vet $(all)

lint:
	GOWORK=off go build -C tools -o ../.build/staticcheck honnef.co/go/tools/cmd/staticcheck
	.build/staticcheck $(all)

unit:
	BLOOMLANE_REQUIRE=$(required) go test -count=1 $(others)

race:
	BLOOMLANE_REQUIRE=$(required) go test -count=1 -short -race $(filter-out $(libraries),$(others))

purego:
	go test -count=1 -short -tags purego $(filter-out $(libraries),$(others))

cosim: # the Verilog in Verilator and Icarus against Go; the models are built once, into the user's cache
	BLOOMLANE_REQUIRE=cosim,captures go test -count=1 ./cosim
	BLOOMLANE_REQUIRE=cosim go test -count=1 -run 'RTL|Latency|Examples' ./cmd/bloomlane ./cmd/bloomlane/inband ./hdl

cosim-coverage: # lines and toggles by module; fails for a hole that cosim/COVERAGE.md does not name
	rm -rf .build/coverage && mkdir -p .build/coverage
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_COVERAGE=$(CURDIR)/.build/coverage go test -count=1 -run '^TestCoverage$$' ./cosim; \
		status=$$?; cat .build/coverage/report.txt; exit $$status

wave: # the waveform of a bench, such as TEST=inline-w32-8b-14, for GTKWave
	mkdir -p .build
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_WAVES=$(CURDIR)/.build go test -count=1 -short -run '^TestRTL$$/^$(TEST)$$' ./cosim
	ls -l .build/$(TEST).fst

foreign: # architectures that are built and vetted; 386 also runs here
	GOARCH=arm64 go vet $(light)
	GOARCH=s390x go vet $(light)
	GOARCH=386 go vet $(light)
	GOARCH=386 go test -count=1 -short $(portable)

emulated: bigendian $(cpu_names) avx512 # CPUs that this machine need not be

bigendian:
	GOARCH=s390x go test -count=1 -short -skip Preemption -exec qemu-s390x-static $(portable)

$(cpu_names): # a row of the table above
	GOARCH=$(arch) BLOOMLANE_REQUIRE=$(active) go test -count=1 -short -skip Preemption -exec '$(emulator)' ./asm ./internal/dispatch ./kernel/...
	GOARCH=$(arch) go build -o .build/bloomlane-$@ ./cmd/bloomlane
	$(emulator) .build/bloomlane-$@ kernels | grep '^active *$(active):'

avx512: # a whole PC, because no lighter emulator has it
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o .build/asm.test ./asm
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o .build/kernel.test ./kernel
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/avx512/run .build/asm.test -test.short -test.run '/avx512'
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/avx512/run .build/kernel.test -test.short -test.run 'Laws/(every|no_false|merge_eq|a_table|many_calls)/.*/(avx512|methods)|Implementations'

vectors: build # the definition's own vectors, through the command line
	.build/bloomlane vectors make -o .build
	.build/bloomlane vectors check --impl all .build/vectors256.jsonl .build/vectors512.jsonl

hdl-lint: # Verilator, Icarus Verilog and Yosys
	hdl/lint

formal: # the RTL's proofs; DEPTH=n looks further where a proof is bounded
	DEPTH=$(DEPTH) hdl/formal/run

synth: # sizes and speeds of the RTL into hdl/synth: many minutes
	go run ./hdl/synth

synth-check: # neither the core nor the pipeline has grown by more than a tenth
	go run ./hdl/synth -check

fuzz: # a smoke run of each target, by counts: Go may fail a run whose time is over (context deadline exceeded)
	$(fuzz) -fuzz='^FuzzOperations$$' -fuzztime=30000x ./kernel
	GOARCH=arm64 $(fuzz) -fuzz='^FuzzOperations$$' -fuzztime=2000x -exec '$(CURDIR)/.ci/fuzz-arm64 max' ./kernel
	$(fuzz) -fuzz='^FuzzSplitBlock$$' ./kernel
	$(fuzz) -fuzz='^FuzzColumns$$' ./filter/parquet
	$(fuzz) -fuzz='^FuzzParse$$' ./kernel/vectors
	$(fuzz) -fuzz='^FuzzOpen$$' ./filter/deletable
	$(fuzz) -fuzz='^FuzzRead$$' ./filter/file
	$(fuzz) -fuzz='^FuzzHistories$$' ./filter/rolling
	$(fuzz) -fuzz='^FuzzUnmarshal$$' ./filter/inpacket
	$(fuzz) -fuzz='^FuzzHash$$' ./filter/toeplitz
	$(fuzz) -fuzz='^FuzzOpen$$' ./cmd/bloomlane/capture
	$(fuzz) -fuzz='^FuzzLists$$' ./cmd/bloomlane/capture
	$(fuzz) -fuzz='^FuzzQuery$$' ./cmd/bloomlane
	$(fuzz) -fuzz='^FuzzRead$$' ./bench/result
	$(fuzz) -fuzz='^FuzzNoFalseNegatives$$' ./bench/encodings/encoding
	$(fuzz) -fuzz='^FuzzReport$$' -fuzztime=1000x ./bench/report

# Where "make bench" writes its report, beside what it prints.
OUT ?= .build/bench

bench: # this CPU's kernels against its memory and against other libraries: many minutes
	go run -buildvcs=true ./bench --out '$(OUT)'

bench-quick: # less of the same, in less than a minute
	go run ./bench --quick

bench-compare: # two result.json of one machine: fails where a kernel got slower, as in A=before.json B=after.json
	go run ./bench compare '$(A)' '$(B)'

.PHONY: churn
churn: # the filter that does not decay, with a million members and 100 turnovers; then other filters beside it
	BLOOMLANE_CHURN=full go test -count=1 -v -timeout 60m -run '^TestRateAfterAHundredTurnovers$$' ./filter/rolling
	go run ./bench/churn

.PHONY: report-amd64 report-arm64
report-amd64 report-arm64: # what LLVM's models of other CPUs say of the inner loops
	.ci/setup report
	go run ./bench/model $(@:report-%=%)
