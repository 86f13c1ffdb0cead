// The table engine is a memory that takes one operation after another: every result, on any stream of operations on
// any blocks, one a clock or with gaps, with resets at any time. Unbounded, by induction.
//
// One block is followed, which may be any. The model has it in a register, and does an operation on it, by
// bloomlane_core, in the clock in which the engine decides, and in the order in which they came. The invariant is
// that whatever the engine takes the block from, be it the memory or what it forwards, is the model's block at
// that stage.
`include "bloomlane_params.vh"

module table_sequence #(parameter W = 32, parameter LOG2_BLOCKS = 1, parameter READ_STAGES = 1, parameter MERGE = 0) (
    input clk, input rst,
    input in_valid, input [1:0] in_op, input [LOG2_BLOCKS-1:0] in_index, input [7*$clog2(W)-1:0] in_positions,
    input in_merge, input [8*W-1:0] merge_block
);
    localparam B       = $clog2(W);
    localparam BLOCKS  = 1 << LOG2_BLOCKS;
    localparam EXTRACT = READ_STAGES + 1; // clocks after an operation came
    localparam DECIDE  = READ_STAGES + 2;
    localparam RESULT  = READ_STAGES + 3;
    localparam OUT     = READ_STAGES + 4;

    (* anyconst *) reg [LOG2_BLOCKS-1:0] which;

    wire       ready, out_valid;
    wire [1:0] out_result;

    bloomlane_table_core #(.W(W), .LOG2_BLOCKS(LOG2_BLOCKS), .READ_STAGES(READ_STAGES), .MERGE(MERGE)) engine (
        .clk(clk), .rst(rst), .ready(ready), .in_valid(in_valid), .in_op(in_op), .in_index(in_index),
        .in_positions(in_positions), .in_merge(in_merge), .merge_block(merge_block), .out_valid(out_valid), .out_result(out_result)
    );

    // The engine's own wires: flatten connects a wire of this attribute to the one of its name.
    (* hierconn *) wire [LOG2_BLOCKS:0]   \engine.clear_reg ;
    (* hierconn *) wire [LOG2_BLOCKS-1:0] \engine.answer[1].index_reg , \engine.answer[2].index_reg , \engine.answer[3].index_reg ;
    (* hierconn *) wire [LOG2_BLOCKS-1:0] \engine.extract_index_reg , \engine.decide_index_reg ;
    (* hierconn *) wire [1:0]             \engine.answer[1].op_reg , \engine.answer[2].op_reg , \engine.answer[3].op_reg , \engine.extract_op_reg ;
    (* hierconn *) wire [7*B-1:0]         \engine.answer[1].positions_reg , \engine.answer[2].positions_reg , \engine.answer[3].positions_reg ;
    (* hierconn *) wire [7*B-1:0]         \engine.extract_positions_reg ;
    (* hierconn *) wire [1:0]             \engine.answer[1].age_reg , \engine.answer[2].age_reg , \engine.answer[3].age_reg ;
    (* hierconn *) wire \engine.answer[1].merge_reg , \engine.answer[2].merge_reg , \engine.answer[3].merge_reg , \engine.extract_merge_reg ;
    (* hierconn *) wire \engine.answer[1].valid_reg , \engine.answer[2].valid_reg , \engine.answer[3].valid_reg ;
    (* hierconn *) wire \engine.extract_valid_reg , \engine.decide_valid_reg , \engine.result_valid_reg ;
    (* hierconn *) wire \engine.extract_is_decide_reg , \engine.extract_is_result_reg , \engine.decide_is_result_reg ;
    (* hierconn *) wire \engine.decide_insert_reg , \engine.decide_delete_reg , \engine.decide_pass_reg , \engine.decide_write_reg ;
    (* hierconn *) wire \engine.result_delete_reg , \engine.result_pass_reg ;
    (* hierconn *) wire [7:1] \engine.extract_same_reg , \engine.decide_bit_reg , \engine.decide_gone_reg , \engine.result_bit_reg , \engine.result_gone_reg , \engine.result_free_reg ;
    (* hierconn *) wire [8*W-1:0] \engine.answer[1].block_reg , \engine.answer[2].block_reg , \engine.answer[3].block_reg ;
    (* hierconn *) wire [8*W-1:0] \engine.extract_block_reg , \engine.extract_mask_reg , \engine.decide_block , \engine.decide_block_reg , \engine.decide_mask_reg , \engine.result_block_reg ;
    (* hierconn *) wire [READ_STAGES*8*W-1:0] \engine.results ;
    (* hierconn *) wire [8*W-1:W] \engine.extract_from ;
    (* hierconn *) wire [8*W-1:0] \engine.memory[0] , \engine.memory[1] , \engine.memory[2] , \engine.memory[3] ;
    wire [32*W-1:0] memory = {\engine.memory[3] , \engine.memory[2] , \engine.memory[1] , \engine.memory[0] };
    wire [8*W-1:0]  stored = memory >> 8 * W * which;

    // Of the stages of the memory's answer, the first in the lowest bits.
    wire [2:0]               answer_valid = {\engine.answer[3].valid_reg , \engine.answer[2].valid_reg , \engine.answer[1].valid_reg };
    wire [2:0]               answer_merge = {\engine.answer[3].merge_reg , \engine.answer[2].merge_reg , \engine.answer[1].merge_reg };
    wire [5:0]               answer_op    = {\engine.answer[3].op_reg , \engine.answer[2].op_reg , \engine.answer[1].op_reg };
    wire [5:0]               answer_age   = {\engine.answer[3].age_reg , \engine.answer[2].age_reg , \engine.answer[1].age_reg };
    wire [3*LOG2_BLOCKS-1:0] answer_index = {\engine.answer[3].index_reg , \engine.answer[2].index_reg , \engine.answer[1].index_reg };
    wire [21*B-1:0]          answer_positions = {\engine.answer[3].positions_reg , \engine.answer[2].positions_reg , \engine.answer[1].positions_reg };
    wire [24*W-1:0]          answer_block = {\engine.answer[3].block_reg , \engine.answer[2].block_reg , \engine.answer[1].block_reg };

    // ---- the model: operations 1 to OUT clocks after they came, the newest in the lowest bits; at DECIDE they have
    // their turn

    reg [OUT:1]                    valid;
    reg [OUT:1]                    merge;
    reg [2*DECIDE-1:0]             op;
    reg [LOG2_BLOCKS*DECIDE-1:0]   index;
    reg [7*B*DECIDE-1:0]           positions;
    reg [DECIDE:1]                 mine;   // it is on the block that is followed
    reg                            mine_result, mine_out;
    reg [1:0]                      result_result, result_out;
    reg [8*W-1:0]                  block;  // as it is now
    reg [8*W-1:0]                  merge_then; // merge_block a clock ago

    wire [1:0]     extract_op = op[2*(EXTRACT-1) +: 2];
    wire [1:0]     decide_op  = op[2*(DECIDE-1) +: 2];
    wire [7*B-1:0] extract_positions = positions[7*B*(EXTRACT-1) +: 7*B];
    wire [7*B-1:0] decide_positions  = positions[7*B*(DECIDE-1) +: 7*B];
    wire [8*W-1:0] extract_mask, decide_key, after, seen;
    wire [1:0]     result;

    integer k;
    always @* for (k = 1; k <= DECIDE; k = k + 1)
        mine[k] = valid[k] && index[LOG2_BLOCKS*(k-1) +: LOG2_BLOCKS] == which;

    // A planted bug: what an operation did STALE clocks ahead is not seen, if none on the block came between.
`ifdef BUG_STALE_1
    localparam STALE = 1;
