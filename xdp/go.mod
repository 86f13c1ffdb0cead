module github.com/bloomlane/bloomlane/xdp

go 1.26.0

require (
	github.com/bloomlane/bloomlane v0.0.0
	github.com/cilium/ebpf v0.22.0
	golang.org/x/sys v0.49.0
)

require golang.org/x/net v0.55.0 // indirect

require (
	github.com/gopacket/gopacket v1.7.7
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
)
