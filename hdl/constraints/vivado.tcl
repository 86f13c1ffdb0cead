# What crosses between the clocks of each bloomlane_axil with ASYNC = 1, for AMD's Vivado. Vivado has not run it: a test of
# hdl/synth runs it in tclsh, and compares it with what crosses in the netlist.
#
# usage: read_xdc -unmanaged hdl/constraints/vivado.tcl      behind synth_design, where both clocks are known
#
# A bit of a request or of an answer may come up to a clock of its destination later than the toggle that says that it is
# there. set_max_delay bounds each bit, but set_clock_groups and set_false_path override it: set_bus_skew holds still.
proc bloomlane_cross {axil sources toggle synchronizer captures} {
    set period [get_property -min PERIOD [get_clocks -of_objects [get_pins $axil/$synchronizer/C]]]
    set from [get_cells "$axil/$toggle $sources"]
    set to   [get_cells "$axil/$synchronizer $captures"]
    set_max_delay -datapath_only -from $from -to $to $period
    set_bus_skew -from $from -to $to $period
}

foreach axil [get_cells -quiet -hierarchical -filter {ORIG_REF_NAME == bloomlane_axil || REF_NAME == bloomlane_axil}] {
    if {[llength [get_cells -quiet "$axil/crossing.there_reg_reg\[0\]"]] == 0} {
        continue ;# one clock
    }
    bloomlane_cross $axil "$axil/write_reg_reg $axil/address_reg_reg\[*\] $axil/data_reg_reg\[*\]" \
        crossing.sent_reg_reg "crossing.there_reg_reg\[0\]" "$axil/crossing.asked_reg_reg\[*\]"
    bloomlane_cross $axil "$axil/crossing.ran_error_reg_reg $axil/crossing.ran_answer_reg_reg\[*\]" \
        crossing.ran_reg_reg "crossing.back_reg_reg\[0\]" "$axil/error_reg_reg $axil/answer_reg_reg\[*\]"
}
