// Package cosim is no API: it runs the Verilog of package hdl in Verilator and compares it with the
// definition in package fallback: every bit, status and clock.
//
// [Build] makes a program of one top module and its parameters, once: the program is kept in the
// user's cache folder, under a key made of the sources, the driver, the flags and the versions of
// the tools. [Program.Start] starts it as a process, and [Simulation.Run] sends it records of fixed
// size over a pipe, thousands at a time, and reads as many answers.
//
// A record holds the values of the top's inputs for one clock cycle, and its answer the values of
// the outputs in that cycle, just before the rising edge. A top without a port clk is combinational
// and has no cycles: an answer is a function of its record. [Program.In] and [Program.Out] say
// where a port's value is in a record. The clock clk is not in records.
//
// A top with ports s_axis_tvalid and s_axis_tready is driven as an AXI4-Stream slave: see
// [StreamIn].
//
// The tests of this package are the co-simulation: see its bench_test.go for the list. Mistakes
// planted in the Verilog test the tests: generated_test.go makes them by rules, of which a few are
// drawn unless BLOOMLANE_MUTANTS is full, and mutants_test.go has those that no rule makes. The
// tests need Verilator, a C++ compiler and GNU make, and some of them Icarus or Yosys; without
// these they are skipped, unless BLOOMLANE_REQUIRE names cosim, icarus or yosys.
package cosim
