// Whether every bit of a mask is set in a block, over all lanes: present = ((block & mask) == mask).
//
// The mask may be any pattern; its lane 0 takes part, and an empty mask is present.
//
// Parameters
//   W  bits of a lane: 32 (a block of 256 bits) or 64 (512)
// Latency: combinational, a tree over 8*W pairs of bits
// Source: the membership test of a Bloom filter; of a packet header with a link's identifier, LIPSIN
//   (Jokela, Zahemszky, Rothenberg, Arianfar, Nikander, SIGCOMM 2009), Algorithm 1
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_query #(
    parameter W = 32
) (
    input  wire [`BLOOMLANE_LANES*W-1:0] block, // lane i at [W*i +: W]
    input  wire [`BLOOMLANE_LANES*W-1:0] mask,
    output wire                          present
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
    endgenerate

    assign present = ~|(mask & ~block);
endmodule

`default_nettype wire
