# Places and routes an in-line engine for an UltraScale+ by AMD's Vivado, out of context, and prints the slack
# at the clock of a CMAC. Nobody has run it here: README.md has a row for what it finds.
#
# usage: vivado -mode batch -source hdl/synth/vivado.tcl      in the root of the repository
set part     xcvu9p-flga2104-2-i
set period   3.103 ;# ns, 322.266 MHz
set generics {DATA_BYTES=64 W=32 OFFSET=18}

read_verilog [glob hdl/rtl/*.v]
synth_design -top bloomlane_inline -part $part -mode out_of_context -include_dirs hdl/rtl -generic $generics
create_clock -name clk -period $period [get_ports clk]
# Both sides are registers of a neighbour, a quarter of the clock away.
set inputs [get_ports -filter {DIRECTION == IN && NAME != clk}]
set_input_delay -clock clk [expr $period / 4] $inputs
set_output_delay -clock clk [expr $period / 4] [all_outputs]
opt_design
place_design
phys_opt_design
route_design
report_utilization
report_timing_summary -max_paths 10
report_high_fanout_nets -max_nets 10
puts "slack [get_property SLACK [get_timing_paths]] ns of $period ns"
