package register

import "testing"

// The map has no two registers at one word, and none outside its window.
func TestMap(t *testing.T) {
	taken := map[int]string{}
	names := map[string]bool{}
	for _, w := range Windows {
		if w.Offset%WindowBytes != 0 || w.Offset < 0 || w.Offset >= 16*WindowBytes {
			t.Errorf("window %s at %#x", w.Name, w.Offset)
		}
		for _, r := range w.Registers {
			if names[r.Name] {
				t.Errorf("two registers %s", r.Name)
			}
			names[r.Name] = true
			if r.Words < 1 || r.Offset%4 != 0 || r.Offset+4*r.Words > WindowBytes {
				t.Errorf("%s has %d words at %#x", r.Name, r.Words, r.Offset)
			}
			for i := range r.Words {
				address := w.Offset + r.Offset + 4*i
				if other := taken[address]; other != "" {
					t.Errorf("%s and %s are at %#x", r.Name, other, address)
				}
				taken[address] = r.Name
			}
		}
	}
	if len(names) < 15 {
		t.Errorf("%d registers", len(names))
	}
}
