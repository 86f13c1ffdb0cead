// The table engine is a memory that takes one operation after another: every result, on any stream of operations on
// any blocks, one a clock or with gaps, with resets at any time. Unbounded, by induction.
//
// One block is followed, which may be any. The model has it in a register, and does an operation on it, by
// bloomlane_core, in the clock in which the engine decides: three clocks after it came, and in the order in which
// they came. The invariant is that whatever the engine takes the block from, be it the memory or what it forwards,
// is the model's block at that stage.
`include "bloomlane_params.vh"

module table_sequence #(parameter W = 32, parameter LOG2_BLOCKS = 1) (
    input clk, input rst,
    input in_valid, input [1:0] in_op, input [LOG2_BLOCKS-1:0] in_index, input [7*$clog2(W)-1:0] in_positions
);
    localparam B      = $clog2(W);
    localparam BLOCKS = 1 << LOG2_BLOCKS;

    (* anyconst *) reg [LOG2_BLOCKS-1:0] which;

    wire       ready, out_valid;
    wire [1:0] out_result;

    bloomlane_table_core #(.W(W), .LOG2_BLOCKS(LOG2_BLOCKS)) engine (
        .clk(clk), .rst(rst), .ready(ready), .in_valid(in_valid), .in_op(in_op), .in_index(in_index),
        .in_positions(in_positions), .out_valid(out_valid), .out_result(out_result)
    );

    // The engine's own wires: flatten connects a wire of this attribute to the one of its name.
    (* hierconn *) wire [LOG2_BLOCKS:0]   \engine.clear_reg ;
    (* hierconn *) wire [LOG2_BLOCKS-1:0] \engine.read_index_reg , \engine.extract_index_reg , \engine.decide_index_reg ;
    (* hierconn *) wire [1:0]             \engine.read_op_reg , \engine.extract_op_reg ;
    (* hierconn *) wire [7*B-1:0]         \engine.read_positions_reg , \engine.extract_positions_reg ;
    (* hierconn *) wire \engine.read_valid_reg , \engine.extract_valid_reg , \engine.decide_valid_reg , \engine.result_valid_reg ;
    (* hierconn *) wire \engine.read_is_result_reg , \engine.extract_is_decide_reg , \engine.extract_is_result_reg , \engine.decide_is_result_reg ;
    (* hierconn *) wire \engine.decide_insert_reg , \engine.decide_delete_reg , \engine.decide_pass_reg , \engine.decide_write_reg ;
    (* hierconn *) wire \engine.result_delete_reg , \engine.result_pass_reg ;
    (* hierconn *) wire [7:1] \engine.extract_same_reg , \engine.decide_bit_reg , \engine.decide_gone_reg , \engine.result_bit_reg , \engine.result_gone_reg , \engine.result_free_reg ;
    (* hierconn *) wire [8*W-1:0] \engine.read_block_reg , \engine.extract_block_reg , \engine.extract_mask_reg , \engine.decide_block , \engine.decide_block_reg , \engine.decide_mask_reg , \engine.result_block_reg ;
    (* hierconn *) wire [8*W-1:W] \engine.extract_from ;
    (* hierconn *) wire [8*W-1:0] \engine.memory[0] , \engine.memory[1] , \engine.memory[2] , \engine.memory[3] ;
    wire [32*W-1:0] memory = {\engine.memory[3] , \engine.memory[2] , \engine.memory[1] , \engine.memory[0] };
    wire [8*W-1:0]  stored = memory >> 8 * W * which;

    // ---- the model: operations 1 to 5 clocks after they came, of which the third has its turn

    reg                   valid_1, valid_2, valid_3, valid_4, valid_5;
    reg [1:0]             op_1, op_2, op_3;
    reg [LOG2_BLOCKS-1:0] index_1, index_2, index_3;
    reg [7*B-1:0]         positions_1, positions_2, positions_3;
    reg                   mine_4, mine_5;  // it was on the block that is followed
    reg [1:0]             result_4, result_5;
    reg [8*W-1:0]         block, before_4; // as it is now, and as the operation ahead found it

    wire [8*W-1:0] mask_2, mask_3, after, seen;
    wire [1:0]     result;
    wire           mine_1 = valid_1 && index_1 == which;
    wire           mine_2 = valid_2 && index_2 == which;
    wire           mine_3 = valid_3 && index_3 == which;

`ifdef BUG_STALE_1 // the operation just ahead is not seen
    assign seen = mine_4 ? before_4 : block;
`elsif BUG_STALE_2 // nor the one two clocks ahead
    reg [8*W-1:0] before_5;
    always @(posedge clk) before_5 <= before_4;
    assign seen = mine_5 && !mine_4 ? before_5 : block;
`elsif BUG_STALE_3
    reg           mine_6;
    reg [8*W-1:0] before_5, before_6;
    always @(posedge clk) {mine_6, before_6, before_5} <= {mine_5, before_5, before_4};
    assign seen = mine_6 && !mine_5 && !mine_4 ? before_6 : block;
