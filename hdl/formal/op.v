// What the proofs drive: bloomlane_core on a key or a mask, and bloomlane_merge, with the planted bugs of the
// negative controls. A control defines one BUG_ macro, and the proof must then fail.
`include "bloomlane_params.vh"
`default_nettype none

module formal_op #(parameter W = 32) (
    input  wire [1:0]                    op,
    input  wire [`BLOOMLANE_LANES*W-1:0] block,
    input  wire [`BLOOMLANE_LANES*W-1:0] mask,
    output reg  [`BLOOMLANE_LANES*W-1:0] after,
    output reg  [1:0]                    result
);
    wire [`BLOOMLANE_LANES*W-1:0] good_after;
    wire [1:0]                    good_result;
    bloomlane_core #(.W(W)) core (.op(op), .block(block), .mask(mask), .after(good_after), .result(good_result));

    wire inserting = op == `BLOOMLANE_INSERT;
    wire deleting  = op == `BLOOMLANE_DELETE;
    wire [`BLOOMLANE_LANES*W-1:0] data = {mask[`BLOOMLANE_LANES*W-1:W], {W{1'b0}}};

    always @* begin
        after  = good_after;
        result = good_result;
`ifdef BUG_LOST // insert loses the last lane's bits
        if (inserting) after[7*W +: W] = block[7*W +: W];
`endif
`ifdef BUG_TOGGLE // insert toggles
        if (inserting) after[`BLOOMLANE_LANES*W-1:W] = block[`BLOOMLANE_LANES*W-1:W] ^ mask[`BLOOMLANE_LANES*W-1:W];
`endif
`ifdef BUG_VISIBLE // insert skips a key that is visible already
        if (inserting && result == 2'd1) after = block;
`endif
`ifdef BUG_COLLIDED // delete also clears what collided
        if (deleting && result != `BLOOMLANE_ABSENT) after = block & ~data;
`endif
`ifdef BUG_LANE0 // delete clears the collisions of its columns
        if (deleting && result == `BLOOMLANE_RETAINED) after[W-1:0] = block[W-1:0] & ~mask[W +: W];
`endif
`ifdef BUG_PARTIAL // delete clears what it finds of an absent key
        if (deleting) after = block & ~(data & ~{`BLOOMLANE_LANES{block[W-1:0]}});
`endif
`ifdef BUG_STATUS // a retained key is reported as deleted
        if (deleting && result != `BLOOMLANE_ABSENT) result = `BLOOMLANE_DELETED;
`endif
    end
endmodule

module formal_merge #(parameter W = 32) (
    input  wire [`BLOOMLANE_LANES*W-1:0] x,
    input  wire [`BLOOMLANE_LANES*W-1:0] y,
    output reg  [`BLOOMLANE_LANES*W-1:0] merged
);
    wire [`BLOOMLANE_LANES*W-1:0] good;
    bloomlane_merge #(.W(W)) merge (.x(x), .y(y), .merged(good));

    always @* begin
        merged = good;
`ifdef BUG_UNMARKED // the union alone
        merged = x | y;
`endif
`ifdef BUG_ONESIDED // the other side's collisions are lost
        merged[W-1:0] = good[W-1:0] & ~(y[W-1:0] & ~x[W-1:0]);
`endif
`ifdef BUG_ODD // collisions of both sides cancel out
        merged[W-1:0] = x[W-1:0] ^ y[W-1:0];
`endif
    end
endmodule

`default_nettype wire
