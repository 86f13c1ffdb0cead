module github.com/bloomlane/bloomlane

go 1.26.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/minio/highwayhash v1.0.4
	github.com/mmcloughlin/avo v0.5.0
	golang.org/x/sys v0.49.0
)

require (
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
