// Package agreement is no API: it gives one filter file of a deny list, and one capture, to four
// machines, and compares what they do: Go on each of its implementations, the header for C, the
// packet program in the kernel, and the Verilog.
//
// While packets pass, entries are added to the list and deleted. Each packet must have the same
// verdict everywhere, each change the same result, and after the changes each block the same bytes.
package agreement
