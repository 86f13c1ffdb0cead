// A table of blocks with its hash: a packet's field in, the result of an operation on it out.
//
// h is the Toeplitz hash or the SipHash-1-3 of the field; the block is the one at the top LOG2_BLOCKS bits
// of h, the positions come from the spread hash g. One operation a clock on any stream of fields.
//
// After reset the table is cleared; until then, and until each word of the key was written once, ready is low
// and operations are dropped. A word of the key may be written in any clock, and acts on the fields from that
// clock on; reset does not touch it. Which words were written is a register without a reset, whose first value
// is 0.
//
// With BUS the blocks are read and written by bloomlane_table_port. With two banks each has a pipeline of its own. An
// operation comes into that of the bank that is used in this clock, and stays in it: so that a switch from one clock to
// the next divides no operation. Inserts come into both while mirror says so, and only the used bank answers.
//
// Parameters
//   W            bits of a lane: 32 (blocks of 256 bits) or 64 (512)
//   LOG2_BLOCKS  log2 of the number of blocks, 1 to 20
//   FIELD_BYTES  bytes of the field, 1 to 40; 4 to 40 with HASH = 1
//   DSP          1: the spread hash uses multiplier blocks; 0: adders only
//   HASH         0: bloomlane_toeplitz; 1: bloomlane_siphash, for fields that others choose
//   READ_STAGES  clocks in which the memory answers, 1 to 3
//   PARITY       1: out_flipped says that a bit of the memory has flipped; 0: it is low
//   BUS          1: the register bus of bloomlane_table_port; 0: it is ignored
//   BANKS        1; or 2, with BUS = 1
// Latency: that of the hash + 6 (bloomlane_spread) + 4 + READ_STAGES (bloomlane_table_core) = 13 + READ_STAGES clocks,
//   or with HASH = 1 20 + READ_STAGES + 2 * (FIELD_BYTES / 8), rounded down
// Source: as of the parts
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_table #(
    parameter W           = 64,
    parameter LOG2_BLOCKS = 9,
    parameter FIELD_BYTES = 13,
    parameter DSP         = 0,
    parameter HASH        = 0,
    parameter READ_STAGES = 1,
    parameter PARITY      = 0,
    parameter BUS         = 0,
    parameter BANKS       = 1
) (
    input  wire                                                   clk,
    input  wire                                                   rst,
    output wire                                                   ready,

    input  wire                                                   key_write,
    input  wire [(HASH == 1 ? 2 : $clog2((FIELD_BYTES+11)/4))-1:0]key_word,
    input  wire [31:0]                                            key_data,

    input  wire                                                   in_valid,
    input  wire [1:0]                                             in_op,
    input  wire [8*FIELD_BYTES-1:0]                               in_field,  // byte 0 is the most significant

    output wire                                                   out_valid,
    output wire [1:0]                                             out_result,
    output wire                                                   out_flipped, // its block had odd parity in the memory

    // The register bus: a request stands until bus_ready
    input  wire                                                   bus_valid,
    input  wire                                                   bus_write,
    input  wire [15:0]                                            bus_address, // of a byte, a multiple of 4
    input  wire [3:0]                                             bus_strobe,
    input  wire [31:0]                                            bus_data,
    output wire                                                   bus_ready,
    output wire [31:0]                                            bus_answer,
    output wire                                                   bus_error
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(HASH == 0 || HASH == 1)) begin : refused_HASH
            HASH_must_be_0_or_1 refused ();
        end
        if (!(BUS == 0 || BUS == 1)) begin : refused_BUS
            BUS_must_be_0_or_1 refused ();
        end
        if (!(BANKS == 1 || BANKS == 2 && BUS == 1)) begin : refused_BANKS
            BANKS_must_be_1_or_2_with_BUS_1 refused ();
        end
    endgenerate

    localparam HASHED = HASH == 1 ? 10 + 2 * (FIELD_BYTES / 8) : 3; // the latencies
    localparam SPREAD = 6;
    localparam CORE   = 4 + READ_STAGES;
    localparam BITS   = `BLOOMLANE_LANES * W;
    localparam KEY    = `BLOOMLANE_DATA_LANES * $clog2(W);
    localparam WORDS  = HASH == 1 ? 4 : (FIELD_BYTES + 11) / 4;     // of the key of the hash

    wire [63:0]      h;
    wire [63:0]      g;
    wire [KEY-1:0]   positions;

    // The operation and the index keep step with the hashes; the newest is in the lowest bits.
    reg [HASHED+SPREAD-1:0]     valid_reg;
    reg [2*(HASHED+SPREAD)-1:0] op_reg;
    reg [LOG2_BLOCKS*SPREAD-1:0]  index_reg;

    always @(posedge clk) begin
        valid_reg <= {valid_reg[HASHED+SPREAD-2:0], in_valid && ready};
        op_reg    <= {op_reg[2*(HASHED+SPREAD-1)-1:0], in_op};
        index_reg <= {index_reg[LOG2_BLOCKS*(SPREAD-1)-1:0], h[63 -: LOG2_BLOCKS]};
        if (rst)
            valid_reg <= {HASHED+SPREAD{1'b0}};
    end

    reg  [WORDS-1:0] written_reg = {WORDS{1'b0}};
    wire [BANKS-1:0] clean;             // a bank takes operations
    wire             bank, mirror, stall;

    assign ready = (bank ? clean[BANKS-1] : clean[0]) && &written_reg && !stall;

    genvar w;
    generate
        for (w = 0; w < WORDS; w = w + 1) begin : key
            localparam [31:0] WORD = w;
            always @(posedge clk)
                if (key_write && key_word == WORD[$clog2(WORDS)-1:0])
                    written_reg[w] <= 1'b1;
        end

        if (HASH == 1) begin : sip
            bloomlane_siphash #(.FIELD_BYTES(FIELD_BYTES)) siphash (
                .clk      (clk),
                .advance  (1'b1),
                .key_write(key_write),
                .key_word (key_word),
                .key_data (key_data),
                .field    (in_field),
                .hash     (h)
            );
        end else begin : linear
            bloomlane_toeplitz #(.FIELD_BYTES(FIELD_BYTES)) toeplitz (
                .clk      (clk),
                .advance  (1'b1),
                .key_write(key_write),
                .key_word (key_word),
                .key_data (key_data),
                .field    (in_field),
                .hash     (h)
            );
        end
    endgenerate

    bloomlane_spread #(.DSP(DSP)) spread (.clk(clk), .advance(1'b1), .h(h), .g(g));

    bloomlane_positions #(.W(W)) take (.g(g), .positions(positions));

    // ---- the banks

    wire                   op_valid = valid_reg[HASHED+SPREAD-1];
    wire [1:0]             op       = op_reg[2*(HASHED+SPREAD)-1 -: 2];
    wire [LOG2_BLOCKS-1:0] index    = index_reg[LOG2_BLOCKS*SPREAD-1 -: LOG2_BLOCKS];

    // The port's own operation comes into its bank where no other does.
    wire                   turn_valid, turn_bank, turn_merge;
    wire [LOG2_BLOCKS-1:0] turn_index;
    wire [BITS-1:0]        turn_block;

    wire [BANKS-1:0]       clear;
    wire [BANKS-1:0]       taken;   // the port's operation
    wire [BANKS-1:0]       answers; // to an operation that came into the table
    wire [2*BANKS-1:0]     results; // 0 without an answer
    wire [BANKS-1:0]       flipped; // any operation's block
    wire [BANKS*BITS-1:0]  blocks;

    genvar b;
    generate
        for (b = 0; b < BANKS; b = b + 1) begin : banked
            localparam [0:0] NUMBER = b;

            wire            used   = bank == NUMBER;
            wire            enters = op_valid && (used || mirror && op == `BLOOMLANE_INSERT);
            wire            core_valid, core_flipped;
            wire [1:0]      core_result;
            reg  [CORE-1:0] used_reg; // of the operations that are under way, the newest in the lowest bit

            always @(posedge clk)
                used_reg <= {used_reg[CORE-2:0], op_valid && used};

            assign taken[b]          = turn_valid && turn_bank == NUMBER && clean[b] && !enters;
            assign answers[b]        = core_valid && (BUS == 0 || used_reg[CORE-1]);
            assign results[2*b +: 2] = core_result & {2{BUS == 0 || used_reg[CORE-1]}};
            assign flipped[b]        = core_valid && core_flipped;

            bloomlane_table_core #(
                .W(W), .LOG2_BLOCKS(LOG2_BLOCKS), .READ_STAGES(READ_STAGES), .PARITY(PARITY), .MERGE(BUS)
            ) core (
                .clk         (clk),
                .rst         (rst || clear[b]),
                .ready       (clean[b]),
                .in_valid    (enters || taken[b]),
                .in_op       (!taken[b] ? op : turn_merge ? `BLOOMLANE_INSERT : `BLOOMLANE_PASS),
                .in_index    (taken[b] ? turn_index : index),
                .in_positions(positions),
                .in_merge    (taken[b] && turn_merge),
                .merge_block (turn_block),
                .out_valid   (core_valid),
                .out_result  (core_result),
                .out_flipped (core_flipped),
                .next_block  (blocks[BITS*b +: BITS])
            );
        end
    endgenerate

    assign out_valid   = |answers;
    assign out_flipped = |(answers & flipped);

    generate
        if (BANKS == 2) begin : two
            assign out_result = results[3:2] | results[1:0];
        end else begin : one
            assign out_result = results;
        end

        if (BUS == 1) begin : bus
            bloomlane_table_port #(.W(W), .LOG2_BLOCKS(LOG2_BLOCKS), .BANKS(BANKS), .LATENCY(CORE)) port (
                .clk        (clk),
                .rst        (rst),
                .bus_valid  (bus_valid),
                .bus_write  (bus_write),
                .bus_address(bus_address),
                .bus_strobe (bus_strobe),
                .bus_data   (bus_data),
                .bus_ready  (bus_ready),
                .bus_answer (bus_answer),
                .bus_error  (bus_error),
                .bank       (bank),
                .mirror     (mirror),
                .clear      (clear),
                .clean      (clean),
                .ready      (ready),
                .stall      (stall),
                .flipped    (flipped),
                .turn_valid (turn_valid),
                .turn_bank  (turn_bank),
                .turn_merge (turn_merge),
                .turn_index (turn_index),
                .turn_block (turn_block),
                .turn_taken (|taken),
                .next_block (turn_bank ? blocks[BANKS*BITS-1 -: BITS] : blocks[BITS-1:0])
            );
        end else begin : no_bus
            assign {bus_ready, bus_answer, bus_error} = 34'd0;
            assign {bank, mirror, stall, clear}       = {3+BANKS{1'b0}};
            assign {turn_valid, turn_bank, turn_merge, turn_index} = {3+LOG2_BLOCKS{1'b0}};
            assign turn_block = {BITS{1'b0}};
            wire unused = &{1'b0, bus_valid, bus_write, bus_address, bus_strobe, bus_data, flipped, taken, blocks};
        end
    endgenerate
endmodule

`default_nettype wire
