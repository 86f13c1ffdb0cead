package filter

// As returns the first of f and of what it wraps that is a T, such as a [Deleter] or a [Counter],
// and whether there is one. It is how to ask what a filter can do: a type assertion does not see
// what a wrapper, such as that of package audit, hides. A wrapper has a method Unwrap, which
// returns the filter that it wraps.
//
// What As finds inside of a wrapper goes past it: after a write there, an audit does not know the
// members.
func As[T any](f Querier) (T, bool) {
	for {
		if t, ok := f.(T); ok {
			return t, true
		}
		wrapper, ok := f.(interface{ Unwrap() Stored })
		if !ok {
			var none T
			return none, false
		}
		f = wrapper.Unwrap()
	}
}
