// Merge is commutative and associative, keeps the keys of both sides, and after a delete of a key of
// one side the keys of the other are still found. With a mask as one side it is the insert.
`include "bloomlane_params.vh"

module merge #(parameter W = 32) (
    input [8*W-1:0]         x, y, z,
    input [7*$clog2(W)-1:0] a, b
);
    wire [8*W-1:0] xy, yx, yz, xy_z, x_yz, am, bm, deleted, inserted;
    wire [1:0]     rd, ri;
    formal_merge #(.W(W)) merge_xy (x, y, xy);
    formal_merge #(.W(W)) merge_yx (y, x, yx);
    formal_merge #(.W(W)) merge_yz (y, z, yz);
    formal_merge #(.W(W)) merge_xy_z (xy, z, xy_z);
    formal_merge #(.W(W)) merge_x_yz (x, yz, x_yz);
    bloomlane_mask #(.W(W)) mask_a (a, am);
    bloomlane_mask #(.W(W)) mask_b (b, bm);
    formal_op #(.W(W)) delete_a (`BLOOMLANE_DELETE, xy, am, deleted, rd);
    formal_op #(.W(W)) insert_y (`BLOOMLANE_INSERT, x, y, inserted, ri);

    wire a_in_x = (x & am) == am;
    wire b_in_y = (y & bm) == bm;

    always @* begin
        assert (xy == yx);
        assert (xy_z == x_yz);
        if (a_in_x) assert ((xy & am) == am);
        if (b_in_y) assert ((xy & bm) == bm);
        if (a_in_x && b_in_y) assert ((deleted & bm) == bm);
        assert (inserted == xy);
    end

    // What may come: a history has each.
    always @* begin
        cover (a == b);
        cover (a_in_x && b_in_y && a != b);
        cover (x == y && x != 0);
        cover (x == 0);
        cover (&x);
        cover ((x & y) == 0 && x != 0 && y != 0);
        cover (rd == `BLOOMLANE_DELETED);
    end
endmodule
