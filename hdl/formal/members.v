// No false negative in any history. Two members of a block are safe when both are found and every
// column where they share a bit is marked in lane 0. By induction over the operations, any two
// members of any history are safe (a key that was inserted twice is two members):
//
//   insert  a new member is safe with each old one, and the old ones stay safe with one another
//   delete  of a member, which is safe with another: that one is still found; of a member that is safe
//           with two others: those stay safe with one another
//   merge   a member of either side is safe with each of the other, and a side's own stay safe
//
// So a member is found for as long as it is one, whatever others are inserted, deleted or merged in.
`include "bloomlane_params.vh"

module members #(parameter W = 32) (
    input [8*W-1:0]         block, other,
    input [7*$clog2(W)-1:0] a, b, c
);
    wire [8*W-1:0] am, bm, cm, inserted, deleted, merged;
    wire [1:0]     ri, rd;
    bloomlane_mask #(.W(W)) mask_a (a, am);
    bloomlane_mask #(.W(W)) mask_b (b, bm);
    bloomlane_mask #(.W(W)) mask_c (c, cm);
    formal_op #(.W(W)) insert_c (`BLOOMLANE_INSERT, block, cm, inserted, ri);
    formal_op #(.W(W)) delete_c (`BLOOMLANE_DELETE, block, cm, deleted, rd);
    formal_merge #(.W(W)) merge (block, other, merged);

    function present(input [8*W-1:0] s, input [8*W-1:0] m);
        present = (s & m) == m;
    endfunction

    function safe(input [8*W-1:0] s, input [8*W-1:0] m, input [8*W-1:0] n);
        safe = present(s, m) && present(s, n) && (m & n & ~{8{s[W-1:0]}}) == 0;
    endfunction

    always @* begin
        if (present(block, am)) assert (safe(inserted, am, cm));
        if (safe(block, am, cm)) assert (present(deleted, am));
        if (safe(block, am, bm)) begin
            assert (safe(inserted, am, bm));
            assert (safe(merged, am, bm));
            if (safe(block, am, cm) && safe(block, bm, cm)) begin
                assert (safe(deleted, am, bm));
                assert (rd != `BLOOMLANE_ABSENT);
            end
        end
        if (safe(other, am, bm)) assert (safe(merged, am, bm));
        if (present(block, am) && present(other, bm)) assert (safe(merged, am, bm));
    end

    // What may come: a history has each.
    always @* begin
        cover (a == b);
        cover (a == c);
        cover (a != b && safe(block, am, bm));
        cover (a != c && safe(block, am, cm) && rd == `BLOOMLANE_DELETED);
        cover (safe(block, am, bm) && a != b && am[W +: W] == bm[W +: W]);
        cover (safe(other, am, bm) && !present(block, am));
        cover (block == 0);
        cover (&block);
        cover (rd == `BLOOMLANE_RETAINED);
    end
endmodule
