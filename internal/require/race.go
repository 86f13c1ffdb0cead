//go:build race

package filtertest

const raceEnabled = true
