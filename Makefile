# Two commands: "make run" does the main job on real captures, "make test" runs every test.
# Both do their own set-up. Every other target is a part of one of them, to run by hand.

all      := ./... ./cmd/bloomlane/... ./bench/...
others    = $(filter-out %/cosim,$(shell go list $(all))) # cosim is a leg of its own
portable := ./fallback ./kernel/... ./filter/... ./internal/atomicfile
captures  = $(shell go list -C cmd/bloomlane -m -f '{{.Dir}}' github.com/gopacket/gopacket)
demo     := cmd/bloomlane/testdata/demo
guard    := .build/bloomlane guard --audit --key $(demo)/demo.key
fuzz     := go test -run='^$$' -fuzztime=5000x -fuzzminimizetime=10x
lists    := --blocklist $(demo)/blocklist.txt --sequences $(demo)/sequences.txt

# What this machine has: a test that finds it missing fails instead of being skipped.
comma    := ,
cpu      := $(shell cat /proc/cpuinfo 2>/dev/null)
has       = $(if $(filter $(1),$(cpu)),$(2)$(comma))
required := $(call has,avx2,avx2$(comma)floors)$(call has,avx512vl,avx512)$(if $(wildcard /proc/meminfo),meminfo)

.PHONY: run test build setup format vet lint generate unit race purego foreign \
	emulated bigendian haswell nehalem avx512 vectors cosim cosim-coverage wave \
	hdl-lint formal synth synth-check fuzz bench bench-quick

run: build
	.build/bloomlane kernels
	@echo; $(guard) $(lists) $(captures)/layers/testdata/cip.pcap
	@echo; $(guard) $(lists) $(captures)/pcapgo/tests/le/test301.pcapng
	@echo; $(guard) $(lists) $(captures)/pcap/test_loopback.pcap
	@echo; $(guard) --sources 10000 --good-rate 0.01 --synthetic 10000

test: setup format generate vet lint cosim unit race purego foreign build emulated vectors \
	hdl-lint formal synth-check fuzz run

build:
	go build -o .build/bloomlane ./cmd/bloomlane

setup:
	.ci/setup

format:
	test -z "$$(gofmt -l . | tee /dev/stderr)"

generate: # a test finds stale files too; this shows them
	go generate ./...
	git diff --exit-code -- asm bench hdl/rtl/bloomlane_params.vh

vet:
	go vet $(all)

lint:
	GOWORK=off go build -C tools -o ../.build/staticcheck honnef.co/go/tools/cmd/staticcheck
	.build/staticcheck $(all)

unit:
	BLOOMLANE_REQUIRE=$(required) go test -count=1 $(others)

race:
	BLOOMLANE_REQUIRE=$(required) go test -count=1 -short -race $(others)

purego:
	go test -count=1 -short -tags purego $(others)

cosim: # the Verilog in Verilator and Icarus against Go; the models are built once, into the user's cache
	BLOOMLANE_REQUIRE=cosim,captures go test -count=1 ./cosim
	BLOOMLANE_REQUIRE=cosim go test -count=1 -run RTL ./cmd/bloomlane

cosim-coverage: # lines and toggles by module; fails for a hole that cosim/COVERAGE.md does not name
	rm -rf .build/coverage && mkdir -p .build/coverage
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_COVERAGE=$(CURDIR)/.build/coverage go test -count=1 -run '^TestCoverage$$' ./cosim; \
		status=$$?; cat .build/coverage/report.txt; exit $$status

wave: # the waveform of a bench, such as TEST=inline-w32-8b-14, for GTKWave
	mkdir -p .build
	BLOOMLANE_REQUIRE=cosim BLOOMLANE_WAVES=$(CURDIR)/.build go test -count=1 -short -run '^TestRTL$$/^$(TEST)$$' ./cosim
	ls -l .build/$(TEST).fst

foreign: # architectures that are built and vetted; 386 also runs here
	GOARCH=arm64 go vet $(all)
	GOARCH=s390x go vet $(all)
	GOARCH=386 go vet $(all)
	GOARCH=386 go test -count=1 -short $(portable)

emulated: bigendian haswell nehalem avx512 # CPUs that this machine need not be

bigendian:
	GOARCH=s390x go test -count=1 -short -skip Preemption -exec qemu-s390x-static $(portable)

haswell: build # AVX2 and no AVX-512
	GOARCH=amd64 BLOOMLANE_REQUIRE=avx2 go test -count=1 -short -skip Preemption -exec 'qemu-x86_64-static -cpu Haswell' ./asm ./kernel/...
	qemu-x86_64-static -cpu Haswell .build/bloomlane kernels | grep -q '^active *avx2:'

nehalem: build # neither
	GOARCH=amd64 go test -count=1 -short -skip Preemption -exec 'qemu-x86_64-static -cpu Nehalem' ./kernel/...
	qemu-x86_64-static -cpu Nehalem .build/bloomlane kernels | grep -q '^active *purego:'

avx512: # a whole PC, because no lighter emulator has it
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o .build/asm.test ./asm
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o .build/kernel.test ./kernel
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/avx512/run .build/asm.test -test.short -test.run '/avx512'
	AVX512_ENV=BLOOMLANE_REQUIRE=avx512 .ci/avx512/run .build/kernel.test -test.short -test.run 'Laws/(every|no_false|merge_eq|a_table)/.*/(avx512|methods)|Required'

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
	$(fuzz) -fuzz='^FuzzParse$$' ./kernel/vectors
	$(fuzz) -fuzz='^FuzzOpen$$' ./filter/deletable
	$(fuzz) -fuzz='^FuzzHash$$' ./filter/toeplitz
	$(fuzz) -fuzz='^FuzzOpen$$' ./cmd/bloomlane/capture
	$(fuzz) -fuzz='^FuzzLists$$' ./cmd/bloomlane/capture
	$(fuzz) -fuzz='^FuzzQuery$$' ./cmd/bloomlane

bench: # this CPU's kernels against the floors of its memory: minutes
	go run ./bench

bench-quick: # the same in less than a minute
	go run ./bench --quick
