// The mask of a key from its stored positions: one bit in every data lane, lane 0 empty.
//
// Parameters
//   W  bits of a lane: 32 (a block of 256 bits) or 64 (512)
// Latency: combinational, one LUT6 a bit
// Source: format version 1, Mask of package fallback
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_mask #(
    parameter W = 32
) (
    input  wire [`BLOOMLANE_DATA_LANES*$clog2(W)-1:0] positions, // lane i at [B*(7-i) +: B]
    output wire [`BLOOMLANE_LANES*W-1:0]              mask       // lane i at [W*i +: W]
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
    endgenerate

    localparam B = $clog2(W);

    assign mask[W-1:0] = {W{1'b0}};

    genvar i;
    generate
        for (i = 1; i < `BLOOMLANE_LANES; i = i + 1) begin : lane
            assign mask[W*i +: W] = {{W-1{1'b0}}, 1'b1} << positions[B*(`BLOOMLANE_DATA_LANES-i) +: B];
        end
    endgenerate
endmodule

`default_nettype wire
