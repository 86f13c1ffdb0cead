// In which lanes a block has every bit of a key; where all of them do, the key is present.
//
// It is the first half of bloomlane_lookup, which a matcher cuts off by a register. A key that is
// stored positions owns nothing in lane 0, which then always has it.
//
// Parameters
//   W          bits of a lane: 32 (a block of 256 bits) or 64 (512)
//   POSITIONS  1: key is stored positions, lane i at [B*(7-i) +: B], B = log2 W
//              0: key is a mask of any pattern, lane i at [W*i +: W]
// Latency: combinational: a W:1 multiplexer a lane, or a comparison of W bits
// Source: format version 1, Query and QueryMask of package fallback
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_hit #(
    parameter W         = 32,
    parameter POSITIONS = 1
) (
    input  wire [`BLOOMLANE_LANES*W-1:0] block, // lane i at [W*i +: W]
    input  wire [(POSITIONS != 0 ? `BLOOMLANE_DATA_LANES*$clog2(W) : `BLOOMLANE_LANES*W)-1:0] key,
    output wire [`BLOOMLANE_LANES-1:0]   hit
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
        if (!(POSITIONS == 0 || POSITIONS == 1)) begin : refused_POSITIONS
            POSITIONS_must_be_0_or_1 refused ();
        end
    endgenerate

    localparam B = $clog2(W);

    genvar i;
    generate
        if (POSITIONS != 0) begin : positions
            assign hit[0] = 1'b1;

            for (i = 1; i < `BLOOMLANE_LANES; i = i + 1) begin : lane
                wire [W-1:0] bits     = block[W*i +: W];
                wire [B-1:0] position = key[B*(`BLOOMLANE_DATA_LANES-i) +: B];
                assign hit[i] = bits[position];
            end

            wire unused = &{1'b0, block[W-1:0]};
        end else begin : mask
            for (i = 0; i < `BLOOMLANE_LANES; i = i + 1) begin : lane
                assign hit[i] = ~|(key[W*i +: W] & ~block[W*i +: W]);
            end
        end
    endgenerate
endmodule

`default_nettype wire
