// The stored positions of a key: the high 7*B bits of its spread hash g, B = log2 W.
//
// The position in data lane i, 1 <= i <= 7, is at bits [B*(7-i) +: B]. Wiring only.
//
// Parameters
//   W  bits of a lane: 32 (a block of 256 bits) or 64 (512)
// Latency: combinational
// Source: format version 1, Positions of package fallback
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_positions #(
    parameter W = 32
) (
    input  wire [63:0]                               g,
    output wire [`BLOOMLANE_DATA_LANES*$clog2(W)-1:0] positions
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
    endgenerate

    localparam KEY = `BLOOMLANE_DATA_LANES * $clog2(W);

    assign positions = g[63 -: KEY];

    wire unused = &{1'b0, g[63-KEY:0]};
endmodule

`default_nettype wire
