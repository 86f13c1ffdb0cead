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
// It works with filters of every kind that has inserts. Call queries and deletes on the filter
// itself. Only inserts by the [Set] are limited. A Set measures the fill by scans of the table,
// some dozen until the filter is full. So a key that is inserted many times counts once. A Set
// needs no more memory than a few words, and its inserts do not allocate until one is refused.
package saturation
