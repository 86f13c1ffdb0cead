package filtertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/interrupt"
)

// exported returns the names of all methods of a filter, except Close, and Format, which only fmt
// can call.
func exported(f filter.Stored) (names []string) {
	for method := range reflect.TypeOf(f).Methods() {
		if method.Name != "Close" && method.Name != "Format" {
			names = append(names, method.Name)
		}
	}
	return names
}

// prepared is a call of a method of a filter, with arguments that it can take.
type prepared struct {
	method reflect.Value
	args   []reflect.Value
	others []filter.Stored // the filters among the arguments
}

// prepare returns a call of the method with this name. Its arguments are chosen by their types, and
// the test fails if there is none for a type.
func (s *subject) prepare(t *testing.T, f filter.Stored, name, path string) *prepared {
	t.Helper()
	p := &prepared{method: reflect.ValueOf(f).MethodByName(name)}
	for i := range p.method.Type().NumIn() {
		p.args = append(p.args, p.argument(t, s, f, name, path, i))
	}
	return p
}

func (p *prepared) argument(
	t *testing.T,
	s *subject,
	f filter.Stored,
	name, path string,
	i int,
) reflect.Value {
	t.Helper()
	in := p.method.Type().In(i)
	// Positions of bits that are no collision bits, hashes, keys and counts, too.
	numbers := []uint64{70, 71, 72, 73, 74}
	for _, value := range []any{
		context.Background(), s.key, path, i, uint64(70), 0.5, io.Discard, numbers,
		make([]filter.Status, len(numbers)), each(numbers, stringOf), each(numbers, bytesOf),
	} {
		if found := reflect.TypeOf(value); found == in ||
			in.Kind() == reflect.Interface && in.NumMethod() > 0 && found.Implements(in) {
			return reflect.ValueOf(value)
		}
	}
	switch other := s.sample(t); {
	case in == reflect.TypeFor[[]byte]():
		return reflect.ValueOf(content(t, other))
	case in == reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(bytes.NewReader(content(t, other)))
	case reflect.TypeOf(other).AssignableTo(in):
		p.others = append(p.others, other)
		return reflect.ValueOf(other)
	case in.Kind() == reflect.Func:
		return nothing(in)
	}
	if in.Kind() == reflect.Int64 || in.Kind() == reflect.Uint64 { // numbers with a name
		return reflect.ValueOf(1).Convert(in)
	}
	if in.Kind() == reflect.Slice {
		return reflect.MakeSlice(in, len(numbers), len(numbers))
	}
	t.Fatalf("%T.%s: no argument of the type %v", f, name, in)
	return reflect.Value{}
}

// nothing returns a function that does nothing. It returns zero values, and functions that do
// nothing, such as a source of no keys.
func nothing(function reflect.Type) reflect.Value {
	return reflect.MakeFunc(function, func([]reflect.Value) (results []reflect.Value) {
		for i := range function.NumOut() {
			if out := function.Out(i); out.Kind() == reflect.Func {
				results = append(results, nothing(out))
			} else {
				results = append(results, reflect.Zero(out))
			}
		}
		return results
	})
}

// run makes the call. It returns the results, what the method panicked with, and its error, or nil
// if it has none.
func (p *prepared) run() (outs []reflect.Value, panicked any, err error) {
	defer func() { panicked = recover() }()
	call := p.method.Call
	if p.method.Type().IsVariadic() {
		call = p.method.CallSlice
	}
	outs = call(p.args)
	if n := len(outs); n > 0 {
		err, _ = outs[n-1].Interface().(error)
	}
	return outs, nil, err
}

// numbersIn returns the results that are numbers, or have some: others may be the filter's memory.
func numbersIn(outs []reflect.Value) string {
	var text strings.Builder
	for _, out := range outs {
		switch out.Kind() {
		case reflect.Bool, reflect.Int, reflect.Uint64, reflect.Float64, reflect.Struct:
			fmt.Fprint(&text, out, " ")
		}
	}
	return text.String()
}