`elsif BUG_STALE_2
    localparam STALE = 2;
`elsif BUG_STALE_3
    localparam STALE = 3;
`elsif BUG_STALE_4
    localparam STALE = 4;
`elsif BUG_STALE_5
    localparam STALE = 5;
`else
    localparam STALE = 0;
`endif
    generate
        if (STALE > 0) begin : stale
            reg [STALE:1]         mine_then;
            reg [STALE*8*W-1:0]   before;
            always @(posedge clk) begin
                mine_then <= {mine_then, mine[DECIDE] && !rst};
                before    <= {before, block};
            end
            assign seen = mine_then == 1 << STALE - 1 ? before[8*W*(STALE-1) +: 8*W] : block;
        end else begin : current
            assign seen = block;
        end
    endgenerate

    bloomlane_mask #(.W(W)) decode_extract (extract_positions, extract_mask);
    bloomlane_mask #(.W(W)) decode_decide (decide_positions, decide_key);
`ifdef BUG_MERGE // what is marked as collided in a merged block is forgotten
    wire [8*W-1:0] decide_mask = merge[DECIDE] ? {merge_then[8*W-1:W], {W{1'b0}}} : decide_key;
`else
    wire [8*W-1:0] decide_mask = merge[DECIDE] ? merge_then : decide_key;
