// Package register has the registers of the hardware in package hdl, and reaches them: [Windows] is
// the map, from which avogen generates its constants here, in C and in Verilog, and its page. A
// [Bus] reads and writes registers. [File] is one whose registers are in a mapped file, such as a
// PCI resource; package cosim has one of a simulation.
//
// Package inpacket programs the engines through a Bus.
package register
