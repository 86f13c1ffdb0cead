//go:build unix

package table_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/hdl/table"
	"github.com/bloomlane/bloomlane/kernel"
)

// A table of the members is made in software and loaded. For lack of a device the registers are
// those of a plain file, in which DATA then has the last block.
func Example() {
	path := plainFile() // or /sys/bus/pci/devices/0000:01:00.0/resource0
	defer os.Remove(path)
	bus, err := register.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer bus.Close()
	device, err := table.NewDevice[kernel.Block256](bus)
	if err != nil {
		log.Fatal(err)
	}
	k, err := key.Parse("sip13:000102030405060708090a0b0c0d0e0f") // as in the hardware
	if err != nil {
		log.Fatal(err)
	}
	blocks := kernel.NewTable256(device.Blocks())
	for _, address := range [][]byte{{192, 0, 2, 1}, {192, 0, 2, 2}, {192, 0, 2, 3}} {
		blocks.Insert(k.Hash(address))
	}
	if err := device.Load(0, blocks); err != nil {
		log.Fatal(err)
	}
	for i := range blocks[1] {
		word, err := bus.Read(register.Data + uint32(4*i))
		fmt.Printf("%08x %v\n", word, err)
	}
	fmt.Println(device.Clear()) // which a file does not do
	// Output:
	// 00000000 <nil>
	// 01000000 <nil>
	// 00400000 <nil>
	// 00000040 <nil>
	// 00000080 <nil>
	// 00000020 <nil>
	// 00000020 <nil>
	// 00008000 <nil>
	// table device: a bank is still being emptied after 66 reads, expected fewer
}

// A table is rebuilt while operations go on. It is not run, for lack of the hardware.
func ExampleDevice_Rebuild() {
	err := device.Rebuild(func() ([]kernel.Block256, error) {
		blocks := kernel.NewTable256(device.Blocks())
		for _, h := range members { // that are in the hardware now
			blocks.Insert(h)
		}
		return blocks, nil
	})
	fmt.Println("rebuilt:", err)
}

var (
	device  *table.Device[kernel.Block256]
	members []uint64 // hashes
)

// plainFile returns a file that has the shape of a table of 2 blocks in one bank.
func plainFile() string {
	file, err := os.CreateTemp("", "resource0")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	image := make([]byte, 4*register.WindowBytes)
	binary.LittleEndian.PutUint32(image[register.TableShape:], 1<<16|1<<8|32)
	if _, err := file.Write(image); err != nil {
		log.Fatal(err)
	}
	return file.Name()
}
