// One operation on the letter's own filter, to hold against bloomlane_core: an experiment, no part of the product.
//
// The first R bits of the block are the collision bitmap, and M - R cells follow, in R regions of the same
// length, of which the last may be shorter. An element has K cells anywhere, which may coincide: a cell that is
// set already is a collision, even if another cell of the same element set it. Operations and results are
// those of bloomlane_core.
//
// Parameters
//   M  bits of the block, at least 4
//   K  cells of an element, at least 1
//   R  regions, 1 to M / 2
// Latency: combinational
// Source: Rothenberg et al., "The Deletable Bloom Filter", IEEE Communications Letters 2010, section III;
//   Array of filter/family/dlbf
`include "bloomlane_params.vh"
`default_nettype none

module letter_core #(
    parameter M = 240,
    parameter K = 5,
    parameter R = 24
) (
    input  wire [1:0]               op,    // BLOOMLANE_QUERY, _INSERT, _DELETE or _PASS
    input  wire [M-1:0]             block,
    input  wire [K*$clog2(M-R)-1:0] cells, // cell i at [i*$clog2(M-R) +: $clog2(M-R)], below M - R
    output wire [M-1:0]             after,
    output wire [1:0]               result
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(M >= 4 && K >= 1 && R >= 1 && 2 * R <= M)) begin : refused_shape
            M_K_R_must_be_a_shape refused ();
        end
    endgenerate

    localparam CELLS  = M - R;
    localparam REGION = (CELLS + R - 1) / R;
    localparam C      = $clog2(CELLS);

    wire [CELLS-1:0] data = block[M-1:R];
    reg  [CELLS-1:0] mask;   // the element's cells
    reg  [CELLS-1:0] twice;  // those that it has more than once
    reg  [R-1:0]     collided;
    reg  [CELLS-1:0] free;   // of collisions in their region
    integer          i, c;

    always @* begin
        mask     = {CELLS{1'b0}};
        twice    = {CELLS{1'b0}};
        collided = block[R-1:0];
        for (i = 0; i < K; i = i + 1)
            for (c = 0; c < CELLS; c = c + 1)
                if (cells[C*i +: C] == c[C-1:0]) begin
                    twice[c] = mask[c];
                    mask[c]  = 1'b1;
                end
        for (c = 0; c < CELLS; c = c + 1) begin
            collided[c/REGION] = collided[c/REGION] || mask[c] && data[c] || twice[c];
            free[c]            = !block[c/REGION];
        end
    end

    wire present = &(data | ~mask);

    assign after = op == `BLOOMLANE_INSERT            ? {data | mask, collided} :
                   op == `BLOOMLANE_DELETE && present ? {data & ~(mask & free), block[R-1:0]} : block;

    assign result = op == `BLOOMLANE_PASS                      ? 2'd0 :
                    !present                                   ? `BLOOMLANE_ABSENT :
                    op == `BLOOMLANE_DELETE && |(mask & free)  ? `BLOOMLANE_DELETED : 2'd1;
endmodule

`default_nettype wire
