module github.com/bloomlane/bloomlane

go 1.26.0

require (
	github.com/minio/highwayhash v1.0.4
	golang.org/x/sys v0.49.0
)