// returnsError reports whether the method has an error as its last result.
func (p *prepared) returnsError() bool {
	n := p.method.Type().NumOut()
	return n > 0 && p.method.Type().Out(n-1) == reflect.TypeFor[error]()
}

// has reports whether a handle is in a filter.
func has(f filter.Stored, handle uintptr) bool {
	value := reflect.ValueOf(f)
	return handle-value.Pointer() < value.Type().Elem().Size()
}

// closedMeanwhile: a call that has loaded the table of a filter goes on with it, whenever the
// filter is closed: no call panics then, and the numbers that it returns are those of the filter. A
// method that returns an error may return ErrClosed. The law closes the filter, or one that is an
// argument, after each load of its table, in a call of every method. A filter that wraps another
// one calls it more than once, and may panic with ErrClosed.
func closedMeanwhile(t *testing.T, s *subject) {
	path := filepath.Join(t.TempDir(), "f.blm")
	for _, name := range exported(s.sample(t)) {
		for other, more := 0, true; more; other++ { // 0 is the filter itself
			for load := 1; ; load++ {
				f := s.sample(t)
				p := s.prepare(t, f, name, path)
				all := append([]filter.Stored{f}, p.others...)
				loads := 0
				interrupt.Loaded = func(handle uintptr) {
					if other > 0 && !has(all[other], handle) ||
						other == 0 && slices.ContainsFunc(p.others,
							func(f filter.Stored) bool { return has(f, handle) }) {
						return
					}
					if loads++; loads == load {
						interrupt.Loaded = nil
						_ = all[other].Close()
					}
				}
				outs, panicked, err := p.run()
				interrupt.Loaded = nil
				if more = other+1 < len(all); loads < load {
					break
				}
				_, wraps := reflect.TypeOf(f).MethodByName("Unwrap")
				if found, _ := panicked.(error); panicked != nil &&
					(!wraps || p.returnsError() || !errors.Is(found, filter.ErrClosed)) {
					t.Errorf("%T.%s panics if filter %d is closed after load %d: %v", f, name,
						other, load, panicked)
				}
				if panicked != nil || err != nil || wraps {
					continue
				}
				want, _, _ := s.prepare(t, s.sample(t), name, path).run()
				if found, whole := numbersIn(outs), numbersIn(want); found != whole {
					t.Errorf("%T.%s returns %sif filter %d is closed after load %d, want %s", f,
						name, found, other, load, whole)
				}
			}
		}
	}
}

// anyBesideClose: a filter may be closed during a call of any method. The call returns a result,
// ErrClosed, or, if it has no error to return, panics with ErrClosed.
func anyBesideClose(t *testing.T, s *subject) {
	opened := s.saved(t)
	var filters []filter.Stored
	var calls sync.WaitGroup
	var closed atomic.Bool
	started := make(chan bool)
	for i, name := range exported(s.sample(t)) {
		f := s.sample(t)
		if i%2 == 0 {
			f = s.open(t, opened)
		}
		filters = append(filters, f)
		p := s.prepare(t, f, name, filepath.Join(t.TempDir(), "f.blm"))
		calls.Go(func() {
			for first, last := true, false; !last; first = false {
				runtime.Gosched() // so that the others start soon, on few CPUs
				last = closed.Load()
				_, panicked, err := p.run()
				if found, _ := panicked.(error); panicked != nil &&
					(p.returnsError() || !errors.Is(found, filter.ErrClosed)) {
					t.Errorf("%T.%s: panic %v, and the error %v", f, name, panicked, err)
				}
				if first {
					started <- true
				}
			}
		})
	}
	Within(t, "a first call of each method", func() {
		for range filters {
			<-started
		}
	})
	for _, f := range filters {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	clear(filters)
	runtime.GC()
	runtime.GC() // a mapping goes when the table is found unreachable
	closed.Store(true)
	Within(t, "the end of calls of closed filters", calls.Wait)
}
