//go:build race

package highway

func init() { raceEnabled = true }