`endif
    bloomlane_core #(.W(W)) core (.op(decide_op), .block(seen), .mask(decide_mask), .after(after), .result(result));

    reg started = 1'b0;
    always @(posedge clk) begin
        started       <= 1'b1;
        valid         <= {valid, in_valid && ready};
        merge         <= {merge, in_merge && MERGE != 0};
        merge_then    <= merge_block;
        op            <= {op, in_op};
        index         <= {index, in_index};
        positions     <= {positions, in_positions};
        mine_result   <= mine[DECIDE];
        mine_out      <= mine_result;
        result_result <= result;
        result_out    <= result_result;
        if (mine[DECIDE]) block <= after;
        if (rst) begin
            valid <= 0;
            {mine_result, mine_out} <= 2'd0;
            block <= {8*W{1'b0}};
        end
    end

    // ---- the engine against the model

    wire       clearing = \engine.clear_reg < BLOCKS;
    wire       changes  = decide_op == `BLOOMLANE_INSERT || decide_op == `BLOOMLANE_DELETE;
    wire [8*W-1:0] extract_of = \engine.extract_is_result_reg ? \engine.result_block_reg : \engine.extract_block_reg ;
    reg [7:1]  same, found;
    reg [8*W-1:0] answer_of; // the block of a stage of the memory's answer, whichever way it takes
    reg [1:0]  age;
    integer    i;
    always @* for (i = 1; i < 8; i = i + 1) begin
        same[i]  = mine[DECIDE] && (merge[DECIDE] ? |(extract_mask[W*i +: W] & merge_then[W*i +: W]) :
                                    extract_positions[B*(7-i) +: B] == decide_positions[B*(7-i) +: B]);
        found[i] = |(block[W*i +: W] & decide_mask[W*i +: W]);
    end

    always @* if (!started) assume (rst);
    always @* if (|merge[EXTRACT:1]) assume (merge_block == merge_then); // it stands
    always @* if (in_merge) assume (in_op == `BLOOMLANE_INSERT);

    always @* if (started) begin
        // The clearing: blocks below the one that is written are empty, and no operation is under way.
        assert (\engine.clear_reg <= BLOCKS);
        assert (ready == (!clearing && ready));
        if (!ready) assert (valid == 0 && block == 0);
        if (!ready && \engine.clear_reg != 0)
            assert (\engine.decide_write_reg && \engine.decide_index_reg == \engine.clear_reg - 1'b1 &&
                    \engine.decide_block == 0 && !\engine.decide_insert_reg && !\engine.decide_delete_reg );
        if (ready || which + 2'd1 < \engine.clear_reg ) assert (stored == block);

        // The stages hold the operations that came. Each has the block as it is, whichever way it took.
        for (i = 1; i <= DECIDE; i = i + 1)
            assert (!valid[i] || !merge[i] || op[2*(i-1) +: 2] == `BLOOMLANE_INSERT);
        for (i = 1; i <= READ_STAGES; i = i + 1) begin
            age = answer_age[2*(i-1) +: 2];
            answer_of = age == 0 ? answer_block[8*W*(i-1) +: 8*W] : \engine.results >> 8 * W * (age - 1);
            assert (answer_valid[i-1] == valid[i]);
            if (valid[i]) assert (answer_merge[i-1] == merge[i] && answer_op[2*(i-1) +: 2] == op[2*(i-1) +: 2] &&
                                  answer_index[LOG2_BLOCKS*(i-1) +: LOG2_BLOCKS] == index[LOG2_BLOCKS*(i-1) +: LOG2_BLOCKS] &&
                                  answer_positions[7*B*(i-1) +: 7*B] == positions[7*B*(i-1) +: 7*B]);
            if (mine[i]) assert (age <= i && answer_of == block);
        end
        assert (\engine.extract_valid_reg == valid[EXTRACT]);
        assert (\engine.decide_valid_reg == valid[DECIDE] && \engine.result_valid_reg == valid[RESULT]);
        if (valid[EXTRACT]) assert (\engine.extract_merge_reg == merge[EXTRACT] && \engine.extract_op_reg == extract_op &&
                                    \engine.extract_index_reg == index[LOG2_BLOCKS*(EXTRACT-1) +: LOG2_BLOCKS] &&
                                    \engine.extract_positions_reg == extract_positions && \engine.extract_mask_reg == extract_mask);
        if (valid[DECIDE]) assert (\engine.decide_insert_reg == (decide_op == `BLOOMLANE_INSERT) &&
                                   \engine.decide_delete_reg == (decide_op == `BLOOMLANE_DELETE) &&
                                   \engine.decide_pass_reg == (decide_op == `BLOOMLANE_PASS) &&
                                   \engine.decide_index_reg == index[LOG2_BLOCKS*(DECIDE-1) +: LOG2_BLOCKS] &&
                                   \engine.decide_mask_reg == (merge[DECIDE] ? merge_then : decide_key));
        if (ready) assert (\engine.decide_write_reg == (valid[DECIDE] && changes));

        if (mine[EXTRACT]) begin
            assert (extract_of == block);
            assert (\engine.extract_from == block[8*W-1:W]);
            assert (\engine.extract_is_decide_reg == mine[DECIDE]);
            assert (\engine.extract_same_reg == same);
        end
        if (mine[DECIDE]) begin
            assert (\engine.decide_block == block);
            if (!merge[DECIDE]) assert ((\engine.decide_bit_reg & ~\engine.decide_gone_reg ) == found);
        end

        // The results.
        if (mine_result && !merge[RESULT])
            assert (result_result == (\engine.result_pass_reg                                        ? 2'd0 :
                                      !(&\engine.result_bit_reg ) || |\engine.result_gone_reg         ? `BLOOMLANE_ABSENT :
                                      \engine.result_delete_reg && |\engine.result_free_reg           ? `BLOOMLANE_DELETED : 2'd1));
        assert (out_valid == valid[OUT]);
        if (mine_out && !merge[OUT]) assert (out_result == result_out);
    end

    // What may come: a history has each.
    always @* if (started) begin
        cover (in_valid && in_op == `BLOOMLANE_QUERY);
        cover (in_valid && in_op == `BLOOMLANE_INSERT);
        cover (in_valid && in_op == `BLOOMLANE_DELETE);
        cover (in_valid && in_op == `BLOOMLANE_PASS);
        cover (in_valid && rst);
        cover (mine[1] && mine[2]);
        cover (mine[1] && mine[3] && !valid[2]);
        cover (mine[1] && valid[2] && !mine[2] && mine[3]);
        cover (mine[1] && mine[2] && mine[3]);
        cover (mine[2] && positions[0 +: 7*B] == positions[7*B +: 7*B] && mine[1]);
        cover (valid == 0 && !rst);
    end
endmodule
