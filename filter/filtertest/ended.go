package filtertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// Ended fails the test unless every method of f behaves as package filter says of a closed filter.
// f is a pointer to a filter that is closed or is a zero value. A method that returns an error must
// return one that wraps [os.ErrClosed], and every other method must panic with such an error. Stats
// and State must return zero values, and so must Health except for its Due; Closed must return
// true, and String text that says so. Ended does not call UnmarshalBinary and ReadFrom, which make
// f a filter. It calls methods with zero arguments, and with a context that does not end.
func Ended(t *testing.T, f any) {
	t.Helper()
	value := reflect.ValueOf(f)
	for i := range value.NumMethod() {
		name, method := value.Type().Method(i).Name, value.Method(i)
		if name == "Format" || name == "UnmarshalBinary" || name == "ReadFrom" || name == "Unwrap" ||
			name == "Key" || name == "UnmarshalJSON" || name == "GobEncode" {
			continue // only fmt can call Format, which prints String; the others do not look
		}
		outs, panicked := call(method)
		switch name {
		case "String":
			if panicked != nil || !strings.Contains(outs[0].String(), "closed") {
				t.Errorf("%T.String: %v, panic %v", f, outs, panicked)
			}
			continue
		case "MarshalJSON", "LogValue":
			if panicked != nil || !strings.Contains(fmt.Sprintf("%s", outs[0]), "scanned") {
				t.Errorf("%T.%s: %s, panic %v", f, name, outs, panicked)
			}
			continue
		case "Closed":
			if panicked != nil || !outs[0].Bool() {
				t.Errorf("%T.Closed: %v, panic %v", f, outs, panicked)
			}
			continue
		case "Stats", "Health", "State":
			if panicked != nil {
				t.Errorf("%T.%s panics: %v", f, name, panicked)
				continue
			}
			stats := reflect.New(outs[0].Type()).Elem()
			stats.Set(outs[0])
			if due := stats.FieldByName("Due"); name == "Health" && due.IsValid() {
				due.SetZero()
			}
			if !stats.IsZero() {
				t.Errorf("%T.%s is %+v, want zero", f, name, stats)
			}
			continue
		}
		found := panicked
		if n := method.Type().NumOut(); n > 0 &&
			method.Type().Out(n-1) == reflect.TypeFor[error]() {
			if panicked != nil {
				t.Errorf("%T.%s panics: %v, want an error", f, name, panicked)
				continue
			}
			found = outs[n-1].Interface()
		}
		if err, _ := found.(error); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%T.%s: %v, want an error that wraps os.ErrClosed, or a panic with it",
				f, name, found)
		}
	}
}

// call calls a method with zero arguments.
func call(method reflect.Value) (outs []reflect.Value, panicked any) {
	defer func() { panicked = recover() }()
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		in := method.Type().In(i)
		if in == reflect.TypeFor[context.Context]() {
			args = append(args, reflect.ValueOf(context.Background()))
		} else if !method.Type().IsVariadic() || i < method.Type().NumIn()-1 {
			args = append(args, reflect.Zero(in))
		}
	}
	return method.Call(args), nil
}
