package capture

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"bytes"
)

// FuzzOpen reads captures. Whatever they hold, reading ends with io.EOF or an error, gives whole
// words, and takes no more memory than its limits and a part of the input's size. The corpus in
// testdata/fuzz is handmade: small captures of either format, whole and damaged.
func FuzzOpen(f *testing.F) {
	f.Add(pcapFile(f, frame(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		frames := Open(bytes.NewReader(data))
		for err := error(nil); err == nil; {
			var frame []byte
			if frame, err = frames.NextFrame(); frame != nil && len(frame) < ethernetHeader {
				t.Fatalf("a frame of %d bytes", len(frame))
			}
		}
		r := Open(bytes.NewReader(data))
		for n := 0; ; n++ {
			source, payload, err := r.Next()
			if err != nil {
				if _, _, again := r.Next(); err == io.EOF && again != io.EOF {
					t.Errorf("error %v after io.EOF", again)
				}
				return
			}
			if len(payload)%wordBytes != 0 || len(payload) > MaxPacket {
				t.Fatalf("a payload of %d bytes", len(payload))
			}
			if len(payload) > 0 && !source.IsValid() {
				t.Fatal("a payload without a source")
			}
			if n > len(data)/16 { // the smallest record
				t.Fatalf("%d packets in %d bytes", n, len(data))
			}
		}
	})
}

// FuzzLists reads the text formats. What one accepts, printed again in its plainest form, it reads
// as the same.
func FuzzLists(f *testing.F) {
	f.Add("c0a80001 deadbeef\n# comment\n\n10.0.0.1\n2001:db8::1\n00000001 00000002 00000003\n")
	f.Fuzz(func(t *testing.T, text string) {
		var damage *Error
		if _, err := drain(NewText(strings.NewReader(text))); err != nil &&
			!errors.As(err, &damage) {
			t.Errorf("packets: error %v, want an *Error", err)
		}
		sources, err := ReadBlocklist(strings.NewReader(text))
		if err != nil && !errors.As(err, &damage) {
			t.Errorf("blocklist: error %v, want an *Error", err)
		}
		var plain strings.Builder
		for _, source := range sources {
			plain.WriteString(source.String() + "\n")
		}
		if again, err := ReadBlocklist(strings.NewReader(plain.String())); err != nil ||
			len(again) != len(sources) {
			t.Errorf("%d sources, read again %d, error %v", len(sources), len(again), err)
		}
		prefixes, err := ReadPrefixes(strings.NewReader(text))
		if err != nil && !errors.As(err, &damage) {
			t.Errorf("list: error %v, want an *Error", err)
		}
		plain.Reset()
		for _, p := range prefixes {
			plain.WriteString(p.String() + "\n")
		}
		if again, err := ReadPrefixes(strings.NewReader(plain.String())); err != nil ||
			!slices.Equal(again, prefixes) {
			t.Errorf("prefixes %v, read again %v, error %v", prefixes, again, err)
		}
		sequences, err := ReadSequences(strings.NewReader(text))
		if err != nil && !errors.As(err, &damage) {
			t.Errorf("sequences: error %v, want an *Error", err)
		}
		for _, sequence := range sequences {
			if n := len(sequence); n == 0 || n > maxSequence*wordBytes || n%wordBytes != 0 {
				t.Errorf("a sequence of %d bytes", n)
			}
		}
	})
}
