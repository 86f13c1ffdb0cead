package result

import "testing"

func TestSizes(t *testing.T) {
	for _, text := range []string{"16 KiB", "512 KiB", "16 MiB", "2 GiB", "64 GiB"} {
		if bytes, err := ParseSize(text); err != nil || FormatSize(bytes) != text {
			t.Errorf("%s: %s, %v", text, FormatSize(bytes), err)
		}
	}
	for _, text := range []string{"", "16", "17 KiB", "8 KiB", "128 GiB", "-16 KiB", "16 kB"} {
		if bytes, err := ParseSize(text); err == nil {
			t.Errorf("%q: %d", text, bytes)
		}
	}
}
