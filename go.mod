module github.com/bloomlane/bloomlane

go 1.26.0
