// A place where a pipeline may be cut: a register with a clock enable, or a wire.
//
// Parameters
//   BITS  width of what passes
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
