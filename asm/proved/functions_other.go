//go:build !(amd64 || arm64) || purego

package proved

// Functions are those that are proved. There is no assembly here.
var (
	Functions []Function
	symbols   []string
)

func addresses() []uint64 { return nil }

func view(uint64, int) []byte { return nil }
