# What crosses between the clocks of each bloomlane_axil with ASYNC = 1, for Intel's Quartus. Quartus has not run it: a test
# of hdl/synth runs it in tclsh, and compares it with what crosses in the netlist.
#
# usage: set_global_assignment -name SDC_FILE hdl/constraints/quartus.sdc
#
# A bit of a request or of an answer may come up to a clock of its destination later than the toggle that says that it is
# there: set_max_skew and set_net_delay say so. set_max_delay and set_min_delay take the edges of unrelated clocks out of
# the analysis, as set_false_path would, which overrides all of these.
proc bloomlane_cross {sources captures} {
    set from [get_registers $sources]
    set to   [get_registers $captures]
    set_max_skew -from $from -to $to -get_skew_value_from_clock_period dst_clock_period -skew_value_multiplier 1.0
    set_net_delay -from $from -to $to -max -get_value_from_clock_period dst_clock_period -value_multiplier 1.0
    set_max_delay -from $from -to $to 100
    set_min_delay -from $from -to $to -100
}

foreach_in_collection first [get_registers -nowarn {*|crossing.there_reg[0]}] {
    regsub {\|crossing\.there_reg\[0\]$} [get_register_info -name $first] {|} axil
    bloomlane_cross "${axil}crossing.sent_reg ${axil}write_reg ${axil}address_reg\[*\] ${axil}data_reg\[*\]" \
        "${axil}crossing.there_reg\[0\] ${axil}crossing.asked_reg\[*\]"
    bloomlane_cross "${axil}crossing.ran_reg ${axil}crossing.ran_error_reg ${axil}crossing.ran_answer_reg\[*\]" \
        "${axil}crossing.back_reg\[0\] ${axil}error_reg ${axil}answer_reg\[*\]"
}
