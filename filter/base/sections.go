package base

import "slices"

// Flat is a [Table] whose memory is the words of the one section of its files.
type Flat interface {
	// Fit takes words as the memory, and sets what follows from them and the numbers. The error is
	// a *[file.Error], for numbers or words that no table has. The words may come from a hostile
	// file.
	Fit(words []uint64) error

	// Memory returns the words.
	Memory() []uint64
}

// Sectioned is a [Table] whose files have several sections, or words that are not its memory. Its
// State sets Bytes.
type Sectioned interface {
	// Names returns the names of the sections, in their order in files. Which there are follows
	// from the numbers.
	Names() []string

	// FitSections is the Fit of a [Flat] table, for the words of each section.
	FitSections(sections [][]uint64) error

	// Sections returns the words of each section: the memory, or a copy that does not change. Some
	// section has words.
	Sections() [][]uint64

	// Copies reports whether FitSections copies the words that it takes, so that the memory is the
	// table's own.
	Copies() bool

	// Clear makes the memory that of an empty filter.
	Clear()

	// Renew gives the table other memory, that of an empty filter of its size. It does not read the
	// memory that it had.
	Renew()
}

// Comparer is a [Table] with a part of which its sections have no more than a name.
type Comparer[T any] interface {
	// Agrees reports whether the part is the same as another table's.
	Agrees(other *T) bool
}

// sectionsOf returns the words of each section of a table.
func sectionsOf(table any) [][]uint64 {
	if t, ok := table.(Sectioned); ok {
		return t.Sections()
	}
	return [][]uint64{table.(Flat).Memory()}
}

func fit(table any, sections [][]uint64) error {
	if t, ok := table.(Sectioned); ok {
		return t.FitSections(sections)
	}
	return table.(Flat).Fit(sections[0])
}

// copies reports whether a table has no words of those that it was fitted to.
func copies(table any) bool {
	t, ok := table.(Sectioned)
	return ok && t.Copies()
}

// fitLike gives a table, which has the numbers of another one, a copy of its memory. The error is
// that of a memory and numbers that do not go together.
func fitLike(table, other any) error {
	sections := sectionsOf(other)
	if !copies(table) {
		sections = slices.Clone(sections)
		for i, words := range sections {
			sections[i] = New(uint64(len(words)))
			copy(sections[i], words)
		}
	}
	return fit(table, sections)
}

// renew gives a table other memory, that of an empty filter of its size.
func renew(table any) {
	if t, ok := table.(Sectioned); ok {
		t.Renew()
		return
	}
	t := table.(Flat)
	if err := t.Fit(New(uint64(len(t.Memory())))); err != nil {
		panic(err) // it had the same numbers, and as many words
	}
}

func clearMemory(table any) {
	if t, ok := table.(Sectioned); ok {
		t.Clear()
	} else {
		clear(table.(Flat).Memory())
	}
}

// identity returns a pointer that two tables share if one changes with the other.
func identity(table any) any {
	if !copies(table) {
		for _, words := range sectionsOf(table) {
			if len(words) > 0 {
				return &words[0]
			}
		}
	}
	return table
}
