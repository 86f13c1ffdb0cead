// Of two keys that were inserted into any block, with other inserts before, between and after, either
// can be deleted and the other is still found.
`include "bloomlane_params.vh"

module sequence_of_keys #(parameter W = 32) (
    input [8*W-1:0]         block,
    input [7*$clog2(W)-1:0] a, b, c, d,
    input                   first // delete a, else b
);
    wire [8*W-1:0] am, bm, cm, dm, s1, s2, s3, s4, s5;
    wire [1:0]     r1, r2, r3, r4, r5;
    bloomlane_mask #(.W(W)) mask_a (a, am);
    bloomlane_mask #(.W(W)) mask_b (b, bm);
    bloomlane_mask #(.W(W)) mask_c (c, cm);
    bloomlane_mask #(.W(W)) mask_d (d, dm);
    formal_op #(.W(W)) insert_a (`BLOOMLANE_INSERT, block, am, s1, r1);
    formal_op #(.W(W)) insert_c (`BLOOMLANE_INSERT, s1, cm, s2, r2);
    formal_op #(.W(W)) insert_b (`BLOOMLANE_INSERT, s2, bm, s3, r3);
    formal_op #(.W(W)) insert_d (`BLOOMLANE_INSERT, s3, dm, s4, r4);
    formal_op #(.W(W)) delete_x (`BLOOMLANE_DELETE, s4, first ? am : bm, s5, r5);
    wire present;
    bloomlane_query #(.W(W)) query (s5, first ? bm : am, present);

    always @* begin
        assert (present);
        assert (r5 != `BLOOMLANE_ABSENT);
    end

    // What may come: a history has each.
    always @* begin
        cover (a == b);
        cover (a == b && c == d);
        cover (a != b && b != c);
        cover (first);
        cover (!first);
        cover (block == 0);
        cover (&block);
    end
endmodule
