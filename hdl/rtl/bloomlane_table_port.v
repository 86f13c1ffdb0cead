// The register bus of a table: load, dump, the bank that operations use, and the count of flipped bits.
//
// A request stands from bus_valid to bus_ready, with which bus_answer and bus_error come: not in a reset. The addresses are
// those of a window of bloomlane_map.vh. A write of a part of a word, of a register that is only read, of a hole, or of a
// block that there is not is an error, and does nothing. Holes read 0.
//
//   BANK     bit 0: the bank that operations use; bit 1, mirror: inserts go into the other bank too;
//            bit 2, clear: a write of 1 empties the other bank, or the only one, and takes the mirror back,
//            whatever else it has; it reads 1 until a next write need not wait; bit 3 reads 1 where the
//            table takes operations
//   FLIPPED  reads of memory that found a flipped bit, modulo 2**32; read only
//   BLOCK    a block's number; bit 31: its bank
//   SHAPE    W, log2 of the blocks, and the banks; read only (TABLE_SHAPE)
//   DATA     the block's lanes, W/4 words, bits [32*n +: 32] in word n
//
// The first read of DATA reads the whole block at once. DATA is written from the first word to the last. With the last
// the words are inserted into the block at once: their bits are united, and those that both have are marked as
// collided. In an empty block they are what is there then. So a load never takes a member out, whatever operations do
// meanwhile. After the last word, read or written, BLOCK has the next number. A write of BLOCK forgets words, and so do
// a reset, a read of DATA in the middle of a load, and a write of the first word: any other word is an error if the
// block's first was not written since, so that a load that a reset or a read cuts is found.
//
// The read or the insert is an operation like others, and takes a clock of its bank without another. If none came in
// 64 clocks, stall is high for one. A write of BANK waits until both banks are clear and what came before it is done:
// so that no operation is under way in a bank that is cleared, and none is mirrored into it before it is clear.
//
// Parameters
//   W            bits of a lane: 32 (blocks of 256 bits) or 64 (512)
//   LOG2_BLOCKS  log2 of the number of blocks, 1 to 20
//   BANKS        1 or 2
//   LATENCY      of bloomlane_table_core
`include "bloomlane_params.vh"
`include "bloomlane_map.vh"
`default_nettype none

module bloomlane_table_port #(
    parameter W           = 32,
    parameter LOG2_BLOCKS = 8,
    parameter BANKS       = 1,
    parameter LATENCY     = 5
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        bus_valid,
    input  wire        bus_write,
    input  wire [15:0] bus_address, // of a byte, a multiple of 4
    input  wire [3:0]  bus_strobe,
    input  wire [31:0] bus_data,
    output wire        bus_ready,
    output wire [31:0] bus_answer,
    output wire        bus_error,

    output wire             bank,   // that operations use
    output wire             mirror, // inserts go into both
    output wire [BANKS-1:0] clear,  // a reset of a bank
    input  wire [BANKS-1:0] clean,  // a bank takes operations
    input  wire             ready,  // the table does
    output wire             stall,  // no operation may come into the table in this clock
    input  wire [BANKS-1:0] flipped,

    // An operation on a block, which waits for its turn
    output wire                          turn_valid,
    output wire                          turn_bank,
    output wire                          turn_merge, // an insert of turn_block; else a pass
    output wire [LOG2_BLOCKS-1:0]        turn_index,
    output wire [`BLOOMLANE_LANES*W-1:0] turn_block, // stands until the result
    input  wire                          turn_taken,
    input  wire [`BLOOMLANE_LANES*W-1:0] next_block  // of the bank, in the clock ahead of the result
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
        if (!(LOG2_BLOCKS >= 1 && LOG2_BLOCKS <= 20)) begin : refused_LOG2_BLOCKS
            LOG2_BLOCKS_must_be_1_to_20 refused ();
        end
        if (!(BANKS == 1 || BANKS == 2)) begin : refused_BANKS
            BANKS_must_be_1_or_2 refused ();
        end
        if (!(LATENCY >= 5 && LATENCY <= 7)) begin : refused_LATENCY
            LATENCY_must_be_5_to_7 refused ();
        end
    endgenerate

    localparam        BITS  = `BLOOMLANE_LANES * W;
    localparam [31:0] LAST  = BITS / 32 - 1; // word
    localparam [31:0] SHAPE = BANKS << 16 | LOG2_BLOCKS << 8 | W;

    // ---- what is asked

    reg         begun_reg; // a first word was written
    wire [15:0] at         = {4'd0, bus_address[11:0]}; // in the window
    wire [3:0]  word       = at[5:2];
    wire        is_bank    = at == `BLOOMLANE_AT_BANK;
    wire        is_flipped = at == `BLOOMLANE_AT_FLIPPED;
    wire        is_block   = at == `BLOOMLANE_AT_BLOCK;
    wire        is_shape   = at == `BLOOMLANE_AT_TABLE_SHAPE;
    wire        is_data    = {at[15:6], 6'd0} == `BLOOMLANE_AT_DATA && (W == 64 || !at[5]) && at[1:0] == 2'd0;
    wire        is_last    = is_data && word == LAST[3:0];
    wire        is_next    = is_data && (word == 4'd0 || begun_reg);
    wire        is_there   = bus_data[30:0] >> LOG2_BLOCKS == 31'd0 && (BANKS == 2 || !bus_data[31]);
    wire        refused    = bus_write && (bus_strobe != 4'b1111 || !(is_bank || is_block && is_there || is_next));
    wire        write      = bus_valid && bus_write && !refused && !rst;

    // ---- a turn: wanted, taken, done LATENCY - 1 clocks later

    reg               wanted_reg;
    reg               fetched_reg; // the words are those of the block
    reg [LATENCY-2:0] under_way_reg;
    reg [5:0]         waited_reg;

    wire done   = under_way_reg[LATENCY-2];
    wire idle   = !wanted_reg && under_way_reg == {LATENCY-1{1'b0}};
    wire begins = bus_valid && is_data && idle && (bus_write ? is_last && !refused : !fetched_reg);

    always @(posedge clk) begin
        wanted_reg    <= begins || wanted_reg && !turn_taken;
        under_way_reg <= {under_way_reg[LATENCY-3:0], turn_taken};
        waited_reg    <= wanted_reg ? waited_reg + 6'd1 : 6'd0;
        if (rst) begin
            wanted_reg    <= 1'b0;
            under_way_reg <= {LATENCY-1{1'b0}};
        end
    end

    assign turn_valid = wanted_reg;
    assign turn_merge = bus_write;
    assign stall      = &waited_reg;

    // ---- the registers

    reg                   bank_reg;
    reg                   mirror_reg;
    reg [BANKS-1:0]       clear_reg;
    reg [LATENCY+1:0]     settled_reg; // how long ago BANK was written, a bit a clock
    reg [31:0]            flipped_reg;
    reg [LOG2_BLOCKS-1:0] block_reg;
    reg                   block_bank_reg;
    reg [BITS-1:0]        words_reg;

    integer n;

    wire settled  = settled_reg[LATENCY+1] && &clean;
    wire other    = BANKS == 2 && !bank_reg;
    wire finishes = bus_valid && bus_ready && is_last && !refused;

    assign bus_ready  = bus_valid && !rst && (refused               ? 1'b1 :
                                              is_bank && bus_write  ? settled :
                                              is_last && bus_write  ? done :
                                              is_data && !bus_write ? fetched_reg : 1'b1);
    assign bus_error  = refused;
    assign bus_answer = bus_write  ? 32'd0 :
                        is_bank    ? {28'd0, ready, !settled, mirror_reg, bank_reg} :
                        is_flipped ? flipped_reg :
                        is_block   ? {block_bank_reg, {31-LOG2_BLOCKS{1'b0}}, block_reg} :
                        is_shape   ? SHAPE :
                        is_data    ? words_reg[32*word[$clog2(BITS/32)-1:0] +: 32] : 32'd0;

    assign bank       = bank_reg;
    assign mirror     = mirror_reg;
    assign clear      = clear_reg;
    assign turn_bank  = block_bank_reg;
    assign turn_index = block_reg;
    assign turn_block = words_reg;

    always @(posedge clk) begin
        clear_reg   <= {BANKS{1'b0}};
        settled_reg <= {settled_reg[LATENCY:0], 1'b1};
        flipped_reg <= flipped_reg + {31'd0, flipped[0]} + {31'd0, flipped[BANKS-1] && BANKS == 2};
        if (write && is_bank && settled) begin
            settled_reg <= {LATENCY+2{1'b0}};
            if (bus_data[2]) begin
                clear_reg[other] <= 1'b1;
                mirror_reg       <= 1'b0;
            end else begin
                bank_reg   <= bus_data[0] && BANKS == 2;
                mirror_reg <= bus_data[1] && BANKS == 2;
            end
        end
        if (rst) begin
            bank_reg    <= 1'b0;
            mirror_reg  <= 1'b0;
            settled_reg <= {LATENCY+2{1'b0}};
            flipped_reg <= 32'd0;
        end
    end

    always @(posedge clk) begin
        if (done && !bus_write) begin
            words_reg   <= next_block;
            fetched_reg <= 1'b1;
            begun_reg   <= 1'b0;
        end
        if (write && is_data && word == 4'd0) begin // those of another load, or of a block that was read
            words_reg   <= {BITS{1'b0}};
            fetched_reg <= 1'b0;
        end
        for (n = 0; n < BITS / 32; n = n + 1) // by its number, which is less than a shift of the words
            if (write && is_data && word == n[3:0])
                words_reg[32*n +: 32] <= bus_data;
        if (write && is_data)
            begun_reg <= 1'b1;
        if (write && is_block) begin
            block_reg      <= bus_data[LOG2_BLOCKS-1:0];
            block_bank_reg <= bus_data[31];
        end
        if (finishes)
            block_reg <= block_reg + 1'b1;
        if (finishes || write && is_block) begin
            fetched_reg <= 1'b0;
            begun_reg   <= 1'b0;
        end
        if (rst) begin
            block_reg      <= {LOG2_BLOCKS{1'b0}};
            block_bank_reg <= 1'b0;
            fetched_reg    <= 1'b0;
            begun_reg      <= 1'b0;
        end
    end

`ifdef BLOOMLANE_CHECK
    reg        waits_reg = 1'b0; // for bus_ready
    reg [52:0] request_reg;

    always @(posedge clk) begin
        waits_reg   <= bus_valid && !bus_ready && !rst;
        request_reg <= {bus_write, bus_address, bus_strobe, bus_data};
        if (waits_reg && !rst && !(bus_valid && {bus_write, bus_address, bus_strobe, bus_data} === request_reg)) begin
            $display("%m: bus_valid or what it asks changes before bus_ready");
            $stop;
        end
    end
`endif

    wire unused = &{1'b0, bus_address[15:12], bus_data};
endmodule

`default_nettype wire
