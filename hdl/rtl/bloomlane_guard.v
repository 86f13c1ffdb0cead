// A deny list at a line: frames whose source is in a table are dropped, all others leave as they came.
//
// Each frame's source is read (bloomlane_source), hashed (SipHash-1-3 of its 4 or 16 bytes) and looked up in a
// table of blocks of 512 bits: that of package filter/deletable with a key of key.SipHash13, so that a filter of
// Go, of the packet program in xdp, or of the header in C is the same, bit by bit. Meanwhile the frame waits.
// One that is listed is dropped, and one that its MAC calls bad. Frames leave whole, in order and without a gap
// (bloomlane_packet_fifo). A frame that has no source passes.
//
// No frame is let in until each word of the key was written and the table is cleared, which takes a clock a
// block behind a reset; with DROP_FULL a frame that begins before is dropped. The rest of a frame that a reset
// has cut is dropped.
//
// The host changes the table over the register bus, one operation at a time. It takes a clock of the table in
// which no frame asks; with DROP_FULL 0 one is made, and with DROP_FULL 1 there must be one, as there is where
// a line leaves gaps or frames have more than one beat.
//
// Registers, by byte address. A write of less than four bytes is an error, and so is an operation before the key
// is whole. Of holes and of what is written only, reads give 0.
//   00 to 0c  w   the key: its 16 bytes in order, the first the most significant of the first word
//   10 to 1c  rw  an address, in network order; an IPv4 address is the first word alone
//   20        rw  written: does an operation on the address, and answers when it is done: bits 1:0 the operation
//                 (0 query, 1 insert, 2 delete), bit 2 the address is IPv6. Read: bits 1:0 its result
//   24        r   bit 0: the key is whole and the table is cleared
//   30, 34    r   frames dropped because they are listed, lower word first: reading it keeps the upper one, of
//                 16 bits, for the next read
//   38, 3c    r   frames that are not listed, and not bad
//   40, 44    r   frames that are bad, and not listed
//   48, 4c    r   frames of those at 38 that found no room
//
// Parameters
//   DATA_BYTES   bytes of a beat: 64 or 128
//   LOG2_BLOCKS  log2 of the number of blocks of 512 bits, 1 to 20
//   LOG2_DEPTH   log2 of the beats in the queue of frames, 2 to 20; the longest frame has a beat less
//   DROP_FULL    1: s_axis_tready is always high, and a frame that finds no room is dropped: for a source that
//                cannot wait, such as a MAC. 0: the source waits for room
//   DSP          1: the spread hash uses multiplier blocks; 0: adders only
// Latency: 31 clocks from a frame's second beat, or its only one, and 2 from its last beat, whichever is later
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_guard #(
    parameter DATA_BYTES  = 64,
    parameter LOG2_BLOCKS = 9,
    parameter LOG2_DEPTH  = 8,
    parameter DROP_FULL   = 1,
    parameter DSP         = 0
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire [8*DATA_BYTES-1:0] s_axis_tdata,
    input  wire [DATA_BYTES-1:0]   s_axis_tkeep,
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire                    s_axis_tlast,
    input  wire                    s_axis_tuser, // with the last beat: the frame is bad

    output wire [8*DATA_BYTES-1:0] m_axis_tdata,
    output wire [DATA_BYTES-1:0]   m_axis_tkeep,
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire                    m_axis_tlast,

    // A request stands until bus_ready, with which the answer comes.
    input  wire                    bus_valid,
    input  wire                    bus_write,
    input  wire [15:0]             bus_address,
    input  wire [3:0]              bus_strobe,
    input  wire [31:0]             bus_data,
    output wire                    bus_ready,
    output wire [31:0]             bus_answer,
    output wire                    bus_error
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(DATA_BYTES == 64 || DATA_BYTES == 128)) begin : refused_DATA_BYTES
            DATA_BYTES_must_be_64_or_128 refused ();
        end
        if (!(LOG2_BLOCKS >= 1 && LOG2_BLOCKS <= 20)) begin : refused_LOG2_BLOCKS
            LOG2_BLOCKS_must_be_1_to_20 refused ();
        end
        if (!(LOG2_DEPTH >= 2 && LOG2_DEPTH <= 20)) begin : refused_LOG2_DEPTH
            LOG2_DEPTH_must_be_2_to_20 refused ();
        end
        if (!(DROP_FULL == 0 || DROP_FULL == 1)) begin : refused_DROP_FULL
            DROP_FULL_must_be_0_or_1 refused ();
        end
    endgenerate

    localparam BEAT = 9 * DATA_BYTES + 2;

    // The beats that wait for a verdict: at most one more than the clocks that it takes, unless what is behind
    // them waits. A verdict is of a frame of which a beat waits, or one beat was the last to leave.
    localparam LOG2_WAITING  = 6;
    localparam LOG2_VERDICTS = 7;

    // ---- frames come in: those that begin when the table is ready

    reg  inside_reg = 1'b0; // a frame has begun and not ended: what no reset changes
    reg  open_reg;
    reg  turn_reg;          // the next clock's beat waits, so that the host has a clock of the table
    wire ready;
    wire room;
    wire take        = s_axis_tvalid && s_axis_tready;
    wire inside_next = take ? !s_axis_tlast : inside_reg;

    assign s_axis_tready = DROP_FULL != 0 || room && !turn_reg && (open_reg || inside_reg);

    always @(posedge clk) begin
        inside_reg <= inside_next;
        open_reg   <= !rst && (open_reg || ready && room && !inside_next);
    end

    wire let_in = take && open_reg;

    // ---- the beats wait for their verdicts

    wire            beat_valid;
    wire            beat_take;
    wire [BEAT-1:0] beat;
    wire            beat_last = beat[BEAT-1];
    wire            beat_bad  = beat[BEAT-2];
    wire            verdict_valid;
    wire            verdict; // the frame is listed
    wire            verdict_room;
    wire            queue_ready;
    wire            listed_valid;
    wire            listed;
    wire            decided = !beat_last || verdict_valid;

    bloomlane_fifo #(.WIDTH(BEAT), .LOG2_DEPTH(LOG2_WAITING)) beats (
        .clk      (clk),        .rst      (rst),
        .in_valid (let_in),     .in_ready (room),
        .in_data  ({s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata}),
        .out_valid(beat_valid), .out_ready(beat_take), .out_data (beat)
    );

    bloomlane_fifo #(.WIDTH(1), .LOG2_DEPTH(LOG2_VERDICTS)) verdicts (
        .clk      (clk),           .rst      (rst),
        .in_valid (listed_valid),  .in_ready (verdict_room),           .in_data (listed),
        .out_valid(verdict_valid), .out_ready(beat_take && beat_last), .out_data(verdict)
    );

    assign beat_take = beat_valid && decided && queue_ready;

    wire lost;

    bloomlane_packet_fifo #(.WIDTH(9 * DATA_BYTES), .LOG2_DEPTH(LOG2_DEPTH), .DROP_FULL(DROP_FULL)) frames (
        .clk      (clk),                   .rst      (rst),
        .in_valid (beat_valid && decided), .in_ready (queue_ready), .in_last (beat_last),
        .in_drop  (verdict || beat_bad),   .in_data  (beat[BEAT-3:0]),
        .out_valid(m_axis_tvalid),         .out_ready(m_axis_tready), .out_last(m_axis_tlast),
        .out_data ({m_axis_tkeep, m_axis_tdata}),
        .lost     (lost)
    );

    // ---- what is looked up: a frame's source, or what the host asks

    wire         source_valid;
    wire         source_ipv4;
    wire         source_ipv6;
    wire [127:0] source;

    bloomlane_source #(.DATA_BYTES(DATA_BYTES)) parser (
        .clk      (clk),          .rst      (rst),
        .in_valid (let_in),       .in_last  (s_axis_tlast), .in_keep (s_axis_tkeep), .in_data   (s_axis_tdata),
        .out_valid(source_valid), .out_ipv4 (source_ipv4),  .out_ipv6(source_ipv6),  .out_source(source)
    );

    reg          host_asks_reg;
    reg          host_waits_reg; // for the result
    reg  [1:0]   host_op_reg;
    reg          host_ipv6_reg;
    reg  [127:0] host_address_reg;
    wire         host_turn = host_asks_reg && !source_valid && ready;

    reg          ask_valid_reg;
    reg          ask_host_reg;
    reg          ask_ipv6_reg;
    reg  [1:0]   ask_op_reg;
    reg  [127:0] ask_address_reg;

    always @(posedge clk) begin
        ask_valid_reg   <= (source_valid || host_turn) && !rst;
        ask_host_reg    <= !source_valid;
        ask_ipv6_reg    <= source_valid ? source_ipv6 : host_ipv6_reg;
        ask_op_reg      <= !source_valid             ? host_op_reg :
                           source_ipv4 || source_ipv6 ? `BLOOMLANE_QUERY : `BLOOMLANE_PASS;
        ask_address_reg <= source_valid ? source : host_address_reg;
    end

    // ---- the table: both hashes, of which the shorter waits for the longer

    localparam HASHED = 14; // the latencies: of bloomlane_siphash with 16 bytes
    localparam SHORT  = 10; // with 4
    localparam SPREAD = 6;
    localparam TABLE  = 5;
    localparam LOOKUP = HASHED + SPREAD + TABLE;
    localparam W      = 64;
    localparam KEY    = `BLOOMLANE_DATA_LANES * $clog2(W);

    reg [32*(HASHED-SHORT)-1:0]   short_reg; // the newest in the lowest bits, as in all of these
    reg [HASHED-1:0]              ipv6_reg;
    reg [HASHED+SPREAD-1:0]       valid_reg;
    reg [2*(HASHED+SPREAD)-1:0]   op_reg;
    reg [LOOKUP-1:0]              host_reg;
    reg [LOG2_BLOCKS*SPREAD-1:0]  index_reg;

    wire           key_write;
    wire [63:0]    hash_4;
    wire [63:0]    hash_16;
    wire [63:0]    h = ipv6_reg[HASHED-1] ? hash_16 : hash_4;
    wire [63:0]    g;
    wire [KEY-1:0] positions;
    wire           cleared;
    wire           result_valid;
    wire [1:0]     result;

    always @(posedge clk) begin
        short_reg <= {short_reg[32*(HASHED-SHORT-1)-1:0], ask_address_reg[127:96]};
        ipv6_reg  <= {ipv6_reg[HASHED-2:0], ask_ipv6_reg};
        valid_reg <= {valid_reg[HASHED+SPREAD-2:0], ask_valid_reg};
        op_reg    <= {op_reg[2*(HASHED+SPREAD-1)-1:0], ask_op_reg};
        host_reg  <= {host_reg[LOOKUP-2:0], ask_host_reg};
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

    bloomlane_table_core #(.W(W), .LOG2_BLOCKS(LOG2_BLOCKS)) core (
        .clk         (clk),
        .rst         (rst),
        .ready       (cleared),
        .in_valid    (valid_reg[HASHED+SPREAD-1]),
        .in_op       (op_reg[2*(HASHED+SPREAD)-1 -: 2]),
        .in_index    (index_reg[LOG2_BLOCKS*SPREAD-1 -: LOG2_BLOCKS]),
        .in_positions(positions),
        .out_valid   (result_valid),
        .out_result  (result)
    );

    assign listed_valid = result_valid && !host_reg[LOOKUP-1];
    assign listed       = result != `BLOOMLANE_ABSENT;

    // ---- the registers

    reg  [3:0]  written_reg = 4'd0; // words of the key: what no reset changes
    reg  [1:0]  host_result_reg;
    reg  [47:0] denied_reg;
    reg  [47:0] passed_reg;
    reg  [47:0] bad_reg;
    reg  [47:0] lost_reg;
    reg  [15:0] upper_reg;          // of the counter whose lower word was read
    reg         bus_ready_reg;
    reg  [31:0] bus_answer_reg;
    reg         bus_error_reg;

    wire        host_done = result_valid && host_reg[LOOKUP-1];
    wire        ended     = beat_take && beat_last;
    wire        request   = bus_valid && !bus_ready_reg && !host_asks_reg && !host_waits_reg && !rst;
    wire        writes    = request && bus_write && &bus_strobe;
    wire [13:0] word      = bus_address[15:2];
    wire        operates  = writes && word == 14'h08 && &written_reg;

    assign ready     = cleared && &written_reg;
    assign key_write = writes && word[13:2] == 12'h0;

    reg  [47:0] counter;
    reg  [31:0] answer;

    always @* begin
        case (word[2:1])
            2'd2:    counter = denied_reg; // 30
            2'd3:    counter = passed_reg; // 38
            2'd0:    counter = bad_reg;    // 40
            default: counter = lost_reg;   // 48
        endcase
        answer = 32'd0;
        if (word[13:2] == 12'h1)
            case (word[1:0])
                2'd0:    answer = host_address_reg[127:96];
                2'd1:    answer = host_address_reg[95:64];
                2'd2:    answer = host_address_reg[63:32];
                default: answer = host_address_reg[31:0];
            endcase
        if (word == 14'h08)
            answer = {30'd0, host_result_reg};
        if (word == 14'h09)
            answer = {31'd0, ready};
        if (word[13:2] == 12'h3 || word[13:2] == 12'h4)
            answer = word[0] ? {16'd0, upper_reg} : counter[31:0];
    end

    genvar w;
    generate
        for (w = 0; w < 4; w = w + 1) begin : key_and_address
            localparam [31:0] WORD = w;
            always @(posedge clk) begin
                if (key_write && word[1:0] == WORD[1:0])
                    written_reg[w] <= 1'b1;
                if (writes && word[13:2] == 12'h1 && word[1:0] == WORD[1:0])
                    host_address_reg[127-32*w -: 32] <= bus_data;
            end
        end
    endgenerate

    always @(posedge clk) begin
        bus_ready_reg  <= request && !operates || host_done && host_waits_reg;
        bus_answer_reg <= answer;
        bus_error_reg  <= bus_write && (!(&bus_strobe) || word == 14'h08 && !(&written_reg));
        if (request && !bus_write && !word[0])
            upper_reg <= counter[47:32];

        if (operates) begin
            host_op_reg   <= bus_data[1:0];
            host_ipv6_reg <= bus_data[2];
        end
        host_asks_reg  <= operates || host_asks_reg && !host_turn;
        host_waits_reg <= operates || host_waits_reg && !host_done;
        turn_reg       <= DROP_FULL == 0 && host_asks_reg && !turn_reg;
        if (host_done)
            host_result_reg <= result;

        if (ended && verdict)
            denied_reg <= denied_reg + 48'd1;
        if (ended && !verdict && beat_bad)
            bad_reg <= bad_reg + 48'd1;
        if (ended && !verdict && !beat_bad)
            passed_reg <= passed_reg + 48'd1;
        if (lost)
            lost_reg <= lost_reg + 48'd1;

        if (rst) begin
            bus_ready_reg   <= 1'b0;
            host_asks_reg   <= 1'b0;
            host_waits_reg  <= 1'b0;
            turn_reg        <= 1'b0;
            host_result_reg <= 2'd0;
            denied_reg      <= 48'd0;
            passed_reg      <= 48'd0;
            bad_reg         <= 48'd0;
            lost_reg        <= 48'd0;
        end
    end

    assign bus_ready  = bus_ready_reg;
    assign bus_answer = bus_answer_reg;
    assign bus_error  = bus_error_reg;

    wire unused = &{1'b0, verdict_room, bus_address[1:0]};
endmodule

`default_nettype wire
