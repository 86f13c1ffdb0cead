// The query of a key by its stored positions: whether the block has the key's bit in every data lane.
//
// It equals bloomlane_query on the key's mask, but picks seven bits instead of comparing 8*W, and
// an element costs 7*B flip-flops, B = log2 W, instead of 8*W.
//
// Parameters
//   W  bits of a lane: 32 (a block of 256 bits) or 64 (512)
// Latency: combinational
// Source: format version 1, Query of package fallback
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_lookup #(
    parameter W = 32
) (
    input  wire [`BLOOMLANE_LANES*W-1:0]              block,     // lane i at [W*i +: W]
    input  wire [`BLOOMLANE_DATA_LANES*$clog2(W)-1:0] positions, // lane i at [B*(7-i) +: B]
    output wire                                       present
);
    localparam B = $clog2(W);

    wire [`BLOOMLANE_LANES-1:0] hit;
    assign hit[0] = 1'b1; // a key owns nothing in lane 0

    genvar i;
    generate
        for (i = 1; i < `BLOOMLANE_LANES; i = i + 1) begin : lane
            wire [W-1:0] bits     = block[W*i +: W];
            wire [B-1:0] position = positions[B*(`BLOOMLANE_DATA_LANES-i) +: B];
            assign hit[i] = bits[position];
        end
    endgenerate

    assign present = &hit;

    wire unused = &{1'b0, block[W-1:0]};
endmodule

`default_nettype wire
