// A place where a pipeline may be cut: a register with a clock enable, or a wire.
//
// Parameters
//   BITS  width of what passes, at least 1
//   CUT   1: a register, 0: a wire
// Latency: CUT advances
`default_nettype none

module bloomlane_cut #(
    parameter BITS = 1,
    parameter CUT  = 1
) (
    input  wire            clk,
    input  wire            advance, // clock enable
    input  wire [BITS-1:0] in,
    output wire [BITS-1:0] out
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(BITS >= 1)) begin : refused_BITS
            BITS_must_be_1_or_more refused ();
        end
        if (!(CUT == 0 || CUT == 1)) begin : refused_CUT
            CUT_must_be_0_or_1 refused ();
        end
    endgenerate

    generate
        if (CUT != 0) begin : cut
            reg [BITS-1:0] in_reg;
            always @(posedge clk)
                if (advance) in_reg <= in;
            assign out = in_reg;
        end else begin : none
            assign out = in;
            wire unused = &{1'b0, clk, advance};
        end
    endgenerate
endmodule

`default_nettype wire
