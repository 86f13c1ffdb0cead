package parquet_test

import (
	"fmt"
	"os"
	"path/filepath"

	pages "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/interop/parquet"
)

// AddFilters adds filters to a file of two row groups. The filters say which row groups need not be
// read.
func Example() {
	type user struct {
		Name string `parquet:"name"`
	}
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "users.parquet")
	err = pages.WriteFile(path, []user{{"ada"}, {"grace"}, {"alan"}, {"edsger"}},
		pages.MaxRowsPerRowGroup(2))
	if err != nil {
		panic(err)
	}

	if err := parquet.AddFilters(path, 10.5, "name"); err != nil {
		panic(err)
	}

	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		panic(err)
	}
	f, err := parquet.Open(file, info.Size())
	if err != nil {
		panic(err) // errors.Is(err, parquet.ErrDamaged), …
	}
	name, err := f.Column("name")
	if err != nil {
		panic(err)
	}
	alan, err := name.Value("alan")
	if err != nil {
		panic(err)
	}
	for group := range f.RowGroups() {
		filter, err := name.Filter(group)
		if err != nil {
			panic(err)
		}
		fmt.Println("row group", group, "may have it:", alan.In(filter))
	}
	// Output:
	// row group 0 may have it: false
	// row group 1 may have it: true
}
