package highway

import "testing"

func BenchmarkFixed(b *testing.B)  { hash.BenchmarkFixed(b) }
func BenchmarkMixed(b *testing.B)  { hash.BenchmarkMixed(b) }
func BenchmarkSingle(b *testing.B) { hash.BenchmarkSingle(b) }
