// A deny list at a line: frames whose source is in a table are dropped, all others leave as they came.
//
// Each frame's source is read (bloomlane_source) and looked up (bloomlane_list). Meanwhile the frame waits. One that is
// listed is dropped, and one that its MAC calls bad. Frames leave whole, in order and without a gap
// (bloomlane_packet_fifo). A frame that has no source passes.
//
// No frame is let in behind a reset until each word of the key was written and the table is cleared, which takes a
// clock a block; with DROP_FULL a frame that begins before is dropped, and not counted. So a host that loads the list
// and then writes the key lets no listed frame pass. The rest of a frame that a reset cuts is dropped where it comes
// in; of one that is leaving the rest does not come, nor its end: reset what is behind, too.
//
// The host programs the list, and reads counters, over the register bus. An operation, or a block that is read or
// written, takes a clock in which no frame asks. There is one where a line leaves gaps, or frames have more beats than
// their source takes. Else one is made: with DROP_FULL 0 a beat waits for a clock; with DROP_FULL 1 the host waits for
// 64, and then a frame is dropped, which YIELDED counts. So an access is answered within 128 clocks of a ready table.
//
// All side bands are carried with their beats. s_axis_tuser[0] says with a frame's last beat that it is bad.
//
// The registers are in bloomlane_map.vh: the windows TABLE, LIST and GUARD_COUNT. Other windows are holes.
//
// Parameters
//   DATA_BYTES   bytes of a beat: 8, 16, 32, 64 or 128
//   LOG2_BLOCKS  log2 of the number of blocks of 512 bits, 1 to 20
//   LOG2_DEPTH   log2 of the beats in the queue of frames, 2 to 20; the longest frame has a beat less
//   DROP_FULL    1: s_axis_tready is always high, and a frame that finds no room is dropped: for a source that
//                cannot wait, such as a MAC. 0: the source waits for room
//   DSP          1: the spread hash uses multiplier blocks; 0: adders only
//   OUTPUT       1: a further register at the output of the queue of frames; 0: none
//   READ_STAGES  clocks of the table's memory, 1 to 3
//   PARITY       1: FLIPPED counts reads of a block that has odd parity; 0: it is 0
//   ID_WIDTH, DEST_WIDTH  bits of tid and tdest, 0 for none
//   USER_WIDTH   bits of tuser, at least 1
// Latency: 32 + READ_STAGES + OUTPUT clocks, a clock more with less than 64 bytes, from the beat behind which
//   bloomlane_source answers to a frame's first beat out, and 4 + OUTPUT from its last beat if that is later
`default_nettype none

module bloomlane_guard #(
    parameter DATA_BYTES  = 64,
    parameter LOG2_BLOCKS = 9,
    parameter LOG2_DEPTH  = 8,
    parameter DROP_FULL   = 1,
    parameter DSP         = 0,
    parameter OUTPUT      = 0,
    parameter READ_STAGES = 1,
    parameter PARITY      = 0,
    parameter ID_WIDTH    = 0,
    parameter DEST_WIDTH  = 0,
    parameter USER_WIDTH  = 1
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire [8*DATA_BYTES-1:0] s_axis_tdata,
    input  wire [DATA_BYTES-1:0]   s_axis_tkeep, // no holes, and all ones but with the last beat
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire                    s_axis_tlast,
    input  wire [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0]     s_axis_tid,
    input  wire [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0] s_axis_tdest,
    input  wire [USER_WIDTH-1:0]   s_axis_tuser, // bit 0 with the last beat: the frame is bad

    output wire [8*DATA_BYTES-1:0] m_axis_tdata,
    output wire [DATA_BYTES-1:0]   m_axis_tkeep,
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire                    m_axis_tlast,
    output wire [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0]     m_axis_tid,
    output wire [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0] m_axis_tdest,
    output wire [USER_WIDTH-1:0]   m_axis_tuser,

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
        if (!(DATA_BYTES == 8 || DATA_BYTES == 16 || DATA_BYTES == 32 || DATA_BYTES == 64 || DATA_BYTES == 128)) begin : refused_DATA_BYTES
            DATA_BYTES_must_be_8_to_128 refused ();
        end
        if (!(ID_WIDTH >= 0 && DEST_WIDTH >= 0 && USER_WIDTH >= 1)) begin : refused_SIDE
            ID_WIDTH_and_DEST_WIDTH_must_be_0_and_USER_WIDTH_1_or_more refused ();
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

    // A beat is {last, tuser, tdest, tid, tkeep, tdata}.
    localparam ID_AT   = 9 * DATA_BYTES;
    localparam DEST_AT = ID_AT + ID_WIDTH;
    localparam USER_AT = DEST_AT + DEST_WIDTH;
    localparam BEAT    = USER_AT + USER_WIDTH + 1;

    // The beats that wait for a verdict: at most one more than the clocks that it takes, unless what is behind
    // them waits. A verdict is of a frame of which a beat waits, or one beat was the last to leave.
    localparam LOG2_WAITING  = 6;
    localparam LOG2_VERDICTS = 7;

    // ---- frames come in: those that begin when the table is ready

    reg  inside_reg = 1'b0; // a frame has begun and not ended: what no reset changes
    reg  open_reg;
    reg  turn_reg;          // the next clock's beat waits, so that the host has a clock of the table
    reg  yielding_reg;      // a frame is dropped for the same
    wire yields;            // … that begins
    wire ready;
    wire room;
    wire take        = s_axis_tvalid && s_axis_tready;
    wire inside_next = take ? !s_axis_tlast : inside_reg;

    assign s_axis_tready = DROP_FULL != 0 || room && !turn_reg && (open_reg || inside_reg);

    always @(posedge clk) begin
        inside_reg <= inside_next;
        open_reg   <= !rst && (open_reg || ready && !inside_next);
    end

    wire let_in = take && open_reg && !yields && !yielding_reg;

    // ---- the clocks that are made for the host. One is on its way to the table for less than 32.

    wire       host_waits;
    reg  [5:0] waited_reg; // clocks without one
    reg  [4:0] given_reg;  // clocks since one was made, to 31
    wire       over = &given_reg;

    assign yields = DROP_FULL != 0 && take && open_reg && !inside_reg && host_waits && over && &waited_reg;

    always @(posedge clk) begin
        turn_reg     <= DROP_FULL == 0 && host_waits && over && !turn_reg;
        yielding_reg <= yields ? !s_axis_tlast : yielding_reg && inside_next;
        given_reg    <= turn_reg || yields ? 5'd0 : over ? given_reg : given_reg + 5'd1;
        waited_reg   <= !host_waits ? 6'd0 : &waited_reg ? waited_reg : waited_reg + 6'd1;
        if (rst) begin
            turn_reg     <= 1'b0;
            yielding_reg <= 1'b0;
            given_reg    <= 5'd31;
        end
    end

    // ---- the beats wait for their verdicts

    wire            beat_valid;
    wire            beat_take;
    wire [BEAT-1:0] beat;
    wire            beat_last = beat[BEAT-1];
    wire            beat_bad  = beat[USER_AT];
    wire [BEAT-2:0] side; // what leaves
    wire            verdict_valid;
    wire            verdict; // the frame is listed
    wire            verdict_room;
    wire            queue_ready;
    wire            listed_valid;
    wire            listed;
    wire            decided = !beat_last || verdict_valid;

    wire [BEAT-1:0] in_beat;

    assign in_beat[ID_AT-1:0]              = {s_axis_tkeep, s_axis_tdata};
    assign in_beat[USER_AT +: USER_WIDTH]  = s_axis_tuser;
    assign in_beat[BEAT-1]                 = s_axis_tlast;
    assign {m_axis_tkeep, m_axis_tdata}    = side[ID_AT-1:0];
    assign m_axis_tuser                    = side[USER_AT +: USER_WIDTH];
    generate
        if (ID_WIDTH > 0) begin : id
            assign in_beat[ID_AT +: ID_WIDTH] = s_axis_tid;
            assign m_axis_tid = side[ID_AT +: ID_WIDTH];
        end else begin : id
            assign m_axis_tid = 1'b0;
            wire unused = &{1'b0, s_axis_tid};
        end
        if (DEST_WIDTH > 0) begin : dest
            assign in_beat[DEST_AT +: DEST_WIDTH] = s_axis_tdest;
            assign m_axis_tdest = side[DEST_AT +: DEST_WIDTH];
        end else begin : dest
            assign m_axis_tdest = 1'b0;
            wire unused = &{1'b0, s_axis_tdest};
        end
    endgenerate

    bloomlane_fifo #(.WIDTH(BEAT), .LOG2_DEPTH(LOG2_WAITING)) beats (
        .clk      (clk),        .rst      (rst),
        .in_valid (let_in),     .in_ready (room),
        .in_data  (in_beat),
        .out_valid(beat_valid), .out_ready(beat_take), .out_data (beat)
    );

    bloomlane_fifo #(.WIDTH(1), .LOG2_DEPTH(LOG2_VERDICTS)) verdicts (
        .clk      (clk),           .rst      (rst),
        .in_valid (listed_valid),  .in_ready (verdict_room),           .in_data (listed),
        .out_valid(verdict_valid), .out_ready(beat_take && beat_last), .out_data(verdict)
    );

    assign beat_take = beat_valid && decided && queue_ready;

    wire lost;

    bloomlane_packet_fifo #(
        .WIDTH(BEAT - 1), .LOG2_DEPTH(LOG2_DEPTH), .DROP_FULL(DROP_FULL), .OUTPUT(OUTPUT)
    ) frames (
        .clk      (clk),                   .rst      (rst),
        .in_valid (beat_valid && decided), .in_ready (queue_ready), .in_last (beat_last),
        .in_drop  (verdict || beat_bad),   .in_data  (beat[BEAT-2:0]),
        .out_valid(m_axis_tvalid),         .out_ready(m_axis_tready), .out_last(m_axis_tlast),
        .out_data (side),
        .lost     (lost)
    );

    // ---- the sources, and the list

    wire         source_valid;
    wire         source_ipv4;
    wire         source_ipv6;
    wire [127:0] source;

    bloomlane_source #(.DATA_BYTES(DATA_BYTES)) parser (
        .clk      (clk),          .rst      (rst),
        .in_valid (let_in),       .in_last  (s_axis_tlast), .in_keep (s_axis_tkeep), .in_data   (s_axis_tdata),
        .out_valid(source_valid), .out_ipv4 (source_ipv4),  .out_ipv6(source_ipv6),  .out_source(source)
    );

    localparam TARGETS = 6; // windows, of which the table, the list and the counters are the last three

    wire [TARGETS-1:0]    target_valid;
    wire [TARGETS-1:0]    target_ready;
    wire [32*TARGETS-1:0] target_answer;
    wire [TARGETS-1:0]    target_error;
    wire [15:0]           address = {4'd0, bus_address[11:0]}; // in the window

    assign target_ready[2:0]   = 3'b111;
    assign target_answer[95:0] = 96'd0;
    assign target_error[2:0]   = {3{bus_write}};

    bloomlane_bus #(.TARGETS(TARGETS)) bus (
        .bus_valid    (bus_valid),     .bus_write   (bus_write),    .bus_address(bus_address),
        .bus_ready    (bus_ready),     .bus_answer  (bus_answer),   .bus_error  (bus_error),
        .target_valid (target_valid),  .target_ready(target_ready),
        .target_answer(target_answer), .target_error(target_error)
    );

    bloomlane_list #(.LOG2_BLOCKS(LOG2_BLOCKS), .DSP(DSP), .READ_STAGES(READ_STAGES), .PARITY(PARITY)) list (
        .clk         (clk),                    .rst        (rst),             .ready     (ready),
        .in_valid    (source_valid),           .in_ipv4    (source_ipv4),     .in_ipv6   (source_ipv6),
        .in_source   (source),                 .waits      (host_waits),
        .out_valid   (listed_valid),           .out_listed (listed),
        .list_valid  (target_valid[4]),        .table_valid(target_valid[3]),
        .bus_write   (bus_write),              .bus_address(address),
        .bus_strobe  (bus_strobe),             .bus_data   (bus_data),
        .list_ready  (target_ready[4]),        .list_answer(target_answer[32*4 +: 32]),
        .list_error  (target_error[4]),
        .table_ready (target_ready[3]),        .table_answer(target_answer[32*3 +: 32]),
        .table_error (target_error[3])
    );

    wire ended = beat_take && beat_last;

    bloomlane_counters #(.COUNTERS(5)) counters (
        .clk       (clk), .rst(rst),
        .add       ({yields, lost, ended && !verdict && beat_bad, ended && !verdict && !beat_bad, ended && verdict}),
        .bus_valid (target_valid[5]),           .bus_write (bus_write), .bus_address(address),
        .bus_ready (target_ready[5]),
        .bus_answer(target_answer[32*5 +: 32]), .bus_error (target_error[5])
    );

    wire unused = &{1'b0, verdict_room, target_valid[2:0]};
endmodule

`default_nettype wire
