// A block in a packet header, operated on as the packet goes by.
//
// The block is a field of 8*W/8 bytes, lanes 0 to 7 in order, each big-endian; it may straddle beats. It is
// at a fixed place of every packet, or at one of up to four, which s_axis_tuser names on the packet's first
// beat (bloomlane_place finds it), since a tag ahead of the field moves it. One operation a packet: that of
// s_axis_tuser on the packet's first beat, or, where that says so, the programmed one, whose mask may be any
// pattern. In a chain of services "match and delete yourself" is the programmed element with the operation
// delete.
//
// A beat is captured in a register, and waits in a memory while its field is gathered and goes through the
// pipeline, which never stalls. The result of every packet waits in a second memory, and where the two leave,
// the new field replaces the old. The whole packet waits for its result, those beats too that are ahead of
// the field: a packet whose beats came without a gap leaves without one, as a MAC needs it.
//
// No bit of a beat has an enable: what steers are two narrow queues, of beats' marks and of packets' flags.
// A beat leaves the memory only when the ring at the output has a place for it, whatever m_axis_tready is;
// that input meets the ring's pointer alone, and s_axis_tvalid a register.
//
// A packet leaves unchanged, flagged, when it has no field or ends before it does (short), and when its field
// has more than fill_limit ones (overfull): a field of all ones would match every element (LIPSIN, section on
// zFilter's fill factor attacks). The limit is a level, of the fifth clock after the field's last beat.
//
// What m_axis_tuser says of a packet stands on its last beat; it is zero on the others. applied
// says that the operation ran: not short, not overfull, and not a pass.
//
// tid, tdest and user leave with the beat that they came with. user stands at the bottom of both tuser,
// where a MAC has its bad-frame flag. Packets come whole, one after another: the beats of two must not be mixed,
// be their tid what it may.
//
// Parameters
//   DATA_BYTES   bytes of a beat, a power of two up to 128: 64 for a data centre's link, 8 for small parts
//   W            bits of a lane: 32 (a field of 32 bytes) or 64 (64 bytes)
//   OFFSET       byte of the packet where the field starts, from 0
//   PLACES       1: the field is there in every packet; 2 to 4: s_axis_tuser has 3 bits more, the place: 0 is
//                OFFSET, 1 is OFFSET_1, and so on; there is no field at PLACES or above
//   OFFSET_1     byte where the field starts in a packet of place 1, and so on
//   OFFSET_2
//   OFFSET_3
//   LOG2_DEPTH   log2 of the beats that wait, at least 3: a packet's beats up to the field's last one, and
//                for a beat a clock those and 11
//   CUT_THROUGH  0: packets leave without a gap; 1: the beats ahead of the field leave at once, and the rest
//                waits: less latency, and LOG2_DEPTH needs to hold the field's beats only, for a receiver
//                that takes a gap in a packet
//   DROP_CUT     what is left of a packet that a reset has cut: 0: it is taken for a packet; 1: it is
//                dropped, to its last beat
//   ID_WIDTH     bits of tid; 0: the input is ignored, and the output is 0
//   DEST_WIDTH   bits of tdest, the same
//   USER_WIDTH   bits of user, at least 1
// Latency: 7 + FILL = 11 clocks from the field's last beat in to the packet's first beat out, with
//   CUT_THROUGH to the field's first beat; a beat a clock, packets of a single beat included
// Source: Rothenberg et al., "The Deletable Bloom Filter", IEEE Communications Letters 2010; Jokela
//   et al., "LIPSIN", SIGCOMM 2009; AMBA AXI4-Stream (ARM IHI 0051A)
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_inline #(
    parameter DATA_BYTES  = 64,
    parameter W           = 32,
    parameter OFFSET      = 0,
    parameter PLACES      = 1,
    parameter OFFSET_1    = 0,
    parameter OFFSET_2    = 0,
    parameter OFFSET_3    = 0,
    parameter LOG2_DEPTH  = 5,
    parameter CUT_THROUGH = 0,
    parameter DROP_CUT    = 0,
    parameter ID_WIDTH    = 0,
    parameter DEST_WIDTH  = 0,
    parameter USER_WIDTH  = 1
) (
    input  wire                                                  clk,
    input  wire                                                  rst,

    // Packets in. Byte n of a beat is tdata[8n +: 8]; tkeep is partial, or 0, only with tlast.
    input  wire [8*DATA_BYTES-1:0]                               s_axis_tdata,
    input  wire [DATA_BYTES-1:0]                                 s_axis_tkeep,
    input  wire                                                  s_axis_tvalid,
    output wire                                                  s_axis_tready,
    input  wire                                                  s_axis_tlast,
    input  wire [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0]              s_axis_tid,
    input  wire [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0]          s_axis_tdest,
    // {place, positions, programmed, op, user}; PLACES = 1: no place
    input  wire [USER_WIDTH+`BLOOMLANE_DATA_LANES*$clog2(W)+(PLACES > 1 ? 5 : 2):0] s_axis_tuser,

    // Packets out.
    output wire [8*DATA_BYTES-1:0]                               m_axis_tdata,
    output wire [DATA_BYTES-1:0]                                 m_axis_tkeep,
    output wire                                                  m_axis_tvalid,
    input  wire                                                  m_axis_tready,
    output wire                                                  m_axis_tlast,
    output wire [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0]              m_axis_tid,
    output wire [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0]          m_axis_tdest,
    output wire [USER_WIDTH+4:0]                                 m_axis_tuser, // {short, overfull, applied, result, user}

    // The programmed element, for packets whose first beat comes later.
    input  wire                                                  program_valid,
    input  wire [1:0]                                            program_op,
    input  wire [`BLOOMLANE_LANES*W-1:0]                         program_mask,

    // Ones that a field may have; 8*W to let all pass. A level.
    input  wire [$clog2(`BLOOMLANE_LANES*W+1)-1:0]               fill_limit
);
    localparam PIPE_DEPTH  = 2;
    localparam FILL        = 4; // the latency of bloomlane_fill
    localparam BITS        = `BLOOMLANE_LANES * W;
    localparam KEY         = `BLOOMLANE_DATA_LANES * $clog2(W);
    localparam FIELD_BYTES = BITS / 8;
    localparam LANE_BYTES  = W / 8;

    // The beats that the field of a place lies in: its parts. Those of all places are numbered in a row.
    function integer start_of; // byte of the packet
        input integer place;
        start_of = place == 0 ? OFFSET : place == 1 ? OFFSET_1 : place == 2 ? OFFSET_2 : OFFSET_3;
    endfunction
    function integer parts_of;
        input integer place;
        parts_of = (start_of(place) % DATA_BYTES + FIELD_BYTES + DATA_BYTES - 1) / DATA_BYTES;
    endfunction
    function integer base_of; // the number of its first part
        input integer place;
        base_of = place == 0 ? 0 : parts_of(0) + (place == 1 ? 0 : parts_of(1) + (place == 2 ? 0 : parts_of(2) +
                  (place == 3 ? 0 : parts_of(3))));
    endfunction
    function integer waiting_of;
        input integer place;
        waiting_of = parts_of(place) + (CUT_THROUGH != 0 ? 0 : start_of(place) / DATA_BYTES);
    endfunction
    function integer most;
        input integer a, b;
        most = a > b ? a : b;
    endfunction

    localparam PARTS = base_of(PLACES);

    // The beats that wait for the field's last one: with room for fewer the engine would stop for good. Where
    // a beat leaves as another one comes, there is one in each of 5 registers on the way through the marks'
    // queue: with room for 4 a packet would have gaps.
    localparam WAITING    = most(most(waiting_of(0), PLACES > 1 ? waiting_of(1) : 0),
                                 most(PLACES > 2 ? waiting_of(2) : 0, PLACES > 3 ? waiting_of(3) : 0));
    localparam LOG2_LEAST = CUT_THROUGH != 0 ? 2 : 3;

    // No parameters but these: there is no module of such a name.
    generate
        if (!(DATA_BYTES <= 128 && DATA_BYTES == 1 << $clog2(DATA_BYTES))) begin : refused_DATA_BYTES
            DATA_BYTES_must_be_a_power_of_two_to_128 refused ();
        end
        if (!(OFFSET >= 0)) begin : refused_OFFSET
            OFFSET_must_be_0_or_more refused ();
        end
        if (!(PLACES >= 1 && PLACES <= 4)) begin : refused_PLACES
            PLACES_must_be_1_to_4 refused ();
        end
        if (!(OFFSET_1 >= 0 && OFFSET_2 >= 0 && OFFSET_3 >= 0)) begin : refused_OFFSETS
            OFFSETS_must_be_0_or_more refused ();
        end
        if (!(LOG2_DEPTH >= LOG2_LEAST && (1 << LOG2_DEPTH) >= WAITING)) begin : refused_LOG2_DEPTH
            LOG2_DEPTH_must_hold_the_beats_that_wait_for_the_field refused ();
        end
        if (!(CUT_THROUGH == 0 || CUT_THROUGH == 1)) begin : refused_CUT_THROUGH
            CUT_THROUGH_must_be_0_or_1 refused ();
        end
        if (!(DROP_CUT == 0 || DROP_CUT == 1)) begin : refused_DROP_CUT
            DROP_CUT_must_be_0_or_1 refused ();
        end
        if (!(ID_WIDTH >= 0)) begin : refused_ID_WIDTH
            ID_WIDTH_must_be_0_or_more refused ();
        end
        if (!(DEST_WIDTH >= 0)) begin : refused_DEST_WIDTH
            DEST_WIDTH_must_be_0_or_more refused ();
        end
        if (!(USER_WIDTH >= 1)) begin : refused_USER_WIDTH
            USER_WIDTH_must_be_1_or_more refused ();
        end
    endgenerate

`ifdef BLOOMLANE_CHECK
    // The element and the place in tuser may change: they count in the clock in which the beat is taken.
    localparam OFFERED = 9 * DATA_BYTES + 1 + (ID_WIDTH > 0 ? ID_WIDTH : 1) + (DEST_WIDTH > 0 ? DEST_WIDTH : 1) +
                         USER_WIDTH;
    wire [OFFERED-1:0] offered = {s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tid, s_axis_tdest,
                                  s_axis_tuser[USER_WIDTH-1:0]};
    reg  [OFFERED-1:0] offered_reg;
    reg                waits_reg = 1'b0; // for s_axis_tready

    always @(posedge clk) begin
        waits_reg   <= s_axis_tvalid && !s_axis_tready && !rst;
        offered_reg <= offered;
        if (waits_reg && !rst && !(s_axis_tvalid && offered === offered_reg)) begin
            $display("%m: s_axis_tvalid or what it offers changes before s_axis_tready");
            $stop;
        end
        if (s_axis_tvalid && !rst && (s_axis_tkeep & (s_axis_tkeep + 1'b1)) != 0) begin
            $display("%m: s_axis_tkeep is %h, which has holes", s_axis_tkeep);
            $stop;
        end
        if (s_axis_tvalid && !rst && !s_axis_tlast && !(&s_axis_tkeep)) begin
            $display("%m: s_axis_tkeep is %h without s_axis_tlast", s_axis_tkeep);
            $stop;
        end
    end
`endif

    genvar k;
    genvar p;
    genvar n;

    // ---- ingress: beats are captured as they are. There is room for 2^LOG2_DEPTH of them:
    // those that wait, the captured one, and one that may come in this clock.

    localparam DATA    = 8 * DATA_BYTES;
    localparam ID_AT   = DATA + DATA_BYTES;
    localparam DEST_AT = ID_AT + ID_WIDTH;
    localparam USER_AT = DEST_AT + DEST_WIDTH;
    localparam BEAT    = USER_AT + USER_WIDTH;

    wire [BEAT-1:0]       in_beat;      // {user, tdest, tid, tkeep, tdata}
    reg  [BEAT-1:0]       in_beat_reg;
    reg                   in_last_reg;
    reg  [KEY+2:0]        in_element_reg; // {positions, programmed, op}
    reg                   in_taken_reg = 1'b0; // what no reset changes
    reg                   in_rst_reg;
    reg                   in_ready_reg;
    reg  [LOG2_DEPTH:0]   count_reg;    // beats that wait
    wire                  beat_take;    // one of them leaves
    wire                  nearly = &count_reg[LOG2_DEPTH-1:1]; // a place or two are free
    wire                  full   = count_reg[LOG2_DEPTH] || nearly && (count_reg[0] ? in_taken_reg || in_ready_reg :
                                                                                      in_taken_reg && in_ready_reg);

    assign s_axis_tready = in_ready_reg;

    always @(posedge clk) begin
        in_beat_reg    <= in_beat;
        in_last_reg    <= s_axis_tlast;
        in_element_reg <= s_axis_tuser[USER_WIDTH +: KEY+3];
        in_taken_reg   <= s_axis_tvalid && in_ready_reg;
        in_rst_reg     <= rst;
    end

    // ---- ingress: what is left of a packet that a reset has cut

    reg  inside_reg = 1'b0; // a packet has begun and not ended: what no reset changes
    reg  drop_reg;

    wire inside_next = in_taken_reg ? !in_last_reg : inside_reg;
    wire accept      = in_taken_reg && !in_rst_reg && !(DROP_CUT != 0 && drop_reg);

    always @(posedge clk) begin
        inside_reg <= inside_next;
        drop_reg   <= inside_next && (drop_reg || in_rst_reg);

        if (accept != beat_take)
            count_reg <= accept ? count_reg + 1'b1 : count_reg - 1'b1;
        in_ready_reg <= !full;
        if (rst) begin
            count_reg    <= {LOG2_DEPTH+1{1'b0}};
            in_ready_reg <= 1'b0;
        end
    end

    // ---- ingress: where the field of the captured beat's packet is, and which part of it the beat holds

    localparam AT = PLACES > 2 ? 2 : 1;

    wire              first;
    wire [AT-1:0]     at;    // the place, where there is more than one
    wire [PLACES-1:0] here;  // the same, a bit for each; none, where there is no field
    wire [PARTS-1:0]  part;
    wire [PLACES-1:0] ends;  // the place's last part
    wire [PLACES-1:0] whole; // … and the field's last byte
    wire [PLACES-1:0] behind;

    generate
        if (PLACES > 1) begin : places
            reg [2:0]  in_place_reg;
            reg [2:0]  place_reg; // of the packet, behind its first beat
            wire [2:0] place = first ? in_place_reg : place_reg;
            always @(posedge clk) begin
                in_place_reg <= s_axis_tuser[USER_WIDTH+KEY+3 +: 3];
                place_reg    <= place;
            end
            assign at = place[AT-1:0];
            for (k = 0; k < PLACES; k = k + 1) begin : one
                localparam [31:0] PLACE = k;
                assign here[k] = place == PLACE[2:0];
            end
        end else begin : places
            assign at   = 1'b0;
            assign here = 1'b1;
            wire unused = &{1'b0, at};
        end

        for (k = 0; k < PLACES; k = k + 1) begin : located
            localparam PARTS_HERE = parts_of(k);
            localparam LAST_BYTE  = (start_of(k) + FIELD_BYTES - 1) % DATA_BYTES;
            wire                  is_first;
            wire [PARTS_HERE-1:0] is_part;
            wire                  is_after;
            bloomlane_locate #(.FIRST_BEAT(start_of(k) / DATA_BYTES), .PARTS(PARTS_HERE)) beats (
                .clk  (clk),
                .rst  (rst),
                .step (accept),
                .last (in_last_reg),
                .first(is_first),
                .part (is_part),
                .after(is_after)
            );
            assign part[base_of(k) +: PARTS_HERE] = is_part & {PARTS_HERE{here[k]}};
            assign ends[k]   = is_part[PARTS_HERE-1] && here[k];
            assign whole[k]  = ends[k] && in_beat_reg[DATA+LAST_BYTE];
            assign behind[k] = is_after && here[k];
            if (k == 0) begin : of_all
                assign first = is_first;
            end else begin : of_all
                wire unused = &{1'b0, is_first};
            end
        end
    endgenerate

    wire none  = PLACES > 1 && !(|here); // its result waits for nothing
    wire after = |behind || none;

    // ---- the element: this packet's, or the programmed one. Both are captured, and decoded a clock later.

    wire [1:0]      tuser_op         = in_element_reg[1:0];
    wire            tuser_programmed = in_element_reg[2];
    wire [BITS-1:0] tuser_mask;

    reg             program_valid_reg;
    reg  [1:0]      program_op_in_reg;
    reg  [BITS-1:0] program_mask_in_reg;
    reg  [1:0]      program_op_reg;
    reg  [BITS-1:0] program_mask_reg;
    reg  [1:0]      op_reg;
    reg  [BITS-1:0] mask_reg;

    bloomlane_mask #(.W(W)) decode (.positions(in_element_reg[3 +: KEY]), .mask(tuser_mask));

    always @(posedge clk) begin
        program_valid_reg   <= program_valid;
        program_op_in_reg   <= program_op;
        program_mask_in_reg <= program_mask;
        if (program_valid_reg) begin
            program_op_reg   <= program_op_in_reg;
            program_mask_reg <= program_mask_in_reg;
        end
        if (rst) begin
            program_valid_reg <= 1'b0;
            program_op_reg    <= `BLOOMLANE_PASS;
        end

        if (first) begin // until it is taken, nobody looks
            op_reg   <= tuser_programmed ? program_op_reg : tuser_op;
            mask_reg <= tuser_programmed ? program_mask_reg : tuser_mask;
        end
    end

    // ---- the field: gathered from its beats. One ticket a packet, when its field is whole or, if
    // that comes first, when it ends. The last part needs no enable: the ticket comes with it.

    wire [BITS-1:0] field;
    reg             ticket_reg;
    reg             short_reg;

    generate
        for (n = 0; n < FIELD_BYTES; n = n + 1) begin : gather
            localparam HIGH = W * (n / LANE_BYTES) + W - 1 - 8 * (n % LANE_BYTES);
            wire [8*PLACES-1:0] in_byte; // by place
            wire [PLACES-1:0]   in_part;
            reg  [7:0]          byte_reg;
            for (k = 0; k < PLACES; k = k + 1) begin : from
                localparam SHIFT = start_of(k) % DATA_BYTES;
                localparam PART  = (SHIFT + n) / DATA_BYTES;
                localparam BYTE  = (SHIFT + n) % DATA_BYTES;
                assign in_byte[8*k +: 8] = in_beat_reg[8*BYTE +: 8];
                assign in_part[k]        = PART == parts_of(k) - 1 || located[k].is_part[PART];
            end
            if (PLACES > 1) begin : choice
                always @(posedge clk)
                    if (in_part[at])
                        byte_reg <= in_byte[8*at +: 8];
            end else begin : choice
                always @(posedge clk)
                    if (in_part[0])
                        byte_reg <= in_byte;
            end
            assign field[HIGH -: 8] = byte_reg;
        end
    endgenerate

    always @(posedge clk) begin
        ticket_reg <= !rst && accept && (|ends || none && first || in_last_reg && !after);
        short_reg  <= !(|whole);
    end

    // ---- the operation

    wire            done_valid;
    wire [BITS-1:0] done_field;
    wire [1:0]      done_result;
    wire            done_short;
    wire            done_operates;

    bloomlane_pipe #(.W(W), .DEPTH(PIPE_DEPTH), .POSITIONS(0), .TAG(2)) pipe (
        .clk       (clk),
        .rst       (rst),
        .advance   (1'b1),
        .in_valid  (ticket_reg),
        .in_op     (op_reg),
        .in_block  (field),
        .in_key    (mask_reg),
        .in_tag    ({short_reg, op_reg != `BLOOMLANE_PASS}),
        .out_valid (done_valid),
        .out_block (done_field),
        .out_result(done_result),
        .out_tag   ({done_short, done_operates})
    );

    // ---- the count of the field's ones takes longer; the rest of the result waits for it

    wire       counted_valid;
    wire       counted_short;
    wire       counted_operates;
    wire [1:0] counted_result;
    wire       counted_overfull;

    reg  [FILL-PIPE_DEPTH-1:0]     wait_valid_reg;
    reg  [4*(FILL-PIPE_DEPTH)-1:0] wait_reg;

    always @(posedge clk) begin
        wait_valid_reg <= {wait_valid_reg[FILL-PIPE_DEPTH-2:0], done_valid};
        wait_reg       <= {wait_reg[4*(FILL-PIPE_DEPTH-1)-1:0], done_short, done_operates, done_result};
        if (rst)
            wait_valid_reg <= {FILL-PIPE_DEPTH{1'b0}};
    end

    assign counted_valid = wait_valid_reg[FILL-PIPE_DEPTH-1];
    assign {counted_short, counted_operates, counted_result} = wait_reg[4*(FILL-PIPE_DEPTH)-1 -: 4];

    bloomlane_fill #(.BITS(BITS), .LATENCY(FILL)) fill (
        .clk     (clk),
        .advance (1'b1),
        .bits    (field),
        .limit   (fill_limit),
        .overfull(counted_overfull)
    );

    wire       counted_applied = counted_operates && !counted_short && !counted_overfull;
    wire [4:0] counted_flags   = {counted_short, counted_overfull && !counted_short, counted_applied,
                                  counted_result & {2{counted_applied}}};

    // ---- what leaves with a beat as it came

    wire [BEAT-1:0] beat;     // that was taken a clock ago
    wire [BEAT-1:0] out_beat; // that leaves

    assign in_beat[ID_AT-1:0]             = {s_axis_tkeep, s_axis_tdata};
    assign in_beat[USER_AT +: USER_WIDTH] = s_axis_tuser[USER_WIDTH-1:0];
    generate
        if (ID_WIDTH > 0) begin : id
            assign in_beat[ID_AT +: ID_WIDTH] = s_axis_tid;
            assign m_axis_tid = out_beat[ID_AT +: ID_WIDTH];
        end else begin : id
            assign m_axis_tid = 1'b0;
            wire unused = &{1'b0, s_axis_tid};
        end
        if (DEST_WIDTH > 0) begin : dest
            assign in_beat[DEST_AT +: DEST_WIDTH] = s_axis_tdest;
            assign m_axis_tdest = out_beat[DEST_AT +: DEST_WIDTH];
        end else begin : dest
            assign m_axis_tdest = 1'b0;
            wire unused = &{1'b0, s_axis_tdest};
        end
    endgenerate

    // ---- the queues that steer: beats' marks, and packets' flags. A beat is counted from its capture on, and
    // a packet's flags come later than a beat of it: so both have room for what comes (hdl/formal/stream.v).

    wire             beat_valid;
    wire             beat_last;
    wire             beat_waits;  // for the result if CUT_THROUGH: in or after the field, or the last
    wire [PARTS-1:0] beat_part;
    wire             marks_ready; // always, when accept

    bloomlane_fifo #(.WIDTH(PARTS + 2), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(1)) marks (
        .clk      (clk),
        .rst      (rst),
        .in_valid (accept),
        .in_ready (marks_ready),
        .in_data  ({part, |part || after || in_last_reg, in_last_reg}),
        .out_valid(beat_valid),
        .out_ready(beat_take),
        .out_data ({beat_part, beat_waits, beat_last})
    );

    wire       result_take;
    wire       result_valid;
    wire [4:0] result_flags;
    wire       flags_ready;  // always

    bloomlane_fifo #(.WIDTH(5), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(1)) flags (
        .clk      (clk),
        .rst      (rst),
        .in_valid (counted_valid),
        .in_ready (flags_ready),
        .in_data  (counted_flags),
        .out_valid(result_valid),
        .out_ready(result_take),
        .out_data (result_flags)
    );

    // ---- a beat leaves for the ring at the output, which has a place for it. It and its packet's new field
    // come from their memories a clock later, and the ring has it another clock later.

    localparam LOG2_OUT = 3; // the beats that a place is for while it is on its way and back are 3

    reg  [LOG2_OUT-1:0] place_reg; // of the beat behind the next one
    wire [LOG2_OUT-1:0] out_read;
    wire [LOG2_OUT-1:0] out_write;

    wire credit = place_reg != out_read;
    wire pass   = beat_valid && (result_valid || CUT_THROUGH != 0 && !beat_waits);

    assign beat_take   = pass && credit;
    assign result_take = beat_take && beat_last;

    reg              taken_reg;
    reg              taken_last_reg;
    reg  [4:0]       taken_flags_reg;
    reg  [PARTS-1:0] taken_new_reg;   // the part of the field that is replaced

    always @(posedge clk) begin
        taken_reg       <= beat_take;
        taken_last_reg  <= beat_last;
        taken_flags_reg <= beat_last ? result_flags : 5'd0;
        taken_new_reg   <= beat_part & {PARTS{result_flags[2]}};
        if (beat_take)
            place_reg <= place_reg + 1'b1;
        if (rst) begin
            taken_reg <= 1'b0;
            place_reg <= {{LOG2_OUT-1{1'b0}}, 1'b1};
        end
    end

    wire [BITS-1:0]       result_field;
    wire [LOG2_DEPTH-1:0] beats_write, beats_read, fields_write, fields_read; // nobody looks at these

    bloomlane_ring #(.WIDTH(BEAT), .LOG2_DEPTH(LOG2_DEPTH)) beats (
        .clk     (clk),
        .rst     (rst),
        .push    (accept),
        .in_data (in_beat_reg),
        .write   (beats_write),
        .pop     (beat_take),
        .out_data(beat),
        .read    (beats_read)
    );

    bloomlane_ring #(.WIDTH(BITS), .LOG2_DEPTH(LOG2_DEPTH)) fields (
        .clk     (clk),
        .rst     (rst),
        .push    (done_valid),
        .in_data (done_field),
        .write   (fields_write),
        .pop     (result_take),
        .out_data(result_field),
        .read    (fields_read)
    );

    // ---- egress: the new field for the old

    wire [DATA-1:0] data_next;

    // Byte n of a beat is byte DATA_BYTES*p + n - SHIFT of the field, in part p of a place, where there is
    // such a one.
    generate
        for (n = 0; n < DATA_BYTES; n = n + 1) begin : rewrite
            wire [8*PARTS-1:0] new_byte;
            wire [PARTS-1:0]   is_new;
            reg  [7:0]         out_byte;
            integer            part_index;

            for (k = 0; k < PLACES; k = k + 1) begin : from
                localparam SHIFT = start_of(k) % DATA_BYTES;
                for (p = 0; p < parts_of(k); p = p + 1) begin : choice
                    localparam BYTE  = DATA_BYTES * p + n - SHIFT;
                    localparam INDEX = base_of(k) + p;
                    if (BYTE >= 0 && BYTE < FIELD_BYTES) begin : inside_field
                        localparam HIGH = W * (BYTE / LANE_BYTES) + W - 1 - 8 * (BYTE % LANE_BYTES);
                        assign new_byte[8*INDEX +: 8] = result_field[HIGH -: 8];
                        assign is_new[INDEX]          = taken_new_reg[INDEX];
                    end else begin : outside_field
                        assign new_byte[8*INDEX +: 8] = 8'd0;
                        assign is_new[INDEX]          = 1'b0;
                    end
                end
            end

            always @* begin
                out_byte = |is_new ? 8'd0 : beat[8*n +: 8];
                for (part_index = 0; part_index < PARTS; part_index = part_index + 1)
                    out_byte = out_byte | (new_byte[8*part_index +: 8] & {8{is_new[part_index]}});
            end
            assign data_next[8*n +: 8] = out_byte;
        end
    endgenerate

    // ---- egress: the ring at the output

    wire [4:0] out_flags;

    bloomlane_ring #(.WIDTH(BEAT + 6), .LOG2_DEPTH(LOG2_OUT), .OUTPUT(0)) out (
        .clk     (clk),
        .rst     (rst),
        .push    (taken_reg),
        .in_data ({taken_flags_reg, taken_last_reg, beat[BEAT-1:DATA], data_next}),
        .write   (out_write),
        .pop     (m_axis_tvalid && m_axis_tready),
        .out_data({out_flags, m_axis_tlast, out_beat}),
        .read    (out_read)
    );

    assign m_axis_tvalid = out_read != out_write;

    assign {m_axis_tkeep, m_axis_tdata} = out_beat[ID_AT-1:0];
    assign m_axis_tuser                 = {out_flags, out_beat[USER_AT +: USER_WIDTH]};

    wire unused = &{1'b0, marks_ready, flags_ready, beats_write, beats_read, fields_write, fields_read};
endmodule

`default_nettype wire
