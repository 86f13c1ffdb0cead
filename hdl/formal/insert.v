// No false negative: after an insert, into any block, the key is found, and so is every key that was.
`include "bloomlane_params.vh"

module insert #(parameter W = 32) (
    input [8*W-1:0]         block,
    input [7*$clog2(W)-1:0] a, // the inserted key
    input [7*$clog2(W)-1:0] b  // any other
);
    wire [8*W-1:0] a_mask, b_mask, after;
    wire [1:0]     result;
    wire           a_before, a_after, b_before, b_after;
    bloomlane_mask #(.W(W)) mask_a (a, a_mask);
    bloomlane_mask #(.W(W)) mask_b (b, b_mask);
    bloomlane_query #(.W(W)) query_a0 (block, a_mask, a_before);
    bloomlane_query #(.W(W)) query_b0 (block, b_mask, b_before);
    formal_op #(.W(W)) op (`BLOOMLANE_INSERT, block, a_mask, after, result);
    bloomlane_query #(.W(W)) query_a1 (after, a_mask, a_after);
    bloomlane_query #(.W(W)) query_b1 (after, b_mask, b_after);

    always @* begin
        assert (a_after);
        if (b_before) assert (b_after);
        assert (result == {1'b0, a_before});
    end

    // What may come: a history has each.
    always @* begin
        cover (a == b);
        cover (a != b);
        cover (block == 0);
        cover (&block);
        cover (result == 0);
        cover (b_before);
    end
endmodule
