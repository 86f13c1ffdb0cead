// Package saturation limits how full a filter may become: at a fill that you choose, inserts return
// [filter.ErrFull], or call a function of yours. Use it if nobody knows the number of members
// beforehand. Without it, a filter that gets more members than planned has more false positives,
// and does not report it.
//
//	s, err := saturation.New(f, saturation.Config{Fill: 0.5})
//	_, err = s.Insert(key)
//	if errors.Is(err, filter.ErrFull) {
//		// make a larger filter
//	}
//
// It works with filters of every kind that has inserts. Only inserts by the [Filter] are limited.
// Deletes, and what else the filter can do, are called on the filter itself: [filter.As] finds it.
// A limit measures the fill by scans of the table, some dozen until the filter is full. So a key
// that is inserted many times counts once. It needs no more memory than a few words, and its
// inserts do not allocate until one is refused.
package saturation
