// The table engine equals a memory that takes one operation after another: every result, on any stream
// of addresses, one operation a clock or with gaps. Bounded, with few blocks, and keys that lie in few
// columns, where they meet.
`include "bloomlane_params.vh"

module table_sequence #(parameter W = 32, parameter LOG2_BLOCKS = 1, parameter LOG2_COLUMNS = 1) (
    input clk, input rst,
    input in_valid, input [1:0] in_op, input [LOG2_BLOCKS-1:0] in_index, input [7*LOG2_COLUMNS-1:0] in_columns
);
    localparam LATENCY = 5;
    localparam B       = $clog2(W);

    wire [7*B-1:0] in_positions;
    genvar lane;
    generate
        for (lane = 0; lane < 7; lane = lane + 1) begin : widen
            assign in_positions[B*lane +: B] = in_columns[LOG2_COLUMNS*lane +: LOG2_COLUMNS];
        end
    endgenerate

    wire       ready, out_valid;
    wire [1:0] out_result;

    bloomlane_table_core #(.W(W), .LOG2_BLOCKS(LOG2_BLOCKS)) engine (
        .clk(clk), .rst(rst), .ready(ready), .in_valid(in_valid), .in_op(in_op), .in_index(in_index),
        .in_positions(in_positions), .out_valid(out_valid), .out_result(out_result)
    );

    // The definition: the block as it stands, the core, the block after.
    reg  [8*W-1:0] blocks [0:(1<<LOG2_BLOCKS)-1];
    wire [8*W-1:0] mask, after;
    wire [1:0]     result;
    wire [8*W-1:0] block;
    bloomlane_mask #(.W(W)) decode (in_positions, mask);
    bloomlane_core #(.W(W)) core (.op(in_op), .block(block), .mask(mask), .after(after), .result(result));

    reg                   started = 1'b0;
    reg [LATENCY-1:0]     valid = 0;
    reg [2*LATENCY-1:0]   results;

    // The blocks that the operations just before started from, for the planted bugs.
    reg [8*W-1:0]         before_1, before_2, before_3;
    reg [LOG2_BLOCKS-1:0] index_1, index_2, index_3;
    reg                   valid_1 = 1'b0, valid_2 = 1'b0, valid_3 = 1'b0;

`ifdef BUG_STALE_1 // the operation just before is not seen
    assign block = valid_1 && in_index == index_1 ? before_1 : blocks[in_index];
`elsif BUG_STALE_2 // nor what it follows two clocks later
    assign block = valid_2 && in_index == index_2 && !(valid_1 && in_index == index_1) ? before_2 : blocks[in_index];
`elsif BUG_STALE_3
    assign block = valid_3 && in_index == index_3 && !(valid_1 && in_index == index_1) &&
                   !(valid_2 && in_index == index_2) ? before_3 : blocks[in_index];
`else
    assign block = blocks[in_index];
`endif

    integer i;
    always @(posedge clk) begin
        started <= 1'b1;
        valid   <= {valid, in_valid && ready};
        results <= {results, result};
        if (in_valid && ready) blocks[in_index] <= after;
        {before_3, before_2, before_1} <= {before_2, before_1, block};
        {index_3, index_2, index_1}    <= {index_2, index_1, in_index};
        {valid_3, valid_2, valid_1}    <= {valid_2, valid_1, in_valid && ready};
        if (rst) begin
            valid <= 0;
            {valid_3, valid_2, valid_1} <= 3'd0;
            for (i = 0; i < 1 << LOG2_BLOCKS; i = i + 1) blocks[i] <= 0;
        end
    end

    always @* begin
        assume (rst == !started);
        if (started) begin
            assert (out_valid == valid[LATENCY-1]);
            if (out_valid) assert (out_result == results[2*LATENCY-1 -: 2]);
        end
    end
endmodule
