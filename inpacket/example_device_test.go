//go:build unix

package inpacket_test

import (
	"fmt"
	"log"

	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

var dpi = inpacket.Element[kernel.Block256]{Masks: make([]kernel.Block256, 1)}

// A service is programmed into hardware, from which packets delete it. It is not run, for lack of
// the hardware.
func ExampleDevice() {
	bus, err := register.Open("/sys/bus/pci/devices/0000:01:00.0/resource0")
	if err != nil {
		log.Fatal(err)
	}
	device, err := inpacket.NewDevice[kernel.Block256](bus)
	if err != nil {
		log.Fatal(err)
	}
	err = device.SetElement(inpacket.OpDelete, dpi.Masks[0]) // dpi is an inpacket.Element
	fmt.Println("programmed:", err)
}