`else
    assign seen = block;
`endif

    bloomlane_mask #(.W(W)) decode_2 (positions_2, mask_2);
    bloomlane_mask #(.W(W)) decode_3 (positions_3, mask_3);
    bloomlane_core #(.W(W)) core (.op(op_3), .block(seen), .mask(mask_3), .after(after), .result(result));

    reg started = 1'b0;
    always @(posedge clk) begin
        started <= 1'b1;
        {valid_5, valid_4, valid_3, valid_2, valid_1} <= {valid_4, valid_3, valid_2, valid_1, in_valid && ready};
        {op_3, op_2, op_1}                            <= {op_2, op_1, in_op};
        {index_3, index_2, index_1}                   <= {index_2, index_1, in_index};
        {positions_3, positions_2, positions_1}       <= {positions_2, positions_1, in_positions};
        {mine_5, mine_4}                              <= {mine_4, mine_3};
        {result_5, result_4}                          <= {result_4, result};
        before_4                                      <= block;
        if (mine_3) block <= after;
        if (rst) begin
            {valid_5, valid_4, valid_3, valid_2, valid_1} <= 5'd0;
            {mine_5, mine_4} <= 2'd0;
            block <= {8*W{1'b0}};
        end
    end

    // ---- the engine against the model

    wire           clearing    = \engine.clear_reg < BLOCKS;
    wire           changes     = op_3 == `BLOOMLANE_INSERT || op_3 == `BLOOMLANE_DELETE;
    wire [8*W-1:0] read_of     = \engine.read_is_result_reg ? \engine.result_block_reg : \engine.read_block_reg ;
    wire [8*W-1:0] extract_of  = \engine.extract_is_result_reg ? \engine.result_block_reg : \engine.extract_block_reg ;
    reg [7:1]      same, found;
    integer        i;
    always @* for (i = 1; i < 8; i = i + 1) begin
        same[i]  = mine_3 && positions_2[B*(7-i) +: B] == positions_3[B*(7-i) +: B];
        found[i] = |(block[W*i +: W] & mask_3[W*i +: W]);
    end

    always @* if (!started) assume (rst);

    always @* if (started) begin
        // The clearing: blocks below the one that is written are empty, and no operation is under way.
        assert (\engine.clear_reg <= BLOCKS);
        assert (ready == (!clearing && ready));
        if (!ready) assert (!valid_1 && !valid_2 && !valid_3 && !valid_4 && !valid_5 && block == 0);
        if (!ready && \engine.clear_reg != 0)
            assert (\engine.decide_write_reg && \engine.decide_index_reg == \engine.clear_reg - 1'b1 &&
                    \engine.decide_block == 0 && !\engine.decide_insert_reg && !\engine.decide_delete_reg );
        if (ready || which + 2'd1 < \engine.clear_reg ) assert (stored == block);

        // The stages hold the operations that came.
        assert (\engine.read_valid_reg == valid_1 && \engine.extract_valid_reg == valid_2);
        assert (\engine.decide_valid_reg == valid_3 && \engine.result_valid_reg == valid_4);
        if (valid_1) assert (\engine.read_op_reg == op_1 && \engine.read_index_reg == index_1 &&
                             \engine.read_positions_reg == positions_1);
        if (valid_2) assert (\engine.extract_op_reg == op_2 && \engine.extract_index_reg == index_2 &&
                             \engine.extract_positions_reg == positions_2 && \engine.extract_mask_reg == mask_2);
        if (valid_3) assert (\engine.decide_insert_reg == (op_3 == `BLOOMLANE_INSERT) &&
                             \engine.decide_delete_reg == (op_3 == `BLOOMLANE_DELETE) &&
                             \engine.decide_pass_reg == (op_3 == `BLOOMLANE_PASS) &&
                             \engine.decide_index_reg == index_3 && \engine.decide_mask_reg == mask_3);
        if (ready) assert (\engine.decide_write_reg == (valid_3 && changes));

        // Each has the block as it is, whichever way it took.
        if (mine_1) assert (read_of == block);
        if (mine_2) begin
            assert (extract_of == block);
            assert (\engine.extract_from == block[8*W-1:W]);
            assert (\engine.extract_is_decide_reg == mine_3);
            assert (\engine.extract_same_reg == same);
        end
        if (mine_3) begin
            assert (\engine.decide_block == block);
            assert ((\engine.decide_bit_reg & ~\engine.decide_gone_reg ) == found);
        end

        // The results.
        if (mine_4)
            assert (result_4 == (\engine.result_pass_reg                                            ? 2'd0 :
                                 !(&\engine.result_bit_reg ) || |\engine.result_gone_reg             ? `BLOOMLANE_ABSENT :
                                 \engine.result_delete_reg && |\engine.result_free_reg               ? `BLOOMLANE_DELETED : 2'd1));
        assert (out_valid == valid_5);
        if (mine_5) assert (out_result == result_5);
    end
endmodule
