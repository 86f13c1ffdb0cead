// A deny list: sources of frames in, whether each is listed out, in their order.
//
// The table has blocks of 512 bits, and is that of package filter/deletable with a key of key.SipHash13: the hash
// is SipHash-1-3 of an address of 4 or 16 bytes. So a filter of Go, of the packet program in xdp, or of the header
// in C is the same, bit by bit. A frame without a source is not listed.
//
// The host changes the table over the register bus, one operation or one block at a time. Each takes a clock in
// which no frame asks, for which it waits.
//
// The registers are in bloomlane_map.vh: those of LIST, and those of the table, of bloomlane_table_port.
//
// Parameters
//   LOG2_BLOCKS  log2 of the number of blocks, 1 to 20
//   DSP          1: the spread hash uses multiplier blocks; 0: adders only
//   READ_STAGES  clocks of the table's memory, 1 to 3
//   PARITY       1: FLIPPED counts reads of a block that has odd parity; 0: it is 0
// Latency: 25 + READ_STAGES clocks, a source a clock
`include "bloomlane_params.vh"
`include "bloomlane_map.vh"
`default_nettype none

module bloomlane_list #(
    parameter LOG2_BLOCKS = 9,
    parameter DSP         = 0,
    parameter READ_STAGES = 1,
    parameter PARITY      = 0
) (
    input  wire         clk,
    input  wire         rst,
    output wire         ready, // the key was written since the reset, and the table is cleared

    input  wire         in_valid,
    input  wire         in_ipv4, // none of the two: no source
    input  wire         in_ipv6,
    input  wire [127:0] in_source, // byte 0 is the most significant; IPv4 has the upper 32 bits
    output wire         waits,     // the host, for a clock without in_valid, and for nothing else

    output wire         out_valid,
    output wire         out_listed,

    // A request stands until its ready: list_valid for the list, table_valid for the table.
    input  wire         list_valid,
    input  wire         table_valid,
    input  wire         bus_write,
    input  wire [15:0]  bus_address, // in the window
    input  wire [3:0]   bus_strobe,
    input  wire [31:0]  bus_data,
    output wire         list_ready,
    output wire [31:0]  list_answer,
    output wire         list_error,
    output wire         table_ready,
    output wire [31:0]  table_answer,
    output wire         table_error
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(LOG2_BLOCKS >= 1 && LOG2_BLOCKS <= 20)) begin : refused_LOG2_BLOCKS
            LOG2_BLOCKS_must_be_1_to_20 refused ();
        end
    endgenerate

    localparam HASHED = 14; // the latencies: of bloomlane_siphash with 16 bytes
    localparam SHORT  = 10; // with 4
    localparam SPREAD = 6;
    localparam TABLE  = READ_STAGES + 4;
    localparam W      = 64;
    localparam BITS   = `BLOOMLANE_LANES * W;
    localparam KEY    = `BLOOMLANE_DATA_LANES * $clog2(W);

    // ---- what is asked: a frame's source, or what the host asks

    reg          host_asks_reg;
    reg          host_waits_reg; // for the result
    reg  [2:0]   host_what_reg;  // what LIST_OPERATION said
    reg  [127:0] host_address_reg;
    wire         host_turn = host_asks_reg && !in_valid && ready;

    reg          ask_valid_reg;
    reg          ask_host_reg;
    reg          ask_ipv6_reg;
    reg  [1:0]   ask_op_reg;
    reg  [127:0] ask_address_reg;

    always @(posedge clk) begin
        ask_valid_reg   <= (in_valid || host_turn) && !rst;
        ask_host_reg    <= !in_valid;
        ask_ipv6_reg    <= in_valid ? in_ipv6 : host_what_reg[2];
        ask_op_reg      <= !in_valid ? host_what_reg[1:0] : in_ipv4 || in_ipv6 ? `BLOOMLANE_QUERY : `BLOOMLANE_PASS;
        ask_address_reg <= in_valid ? in_source : host_address_reg;
    end

    // ---- both hashes, of which the shorter waits for the longer

    reg [32*(HASHED-SHORT)-1:0]  short_reg; // the newest in the lowest bits, as in all of these
    reg [HASHED-1:0]             ipv6_reg;
    reg [HASHED+SPREAD-1:0]      valid_reg;
    reg [2*(HASHED+SPREAD)-1:0]  op_reg;
    reg [HASHED+SPREAD-1:0]      host_reg;
    reg [LOG2_BLOCKS*SPREAD-1:0] index_reg;

    wire           key_write;
    wire [63:0]    hash_4;
    wire [63:0]    hash_16;
    wire [63:0]    h = ipv6_reg[HASHED-1] ? hash_16 : hash_4;
    wire [63:0]    g;
    wire [KEY-1:0] positions;

    always @(posedge clk) begin
        short_reg <= {short_reg[32*(HASHED-SHORT-1)-1:0], ask_address_reg[127:96]};
        ipv6_reg  <= {ipv6_reg[HASHED-2:0], ask_ipv6_reg};
        valid_reg <= {valid_reg[HASHED+SPREAD-2:0], ask_valid_reg};
        op_reg    <= {op_reg[2*(HASHED+SPREAD-1)-1:0], ask_op_reg};
        host_reg  <= {host_reg[HASHED+SPREAD-2:0], ask_host_reg};
        index_reg <= {index_reg[LOG2_BLOCKS*(SPREAD-1)-1:0], h[63 -: LOG2_BLOCKS]};
        if (rst)
            valid_reg <= {HASHED+SPREAD{1'b0}};
    end

    bloomlane_siphash #(.FIELD_BYTES(4)) siphash_4 (
        .clk      (clk),       .advance (1'b1),
        .key_write(key_write), .key_word(bus_address[3:2]), .key_data(bus_data),
        .field    (short_reg[32*(HASHED-SHORT)-1 -: 32]),
        .hash     (hash_4)
    );

    bloomlane_siphash #(.FIELD_BYTES(16)) siphash_16 (
        .clk      (clk),       .advance (1'b1),
        .key_write(key_write), .key_word(bus_address[3:2]), .key_data(bus_data),
        .field    (ask_address_reg),
        .hash     (hash_16)
    );

    bloomlane_spread #(.DSP(DSP)) spread (.clk(clk), .advance(1'b1), .h(h), .g(g));

    bloomlane_positions #(.W(W)) taken (.g(g), .positions(positions));

    // ---- the table, and its port's operations where no other comes

    wire                   op_valid = valid_reg[HASHED+SPREAD-1];
    wire                   clear;
    wire                   clean;
    wire                   turn_valid;
    wire                   turn_bank;
    wire                   turn_merge;
    wire [LOG2_BLOCKS-1:0] turn_index;
    wire [BITS-1:0]        turn_block;
    wire                   turn_taken = turn_valid && clean && !op_valid;
    wire                   result_valid;
    wire [1:0]             result;
    wire                   flipped;
    wire [BITS-1:0]        next_block;
    wire                   bank;
    wire                   mirror;
    wire                   stall;
    wire                   op_host = host_reg[HASHED+SPREAD-1];
    reg  [TABLE-1:0]       frame_reg; // the operation under way is of a frame
    reg  [TABLE-1:0]       done_reg;  // … of the host

    always @(posedge clk) begin
        frame_reg <= {frame_reg[TABLE-2:0], op_valid && !op_host};
        done_reg  <= {done_reg[TABLE-2:0], op_valid && op_host};
        if (rst) begin
            frame_reg <= {TABLE{1'b0}};
            done_reg  <= {TABLE{1'b0}};
        end
    end

    bloomlane_table_core #(
        .W(W), .LOG2_BLOCKS(LOG2_BLOCKS), .READ_STAGES(READ_STAGES), .PARITY(PARITY), .MERGE(1)
    ) core (
        .clk         (clk),
        .rst         (rst || clear),
        .ready       (clean),
        .in_valid    (op_valid || turn_taken),
        .in_op       (op_valid   ? op_reg[2*(HASHED+SPREAD)-1 -: 2] :
                      turn_merge ? `BLOOMLANE_INSERT : `BLOOMLANE_PASS),
        .in_index    (op_valid ? index_reg[LOG2_BLOCKS*SPREAD-1 -: LOG2_BLOCKS] : turn_index),
        .in_positions(positions),
        .in_merge    (turn_taken && turn_merge),
        .merge_block (turn_block),
        .out_valid   (result_valid),
        .out_result  (result),
        .out_flipped (flipped),
        .next_block  (next_block)
    );

    bloomlane_table_port #(.W(W), .LOG2_BLOCKS(LOG2_BLOCKS), .BANKS(1), .LATENCY(TABLE)) port (
        .clk        (clk),
        .rst        (rst),
        .bus_valid  (table_valid),
        .bus_write  (bus_write),
        .bus_address(bus_address),
        .bus_strobe (bus_strobe),
        .bus_data   (bus_data),
        .bus_ready  (table_ready),
        .bus_answer (table_answer),
        .bus_error  (table_error),
        .bank       (bank),
        .mirror     (mirror),
        .clear      (clear),
        .clean      (clean),
        .ready      (ready),
        .stall      (stall),
        .flipped    (flipped && result_valid),
        .turn_valid (turn_valid),
        .turn_bank  (turn_bank),
        .turn_merge (turn_merge),
        .turn_index (turn_index),
        .turn_block (turn_block),
        .turn_taken (turn_taken),
        .next_block (next_block)
    );

    assign waits      = clean && (host_asks_reg || turn_valid);
    assign out_valid  = frame_reg[TABLE-1];
    assign out_listed = result_valid && result != `BLOOMLANE_ABSENT;

    // ---- the registers

    reg  [3:0]  written_reg; // words of the key, since the reset
    reg  [1:0]  host_result_reg;
    reg         ready_reg;
    reg  [31:0] answer_reg;
    reg         error_reg;

    wire        whole       = &written_reg;
    wire        done        = done_reg[TABLE-1];
    wire        request     = list_valid && !ready_reg && !host_waits_reg && !rst;
    wire [15:0] base        = {bus_address[15:4], 4'd0};
    wire        is_key      = base == `BLOOMLANE_AT_LIST_KEY;
    wire        is_address  = base == `BLOOMLANE_AT_LIST_ADDRESS;
    wire        is_op       = bus_address == `BLOOMLANE_AT_LIST_OPERATION;
    wire        is_status   = bus_address == `BLOOMLANE_AT_LIST_STATUS;
    wire        refused     = bus_write && !(&bus_strobe && (is_key || is_address || is_op && whole));
    wire        writes      = request && bus_write && !refused;
    wire        operates    = writes && is_op;

    assign ready     = clean && whole;
    assign key_write = writes && is_key;

    genvar w;
    generate
        for (w = 0; w < 4; w = w + 1) begin : key_and_address
            localparam [31:0] WORD = w;
            always @(posedge clk) begin
                written_reg[w] <= !rst && (written_reg[w] || key_write && bus_address[3:2] == WORD[1:0]);
                if (writes && is_address && bus_address[3:2] == WORD[1:0])
                    host_address_reg[127-32*w -: 32] <= bus_data;
                if (rst)
                    host_address_reg[127-32*w -: 32] <= 32'd0;
            end
        end
    endgenerate

    always @(posedge clk) begin
        ready_reg  <= request && !operates || done;
        error_reg  <= refused;
        answer_reg <= is_address ? host_address_reg[127-32*bus_address[3:2] -: 32] :
                      is_op      ? {30'd0, host_result_reg} : {31'd0, is_status && ready};

        host_asks_reg  <= operates || host_asks_reg && !host_turn;
        host_waits_reg <= operates || host_waits_reg && !done;
        if (operates)
            host_what_reg <= bus_data[2:0];
        if (done)
            host_result_reg <= result;

        if (rst) begin
            ready_reg       <= 1'b0;
            host_asks_reg   <= 1'b0;
            host_waits_reg  <= 1'b0;
            host_result_reg <= 2'd0;
        end
    end

    assign list_ready  = ready_reg;
    assign list_answer = bus_write ? 32'd0 : answer_reg;
    assign list_error  = error_reg;

    wire unused = &{1'b0, bank, mirror, stall, turn_bank};
endmodule

`default_nettype wire
