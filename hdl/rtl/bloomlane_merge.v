// The union of two blocks: of their bits and of their collided regions, with a collision in every
// column where both have the bit of some data lane.
//
// With a key's mask as one side it is the insert. Commutative and associative; of two blocks that
// were only inserted into, it is the block of all the inserts one after another.
//
// Parameters
//   W  bits of a lane: 32 (a block of 256 bits) or 64 (512)
// Latency: combinational, two LUT6 levels
// Source: Rothenberg, Macapuna, Verdi, Magalhães, "The Deletable Bloom Filter: A New Member of the
//   Bloom Family", IEEE Communications Letters 2010; MergeBlock of package fallback is the definition
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_merge #(
    parameter W = 32
) (
    input  wire [`BLOOMLANE_LANES*W-1:0] x, // lane i at [W*i +: W]
    input  wire [`BLOOMLANE_LANES*W-1:0] y,
    output wire [`BLOOMLANE_LANES*W-1:0] merged
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
    endgenerate

    // Column by column: what both sides have, in the data lanes.
    reg [W-1:0] collided;
    integer lane;

    always @* begin
        collided = {W{1'b0}};
        for (lane = 1; lane < `BLOOMLANE_LANES; lane = lane + 1)
            collided = collided | (x[W*lane +: W] & y[W*lane +: W]);
    end

    assign merged = (x | y) | {{`BLOOMLANE_DATA_LANES*W{1'b0}}, collided};
endmodule

`default_nettype wire
