# The commands of hdl/constraints, in the words of AMD's UG903 and UG835 and of Intel's Timing Analyzer: each constraint is
# printed, with the registers that it is from and to. `registers` has names, each with the period of its clock.
proc options {arguments flags} { # the values of options, by name; what is none, at 0
    set values {0 {}}
    while {[llength $arguments] > 0} {
        set arguments [lassign $arguments word]
        if {![string match {-[a-z]*} $word]} {
            dict lappend values 0 $word
        } elseif {$word in $flags} {
            dict set values $word 1
        } else {
            set arguments [lassign $arguments value]
            dict set values $word $value
        }
    }
    return $values
}

proc find {patterns quiet} {
    global registers
    set found {}
    foreach pattern $patterns {
        set glob [string map {[ \\[ ] \\]} $pattern]
        set here [dict keys $registers $glob]
        if {[llength $here] == 0 && !$quiet} {
            error "no register is named $pattern"
        }
        lappend found {*}$here
    }
    return $found
}

proc say {kind arguments flags} {
    set o [options $arguments $flags]
    puts "$kind\t[dict get $o -from]\t[dict get $o -to]\t[lindex [dict get $o 0] 0]"
}

# Vivado
proc get_cells {args} {
    set o [options $args {-quiet -hierarchical}]
    if {[dict exists $o -hierarchical]} {
        return {shell/axil}
    }
    find [lindex [dict get $o 0] 0] [dict exists $o -quiet]
}
proc get_pins {pin} { regsub {/C$} $pin {} cell; find [list $cell] 0 }
proc get_clocks {args} { global registers; dict get $registers [lindex $args 1 0] }
proc get_property {args} { lindex $args end }
proc set_bus_skew {args} { say skew $args {} }

# Both
proc set_max_delay {args} { say delay $args -datapath_only }

# Quartus
proc get_registers {args} {
    set o [options $args -nowarn]
    find [lindex [dict get $o 0] 0] [dict exists $o -nowarn]
}
proc get_register_info {option register} { return $register }
proc foreach_in_collection {name collection body} { uplevel 1 [list foreach $name $collection $body] }
proc set_min_delay {args} { say minimum $args {} }
proc period_of {arguments option} { # of the destination, by an option
    global registers
    set o [options $arguments -max]
    if {[dict get $o $option] ne "dst_clock_period"} {
        error "$option is [dict get $o $option]"
    }
    dict get $registers [lindex [dict get $o -to] 0]
}
proc set_max_skew {args} {
    say skew [concat $args [period_of $args -get_skew_value_from_clock_period]] {}
}
proc set_net_delay {args} {
    say delay [concat $args [period_of $args -get_value_from_clock_period]] -max
}
