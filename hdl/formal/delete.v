// A delete, of a mask of any pattern from any block, touches neither lane 0 nor a collided column, and
// sets no bit. Absent: some data bit is missing and nothing changes. Deleted: something changes.
// Retained: present, and nothing changes. A query and a pass change nothing.
`include "bloomlane_params.vh"

module delete #(parameter W = 32) (
    input [8*W-1:0] block,
    input [8*W-1:0] mask,
    input           passing
);
    wire [8*W-1:0] after, same;
    wire [1:0]     status, result;
    formal_op #(.W(W)) op (`BLOOMLANE_DELETE, block, mask, after, status);
    formal_op #(.W(W)) idle (passing ? `BLOOMLANE_PASS : `BLOOMLANE_QUERY, block, mask, same, result);

    wire [8*W-1:0] data = {mask[8*W-1:W], {W{1'b0}}};
    wire           present;
    bloomlane_query #(.W(W)) query (block, data, present);

    always @* begin
        assert (after[W-1:0] == block[W-1:0]);
        assert (((block ^ after) & {8{block[W-1:0]}}) == 0);
        assert ((after & ~block) == 0);
        assert (((block ^ after) & ~data) == 0);
        assert ((status == `BLOOMLANE_ABSENT) == !present);
        assert ((status == `BLOOMLANE_DELETED) == (after != block));
        assert ((status == `BLOOMLANE_RETAINED) == (present && after == block));
        assert (same == block);
        assert (result == {1'b0, !passing && (block & mask) == mask});
    end

    // What may come: a history has each.
    always @* begin
        cover (block == 0);
        cover (&block);
        cover (mask == 0);
        cover (&mask);
        cover (status == `BLOOMLANE_ABSENT);
        cover (status == `BLOOMLANE_RETAINED);
        cover (status == `BLOOMLANE_DELETED);
        cover (passing);
        cover (!passing && result == 1);
    end
endmodule
