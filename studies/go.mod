module github.com/bloomlane/bloomlane/studies

go 1.26.0

require (
	github.com/bloomlane/bloomlane v0.0.0
	github.com/minio/highwayhash v1.0.4
	github.com/spf13/cobra v1.10.2
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
