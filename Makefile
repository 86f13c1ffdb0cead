# Two commands: "make run" does the main job on real captures, "make test" runs every test.
# Both do their own set-up. Every other target is a part of one of them, to run by hand.

all      := ./... ./cmd/bloomlane/...
portable := ./fallback ./kernel/... ./filter/... ./internal/atomicfile
captures  = $(shell go list -C cmd/bloomlane -m -f '{{.Dir}}' github.com/gopacket/gopacket)
demo     := cmd/bloomlane/testdata/demo
guard    := .build/bloomlane guard --audit --key $(demo)/demo.key
fuzz     := go test -run='^$$' -fuzztime=5s -fuzzminimizetime=10x
lists    := --blocklist $(demo)/blocklist.txt --sequences $(demo)/sequences.txt

# A test that lacks one of these fails instead of being skipped.
export BLOOMLANE_REQUIRE ?=

.PHONY: run test build setup format vet lint unit race purego foreign emulated vectors fuzz

run: build
	.build/bloomlane kernels
	@echo; $(guard) $(lists) $(captures)/layers/testdata/cip.pcap
	@echo; $(guard) $(lists) $(captures)/pcapgo/tests/le/test301.pcapng
	@echo; $(guard) $(lists) $(captures)/pcap/test_loopback.pcap
	@echo; $(guard) --sources 10000 --good-rate 0.01 --synthetic 10000

test: setup format vet lint unit race purego foreign emulated vectors fuzz run

build:
	go build -o .build/bloomlane ./cmd/bloomlane

setup:
	.ci/setup

format:
	test -z "$$(gofmt -l . | tee /dev/stderr)"

vet:
	go vet $(all)

lint:
	GOWORK=off go build -C tools -o ../.build/staticcheck honnef.co/go/tools/cmd/staticcheck
	.build/staticcheck $(all)

unit:
	go test -count=1 $(all)

race:
	go test -count=1 -short -race $(all)

purego:
	go test -count=1 -short -tags purego $(all)

foreign: # architectures that are built and vetted; 386 also runs here
	GOARCH=arm64 go vet $(all)
	GOARCH=s390x go vet $(all)
	GOARCH=386 go vet $(all)
	GOARCH=386 go test -count=1 -short $(portable)

emulated: # a big-endian CPU
	GOARCH=s390x go test -count=1 -short -exec qemu-s390x-static $(portable)

vectors: build # the definition's own vectors, through the command line
	.build/bloomlane vectors make -o .build
	.build/bloomlane vectors check --impl all .build/vectors256.jsonl .build/vectors512.jsonl

fuzz: # a smoke run of each target; "go test -fuzz" alone runs one for as long as you like
	$(fuzz) -fuzz='^FuzzOperations$$' -fuzztime=10s ./kernel
	$(fuzz) -fuzz='^FuzzParse$$' ./kernel/vectors
	$(fuzz) -fuzz='^FuzzOpen$$' ./filter/deletable
	$(fuzz) -fuzz='^FuzzOpen$$' ./cmd/bloomlane/capture
	$(fuzz) -fuzz='^FuzzLists$$' ./cmd/bloomlane/capture
	$(fuzz) -fuzz='^FuzzQuery$$' ./cmd/bloomlane
