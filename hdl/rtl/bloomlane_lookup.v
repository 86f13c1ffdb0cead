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
    wire [`BLOOMLANE_LANES-1:0] hit;

    bloomlane_hit #(.W(W), .POSITIONS(1)) hit_inst (.block(block), .key(positions), .hit(hit));

    assign present = &hit;
endmodule

`default_nettype wire
