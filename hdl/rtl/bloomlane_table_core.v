// A table of blocks in block memory: one operation a clock on any stream of addresses, with the
// results of the same operations one after another.
//
//   fetch    the memory is read
//   read     its answer, READ_STAGES clocks later; the key's mask is decoded
//   extract  per data lane, whether the key's bit is set
//   decide   whether all are; the block after, which goes to the memory
//   result   what a delete did; the block after, registered
//
// An operation follows others on its block at 1, 2 or 3 clocks' distance before the memory has what
// they did. At 3 and 2 it takes the registered block in its read and extract stages. At 1 its bits
// are extracted from the block that the one ahead started from, and corrected by what that one did
// to the same position: so that no clock holds both a query and what follows from it for another.
// All comparisons of addresses and positions are registered a stage before they select.
// A memory that answers later has the distances 4 and 5 too. Its answer goes through plain registers,
// which can be the memory's own. The registered block is kept for as long, and each operation counts how many
// clocks ago it was that of its own block: so that it can be taken in the read stage all the same.
//
// After reset the memory is cleared, a block a clock; until then ready is low and operations are
// dropped.
//
// With PARITY a second memory has a bit a lane. It is written a clock behind the blocks' own, from the registered
// block, and read a clock behind: so that no path of the blocks grows. An operation is told that a bit of its block
// has flipped where it read the block from the memory, and not from what is forwarded. A pass reads too.
//
// Parameters
//   W            bits of a lane: 32 (blocks of 256 bits) or 64 (512)
//   LOG2_BLOCKS  log2 of the number of blocks, 1 to 20
//   READ_STAGES  clocks in which the memory answers, 1 to 3: more are for memories with registers at the
//                output, or in a cascade
//   PARITY       1: out_flipped says that a bit of the memory has flipped; 0: it is low
//   MERGE        1: an insert can be of a whole block, by in_merge; 0: in_merge and merge_block are ignored
// Latency: 4 + READ_STAGES clocks, one operation a clock
// Source: Rothenberg et al., "The Deletable Bloom Filter", IEEE Communications Letters 2010;
//   bloomlane_core is the same operation on one block
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_table_core #(
    parameter W           = 32,
    parameter LOG2_BLOCKS = 8,
    parameter READ_STAGES = 1,
    parameter PARITY      = 0,
    parameter MERGE       = 0
) (
    input  wire                                       clk,
    input  wire                                       rst,
    output wire                                       ready,

    input  wire                                       in_valid,
    input  wire [1:0]                                 in_op,
    input  wire [LOG2_BLOCKS-1:0]                     in_index,
    input  wire [`BLOOMLANE_DATA_LANES*$clog2(W)-1:0] in_positions,

    // With an insert: of a block, and not of the key; its result means nothing
    input  wire                                       in_merge,
    input  wire [`BLOOMLANE_LANES*W-1:0]              merge_block, // stands for READ_STAGES + 2 clocks from in_merge on

    output wire                                       out_valid,
    output wire [1:0]                                 out_result,
    output wire                                       out_flipped, // its block had odd parity in the memory
    output wire [`BLOOMLANE_LANES*W-1:0]              next_block   // after the operation whose result comes in the next clock
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(LOG2_BLOCKS >= 1 && LOG2_BLOCKS <= 20)) begin : refused_LOG2_BLOCKS
            LOG2_BLOCKS_must_be_1_to_20 refused ();
        end
        if (!(READ_STAGES >= 1 && READ_STAGES <= 3)) begin : refused_READ_STAGES
            READ_STAGES_must_be_1_to_3 refused ();
        end
        if (!(PARITY == 0 || PARITY == 1)) begin : refused_PARITY
            PARITY_must_be_0_or_1 refused ();
        end
        if (!(MERGE == 0 || MERGE == 1)) begin : refused_MERGE
            MERGE_must_be_0_or_1 refused ();
        end
    endgenerate

    localparam B    = $clog2(W);
    localparam KEY  = `BLOOMLANE_DATA_LANES * B;
    localparam BITS = `BLOOMLANE_LANES * W;
    localparam STAGES = READ_STAGES < 1 ? 1 : READ_STAGES; // also where that is refused

    // ---- clearing: blocks pass through the decide stage, empty

    reg [LOG2_BLOCKS:0] clear_reg; // the next block to clear; its top bit: none is left
    reg                 ready_reg; // … and the last one is written

    wire clearing = !clear_reg[LOG2_BLOCKS];

    assign ready = ready_reg;

    always @(posedge clk) begin
        if (clearing)
            clear_reg <= clear_reg + 1'b1;
        ready_reg <= !clearing;
        if (rst) begin
            clear_reg <= {LOG2_BLOCKS+1{1'b0}};
            ready_reg <= 1'b0;
        end
    end

    // ---- the stages' registers

    reg                   extract_valid_reg;
    reg                   extract_merge_reg;
    reg [1:0]             extract_op_reg;
    reg [LOG2_BLOCKS-1:0] extract_index_reg;
    reg [KEY-1:0]         extract_positions_reg;
    reg [BITS-1:0]        extract_mask_reg;
    reg [BITS-1:0]        extract_block_reg;
    reg                   extract_is_decide_reg;   // its block is that of the decide stage
    reg                   extract_is_result_reg;   // … of the result stage, two ahead
    reg [7:1]             extract_same_reg;        // … and its position in lane i is one of that one's too
    reg                   extract_from_block_reg;  // where the bits are extracted from: one of three
    reg                   extract_from_decide_reg;
    reg                   extract_from_result_reg;

    reg                   decide_valid_reg;
    reg                   decide_insert_reg;
    reg                   decide_delete_reg;
    reg                   decide_pass_reg;
    reg                   decide_write_reg;
    reg [LOG2_BLOCKS-1:0] decide_index_reg;
    reg [BITS-1:0]        decide_mask_reg;
    reg [BITS-1:0]        decide_block_reg;
    reg                   decide_is_result_reg;    // its block is that of the result stage
    reg [7:1]             decide_bit_reg;          // the extracted bits, and what the one ahead inserted
    reg [7:1]             decide_gone_reg;         // … and what it cleared

    reg                   result_valid_reg;
    reg                   result_delete_reg;
    reg                   result_pass_reg;
    reg [7:1]             result_bit_reg;
    reg [7:1]             result_gone_reg;
    reg [7:1]             result_free_reg;         // no collision at the key's bit of lane i
    reg [BITS-1:0]        result_block_reg;

    reg                   out_valid_reg;
    reg [1:0]             out_result_reg;

    // ---- fetch

    (* no_rw_check *)
    reg  [BITS-1:0] memory [0:(1<<LOG2_BLOCKS)-1];
    wire [BITS-1:0] decide_after;

    always @(posedge clk)
        if (decide_write_reg)
            memory[decide_index_reg] <= decide_after;

    // ---- the stages of the memory's answer, of which the last is read

    genvar stage;
    generate
        for (stage = 1; stage <= STAGES; stage = stage + 1) begin : answer
            reg                   valid_reg;
            reg                   merge_reg;
            reg [1:0]             op_reg;
            reg [LOG2_BLOCKS-1:0] index_reg;
            reg [KEY-1:0]         positions_reg;
            reg [BITS-1:0]        block_reg; // as the memory has it
            reg [1:0]             age_reg;   // its block is the result stage's of so many clocks ago, from 1 on; 0: of none

            if (stage == 1) begin : first
                always @(posedge clk) begin
                    valid_reg     <= in_valid && ready_reg && !rst;
                    merge_reg     <= in_merge && MERGE != 0;
                    op_reg        <= in_op;
                    index_reg     <= in_index;
                    positions_reg <= in_positions;
                    block_reg     <= memory[in_index];
                    age_reg       <= {1'b0, decide_valid_reg && in_index == decide_index_reg};
                end
            end else begin : next
                always @(posedge clk) begin
                    valid_reg     <= answer[stage-1].valid_reg && !rst;
                    merge_reg     <= answer[stage-1].merge_reg;
                    op_reg        <= answer[stage-1].op_reg;
                    index_reg     <= answer[stage-1].index_reg;
                    positions_reg <= answer[stage-1].positions_reg;
                    block_reg     <= answer[stage-1].block_reg;
                    if (decide_valid_reg && answer[stage-1].index_reg == decide_index_reg)
                        age_reg <= 2'd1;
                    else if (answer[stage-1].age_reg != 2'd0)
                        age_reg <= answer[stage-1].age_reg + 2'd1;
                    else
                        age_reg <= 2'd0;
                end
            end
        end
    endgenerate

    // ---- read

    wire                   read_valid     = answer[STAGES].valid_reg;
    wire                   read_merge     = answer[STAGES].merge_reg;
    wire [1:0]             read_op        = answer[STAGES].op_reg;
    wire [LOG2_BLOCKS-1:0] read_index     = answer[STAGES].index_reg;
    wire [KEY-1:0]         read_positions = answer[STAGES].positions_reg;
    wire [1:0]             read_age       = answer[STAGES].age_reg;

    wire [STAGES*BITS-1:0] results; // blocks of the result stage, that of now in the lowest bits
    reg  [BITS-1:0]             read_block;
    integer                     ago;

    assign results[BITS-1:0] = result_block_reg;

    generate
        if (STAGES > 1) begin : history
            reg [(STAGES-1)*BITS-1:0] results_reg;
            always @(posedge clk) results_reg <= results[(STAGES-1)*BITS-1:0];
            assign results[STAGES*BITS-1:BITS] = results_reg;
        end
    endgenerate

    always @* begin
        read_block = answer[STAGES].block_reg;
        for (ago = 1; ago <= STAGES; ago = ago + 1)
            if (read_age == ago[1:0])
                read_block = results[BITS*(ago-1) +: BITS];
    end

    wire [BITS-1:0] read_mask;
    wire            read_is_extract = extract_valid_reg && read_index == extract_index_reg;
    wire            read_is_decide  = decide_valid_reg && read_index == decide_index_reg;

    bloomlane_mask #(.W(W)) decode (.positions(read_positions), .mask(read_mask));

    always @(posedge clk) begin
        extract_valid_reg     <= read_valid && !rst;
        extract_merge_reg     <= read_merge;
        extract_op_reg        <= read_op;
        extract_index_reg     <= read_index;
        extract_positions_reg <= read_positions;
        extract_mask_reg      <= read_mask;
        extract_block_reg     <= read_block;
        extract_is_decide_reg <= read_is_extract;
        extract_is_result_reg <= read_is_decide;

        // The one ahead is about to decide, on the result's block if extract_is_decide_reg says so.
        extract_from_block_reg  <= !read_is_extract && !read_is_decide;
        extract_from_decide_reg <= read_is_extract && !extract_is_decide_reg;
        extract_from_result_reg <= read_is_extract ? extract_is_decide_reg : read_is_decide;
    end

    // ---- extract

    localparam DATA = BITS - W; // the data lanes

    wire [BITS-1:W] extract_from = extract_block_reg[BITS-1:W] & {DATA{extract_from_block_reg}} |
                                   decide_block_reg[BITS-1:W]  & {DATA{extract_from_decide_reg}} |
                                   result_block_reg[BITS-1:W]  & {DATA{extract_from_result_reg}};

    always @(posedge clk) begin
        decide_valid_reg     <= extract_valid_reg && !rst;
        decide_insert_reg    <= !clearing && extract_op_reg == `BLOOMLANE_INSERT;
        decide_delete_reg    <= !clearing && extract_op_reg == `BLOOMLANE_DELETE;
        decide_pass_reg      <= extract_op_reg == `BLOOMLANE_PASS;
        decide_write_reg     <= clearing || extract_valid_reg &&
                                (extract_op_reg == `BLOOMLANE_INSERT || extract_op_reg == `BLOOMLANE_DELETE);
        decide_index_reg     <= clearing ? clear_reg[LOG2_BLOCKS-1:0] : extract_index_reg;
        decide_mask_reg      <= extract_merge_reg ? merge_block : extract_mask_reg;
        decide_block_reg     <= extract_is_result_reg ? result_block_reg : extract_block_reg;
        decide_is_result_reg <= extract_is_decide_reg;
        if (clearing) begin
            decide_block_reg     <= {BITS{1'b0}};
            decide_is_result_reg <= 1'b0;
        end
    end

    // ---- decide

    wire [BITS-1:0] decide_block = decide_is_result_reg ? result_block_reg : decide_block_reg;
    wire [7:1]      decide_free;
    wire            decide_clear = decide_delete_reg && &decide_bit_reg && ~|decide_gone_reg;
    reg  [W-1:0]    decide_collided;
    integer         lane;

    always @* begin
        decide_collided = {W{1'b0}};
        for (lane = 1; lane < `BLOOMLANE_LANES; lane = lane + 1)
            decide_collided = decide_collided | (decide_block[W*lane +: W] & decide_mask_reg[W*lane +: W]);
    end

    assign decide_after[W-1:0] = decide_block[W-1:0] |
                                 ((decide_collided | decide_mask_reg[W-1:0]) & {W{decide_insert_reg}});

    genvar i;
    generate
        for (i = 1; i < `BLOOMLANE_LANES; i = i + 1) begin : data_lane
            localparam P = B * (`BLOOMLANE_DATA_LANES - i);

            wire [W-1:0] block = decide_block[W*i +: W];
            wire [W-1:0] mask  = decide_mask_reg[W*i +: W];
            wire [W-1:0] free  = mask & ~decide_block[W-1:0];

            always @(posedge clk) begin
                extract_same_reg[i] <= read_is_extract &&
                                       (extract_merge_reg ? |(read_mask[W*i +: W] & merge_block[W*i +: W]) :
                                                            read_positions[P +: B] == extract_positions_reg[P +: B]);
                decide_bit_reg[i]   <= |(extract_from[W*i +: W] & extract_mask_reg[W*i +: W]) ||
                                       extract_same_reg[i] && decide_insert_reg;
                decide_gone_reg[i]  <= extract_same_reg[i] && decide_clear && decide_free[i];
                result_free_reg[i]  <= decide_free[i];
            end

            assign decide_free[i] = |free;

            assign decide_after[W*i +: W] = (block | (mask & {W{decide_insert_reg}})) & ~(free & {W{decide_clear}});
        end
    endgenerate

    always @(posedge clk) begin
        result_valid_reg   <= decide_valid_reg && !rst;
        result_delete_reg  <= decide_delete_reg;
        result_pass_reg    <= decide_pass_reg;
        result_bit_reg     <= decide_bit_reg;
        result_gone_reg    <= decide_gone_reg;
        result_block_reg   <= decide_after;
    end

    // ---- result

    always @(posedge clk) begin
        out_valid_reg  <= result_valid_reg && !rst;
        out_result_reg <= result_pass_reg                           ? 2'd0 :
                          !(&result_bit_reg) || |result_gone_reg    ? `BLOOMLANE_ABSENT :
                          result_delete_reg && |result_free_reg     ? `BLOOMLANE_DELETED : 2'd1;
    end

    assign out_valid  = out_valid_reg;
    assign out_result = out_result_reg;
    assign next_block = result_block_reg;

    // ---- parity

    generate
        if (PARITY != 0) begin : parity
            (* no_rw_check *)
            reg  [`BLOOMLANE_LANES-1:0] lanes_memory [0:(1<<LOG2_BLOCKS)-1];
            reg                         result_write_reg;
            reg  [LOG2_BLOCKS-1:0]      result_index_reg;
            reg  [`BLOOMLANE_LANES-1:0] extract_odd_reg;     // of the block that the memory had
            reg                         extract_checked_reg; // it was taken
            reg                         decide_flipped_reg, result_flipped_reg, out_flipped_reg;
            wire [`BLOOMLANE_LANES-1:0] read_odd, result_odd;

            for (i = 0; i < `BLOOMLANE_LANES; i = i + 1) begin : lane_parity
                assign read_odd[i]   = ^answer[STAGES].block_reg[W*i +: W];
                assign result_odd[i] = ^result_block_reg[W*i +: W];
            end

            // The memory's answer, a clock behind that of the blocks' memory.
            for (stage = 1; stage <= STAGES; stage = stage + 1) begin : bits
                reg [`BLOOMLANE_LANES-1:0] odd_reg;
                if (stage == 1) begin : first
                    always @(posedge clk) odd_reg <= lanes_memory[answer[1].index_reg];
                end else begin : next
                    always @(posedge clk) odd_reg <= bits[stage-1].odd_reg;
                end
            end

            always @(posedge clk) begin
                if (result_write_reg)
                    lanes_memory[result_index_reg] <= result_odd;
                result_write_reg    <= decide_write_reg;
                result_index_reg    <= decide_index_reg;
                extract_odd_reg     <= read_odd;
                extract_checked_reg <= read_valid && read_age == 2'd0;
                decide_flipped_reg  <= extract_checked_reg && extract_odd_reg != bits[STAGES].odd_reg;
                result_flipped_reg  <= decide_flipped_reg;
                out_flipped_reg     <= result_flipped_reg;
            end
            assign out_flipped = out_flipped_reg;
        end else begin : parity
            assign out_flipped = 1'b0;
        end
    endgenerate
endmodule

`default_nettype wire
