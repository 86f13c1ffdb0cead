module github.com/bloomlane/bloomlane/filter/family

go 1.26.0

require github.com/bloomlane/bloomlane v0.0.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
