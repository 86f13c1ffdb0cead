// The in-line engine against a model of it that holds its beats and results in order, whatever comes in,
// resets in mid-packet included: unbounded, by induction. The model's queues have a word where the engine
// has one in a memory, in a queue, in the pipeline or at the output, and the invariant is that both hold the
// same. So
//
//   - no queue is offered a word while it refuses one, no memory one for which it has no place, and beats,
//     marks, fields and flags stay in step;
//   - the ring at the output never overflows, whatever stalls, and after a reset all of its places are free;
//   - a beat leaves once, in its order, with its byte enables, tid, tdest, user and tlast;
//   - a packet gets its own result, whatever ran ahead of it or follows;
//   - a packet whose beats were offered without a gap leaves without one, where not CUT_THROUGH, whatever
//     stalls;
//   - with DROP_CUT, what is left of a packet that a reset has cut is not taken, and the next packet is whole;
//   - a byte of the field leaves as what the operation made of it, or as it came where none was applied,
//     and any other byte as it came;
//   - with PLACES = 2, a packet's field is at the place that its first beat names, and nowhere if that is
//     neither of the two.
//
// One bit of a byte's place in a beat is followed: BYTE, of the field at PLACE. The pipeline and the count of ones
// are replaced by an XOR with the mask and by one bit of the field: the engine carries what they answer and
// does not look at it, and proofs pipe and fill say what they do answer.
`include "bloomlane_params.vh"

module bloomlane_pipe #(parameter W = 32, parameter DEPTH = 2, parameter POSITIONS = 0, parameter TAG = 1) (
    input clk, rst, advance, in_valid, input [1:0] in_op, input [8*W-1:0] in_block, in_key, input [TAG-1:0] in_tag,
    output out_valid, output [8*W-1:0] out_block, output [1:0] out_result, output [TAG-1:0] out_tag
);
    reg [1:0]         valid_reg;
    reg [8*W+TAG+1:0] word_0, word_1;
    always @(posedge clk) begin
        valid_reg <= rst ? 2'd0 : {valid_reg, in_valid};
        word_0    <= {in_tag, in_op, in_block ^ in_key};
        word_1    <= word_0;
    end
    assign out_valid = valid_reg[1];
    assign {out_tag, out_result, out_block} = word_1;
endmodule

module bloomlane_fill #(parameter BITS = 256, parameter LATENCY = 4) (
    input clk, advance, input [BITS-1:0] bits, input [$clog2(BITS+1)-1:0] limit, output overfull
);
    reg [3:0] full_reg;
    always @(posedge clk) full_reg <= {full_reg, bits[BITS/8-1] && limit[0]};
    assign overfull = full_reg[3];
endmodule

module stream #(
    parameter DATA_BYTES = 32, parameter OFFSET = 0, parameter BYTE = 3, parameter W = 32, parameter LOG2_DEPTH = 2,
    parameter CUT_THROUGH = 0, parameter DROP_CUT = 0,
    parameter PLACES = 1, parameter OFFSET_1 = 0, parameter PLACE = 0
) (
    input clk, input rst,
    input [8*DATA_BYTES-1:0] s_axis_tdata, input [DATA_BYTES-1:0] s_axis_tkeep,
    input s_axis_tvalid, input s_axis_tlast, input s_axis_tid, input s_axis_tdest, input [7*$clog2(W)+(PLACES>1?6:3):0] s_axis_tuser,
    input m_axis_tready,
    input program_valid, input [1:0] program_op, input [8*W-1:0] program_mask
);
    localparam DEPTH = 1 << LOG2_DEPTH;
    // By place. The parts of both are numbered in a row, those of OFFSET_1 from PARTS_0 on.
    localparam FIRST_0 = OFFSET / DATA_BYTES,   SHIFT_0 = OFFSET % DATA_BYTES;
    localparam FIRST_1 = OFFSET_1 / DATA_BYTES, SHIFT_1 = OFFSET_1 % DATA_BYTES;
    localparam PARTS_0 = (SHIFT_0 + W + DATA_BYTES - 1) / DATA_BYTES; // a field has W bytes
    localparam PARTS_1 = PLACES > 1 ? (SHIFT_1 + W + DATA_BYTES - 1) / DATA_BYTES : 0;
    localparam PART_0  = (SHIFT_0 + BYTE) / DATA_BYTES, AT_0 = (SHIFT_0 + BYTE) % DATA_BYTES; // the followed byte's
    localparam PART_1  = (SHIFT_1 + BYTE) / DATA_BYTES, AT_1 = (SHIFT_1 + BYTE) % DATA_BYTES;
    localparam AFTER_0 = FIRST_0 + PARTS_0;
    localparam AFTER_1 = FIRST_1 + PARTS_1;
    localparam PARTS = PARTS_0 + PARTS_1;
    localparam AFTER = AFTER_1 > AFTER_0 ? AFTER_1 : AFTER_0;
    localparam BEAT  = 9 * DATA_BYTES + 3;
    localparam KEY   = 7 * $clog2(W);
    localparam PART  = PLACE ? PARTS_0 + PART_1 : PART_0;         // the followed byte's part
    localparam AT    = PLACE ? AT_1 : AT_0;                       // the followed byte of a beat

    (* anyconst *) reg [$clog2(8*W+1)-1:0] fill_limit;
    (* anyseq *)   reg colour; // a packet's, to tell it by

    wire                    s_axis_tready, m_axis_tvalid, m_axis_tlast, m_axis_tid, m_axis_tdest;
    wire [8*DATA_BYTES-1:0] m_axis_tdata;
    wire [DATA_BYTES-1:0]   m_axis_tkeep;
    wire [5:0]              m_axis_tuser;

    bloomlane_inline #(
        .DATA_BYTES(DATA_BYTES), .W(W), .OFFSET(OFFSET), .LOG2_DEPTH(LOG2_DEPTH), .CUT_THROUGH(CUT_THROUGH),
        .DROP_CUT(DROP_CUT), .PLACES(PLACES), .OFFSET_1(OFFSET_1), .ID_WIDTH(1), .DEST_WIDTH(1), .USER_WIDTH(1)
    ) engine (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tid(s_axis_tid),
        .s_axis_tdest(s_axis_tdest), .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tid(m_axis_tid),
        .m_axis_tdest(m_axis_tdest), .m_axis_tuser(m_axis_tuser),
        .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask), .fill_limit(fill_limit)
    );

    // The engine's own wires: flatten connects a wire of this attribute to the one of its name.
    (* hierconn *) wire [PARTS-1:0] \engine.part ;
    (* hierconn *) wire [$clog2(AFTER_0+1)-1:0] \engine.located[0].beats.beat_reg ;
    (* hierconn *) wire [$clog2(AFTER_1+1)-1:0] \engine.located[1].beats.beat_reg ;
    (* hierconn *) wire [PARTS_0-1:0] \engine.located[0].is_part ;
    (* hierconn *) wire [(PARTS_1?PARTS_1:1)-1:0] \engine.located[1].is_part ;
    (* hierconn *) wire \engine.located[0].is_after , \engine.located[1].is_after ;
    (* hierconn *) wire [2:0] \engine.places.in_place_reg , \engine.places.place_reg ;
    (* hierconn *) wire \engine.first , \engine.after , \engine.drop_reg ;
    (* hierconn, init = 1'b0 *) wire \engine.inside_reg ; // with its first value, which flatten does not carry over
    (* hierconn, init = 1'b0 *) wire \engine.in_taken_reg ;
    (* hierconn *) wire \engine.in_ready_reg , \engine.in_rst_reg , \engine.in_last_reg , \engine.program_valid_reg ;
    (* hierconn *) wire [BEAT-1:0] \engine.in_beat_reg ;
    (* hierconn *) wire [KEY+2:0] \engine.in_element_reg ;
    (* hierconn *) wire [LOG2_DEPTH:0] \engine.count_reg ;
    (* hierconn *) wire \engine.accept , \engine.beat_take , \engine.result_take , \engine.ticket_reg , \engine.short_reg , \engine.counted_valid , \engine.done_short , \engine.done_operates , \engine.marks_ready , \engine.flags_ready ;
    (* hierconn *) wire [2-1:0] \engine.op_reg , \engine.program_op_in_reg , \engine.program_op_reg , \engine.done_result , \engine.wait_valid_reg , \engine.pipe.valid_reg ;
    (* hierconn *) wire [4-1:0] \engine.fill.full_reg ;
    (* hierconn *) wire [5-1:0] \engine.counted_flags ;
    (* hierconn *) wire [8-1:0] \engine.wait_reg ;
    (* hierconn *) wire [8*W-1:0] \engine.field , \engine.mask_reg , \engine.program_mask_in_reg , \engine.program_mask_reg , \engine.done_field ;
    (* hierconn *) wire [8*W+4-1:0] \engine.pipe.word_0 ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.beats.read_reg , \engine.beats.write_reg ;
    (* hierconn *) wire [BEAT-1:0] \engine.beats.registered.out_reg , \engine.beats.memory[0] , \engine.beats.memory[1] , \engine.beats.memory[2] , \engine.beats.memory[3] , \engine.beats.memory[4] , \engine.beats.memory[5] , \engine.beats.memory[6] , \engine.beats.memory[7] ;
    (* hierconn *) wire [LOG2_DEPTH+1-1:0] \engine.marks.count_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.marks.read_reg , \engine.marks.write_reg ;
    (* hierconn *) wire \engine.marks.in_ready_reg , \engine.marks.head_valid_reg , \engine.marks.registered.out_valid_reg ;
    (* hierconn *) wire [PARTS+2-1:0] \engine.marks.head_reg , \engine.marks.memory[0] , \engine.marks.memory[1] , \engine.marks.memory[2] , \engine.marks.memory[3] , \engine.marks.memory[4] , \engine.marks.memory[5] , \engine.marks.memory[6] , \engine.marks.memory[7] , \engine.marks.registered.out_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.fields.read_reg , \engine.fields.write_reg ;
    (* hierconn *) wire [8*W-1:0] \engine.fields.registered.out_reg , \engine.fields.memory[0] , \engine.fields.memory[1] , \engine.fields.memory[2] , \engine.fields.memory[3] , \engine.fields.memory[4] , \engine.fields.memory[5] , \engine.fields.memory[6] , \engine.fields.memory[7] ;
    (* hierconn *) wire [3-1:0] \engine.out.read_reg , \engine.out.write_reg , \engine.place_reg ;
    (* hierconn *) wire [BEAT+5:0] \engine.out.memory[0] , \engine.out.memory[1] , \engine.out.memory[2] , \engine.out.memory[3] , \engine.out.memory[4] , \engine.out.memory[5] , \engine.out.memory[6] , \engine.out.memory[7] ;
    (* hierconn *) wire \engine.taken_reg , \engine.taken_last_reg ;
    (* hierconn *) wire [5-1:0] \engine.taken_flags_reg ;
    (* hierconn *) wire [PARTS-1:0] \engine.taken_new_reg ;
    (* hierconn *) wire [LOG2_DEPTH+1-1:0] \engine.flags.count_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.flags.read_reg , \engine.flags.write_reg ;
    (* hierconn *) wire \engine.flags.in_ready_reg , \engine.flags.head_valid_reg , \engine.flags.registered.out_valid_reg ;
    (* hierconn *) wire [5-1:0] \engine.flags.head_reg , \engine.flags.memory[0] , \engine.flags.memory[1] , \engine.flags.memory[2] , \engine.flags.memory[3] , \engine.flags.memory[4] , \engine.flags.memory[5] , \engine.flags.memory[6] , \engine.flags.memory[7] , \engine.flags.registered.out_reg ;

    // ---- what came in a clock ago: the model looks at beats as they are captured

    reg               offered, came_rst, program_came;
    reg [4:0]         filled;      // places of the memory, a clock ago, by beats that were there or might come
    reg               came_in = 0; // whatever is reset
    reg               in_last, program_came_bit;
    reg [1:0]         in_keep, in_field_bit, in_full_bit; // by place
    reg [2:0]         in_place;
    reg [1:0]         program_came_op;
    reg [KEY+2:0]     in_element;
    reg [4:0]         in_beat;     // {user, tdest, tid, tkeep, tdata}, of the followed byte
    localparam BIT = W*(BYTE/(W/8)) + W-8 - 8*(BYTE%(W/8)); // the followed byte's lowest bit, in the block

    always @(posedge clk) begin
        offered      <= s_axis_tvalid;
        came_in      <= s_axis_tvalid && s_axis_tready;
        came_rst     <= rst;
        filled       <= beats + came_in + s_axis_tready;
        in_last      <= s_axis_tlast;
        in_keep      <= {s_axis_tkeep[(SHIFT_1+W-1)%DATA_BYTES], s_axis_tkeep[(SHIFT_0+W-1)%DATA_BYTES]};
        in_field_bit <= {s_axis_tdata[8*AT_1], s_axis_tdata[8*AT_0]};
        in_full_bit  <= {s_axis_tdata[8*SHIFT_1+7], s_axis_tdata[8*SHIFT_0+7]};
        in_place     <= PLACES > 1 ? s_axis_tuser[KEY+(PLACES>1?4:1) +: 3] : 3'd0;
        in_element   <= s_axis_tuser[KEY+3:1];
        in_beat      <= {s_axis_tuser[0], s_axis_tdest, s_axis_tid, s_axis_tkeep[AT], s_axis_tdata[8*AT]};
        program_came <= program_valid && !rst;
        program_came_op  <= program_op;
        program_came_bit <= program_mask[BIT];
    end

    // ---- what the packet that comes in has so far

    reg [$clog2(AFTER+1)-1:0] place;  // of the next beat, up to the one after any field
    reg [2:0]                 where;  // the field is
    reg [1:0]                 op, program_op_now;
    reg                       mask_bit, program_bit_now, field_bit, full_bit, packet;

    wire [8*W-1:0] tuser_mask;
    bloomlane_mask #(.W(W)) decode (in_element[3 +: KEY], tuser_mask);

    // What comes in, whatever is reset: a packet has begun and not ended; it was cut, and is to be dropped.
    reg  inside = 0, cut;
    wire inside_next = came_in ? !in_last : inside;
    always @(posedge clk) begin
        inside <= inside_next;
        cut    <= inside_next && (came_rst || cut);
    end

`ifdef BUG_CUT // the rest of a packet that was cut is taken for a packet
    wire accept     = came_in && !came_rst && !rst;
`else
    wire accept     = came_in && !came_rst && !rst && !(DROP_CUT && cut);
`endif
    wire first      = place == 0;
`ifdef BUG_PLACE // the place is that of the latest beat
    wire [2:0] where_next = in_place;
`else
    wire [2:0] where_next = first ? in_place : where;
`endif
    wire here_0     = where_next == 0;
    wire here_1     = PLACES > 1 && where_next == 1;
    wire none       = !here_0 && !here_1;
    wire after      = here_0 ? place >= AFTER_0 : !here_1 || place >= AFTER_1;
    wire behind     = after && !first; // its result was asked for
    wire final_part = here_0 ? place == AFTER_0 - 1 : here_1 && place == AFTER_1 - 1;
    wire tick       = final_part || none && first || in_last && !after; // its result is asked for
    wire programmed = in_element[2];

    wire [1:0] op_next        = !first ? op : programmed ? program_op_now : in_element[1:0];
    wire       mask_bit_next  = !first ? mask_bit : programmed ? program_bit_now : tuser_mask[BIT];
    wire       packet_next    = !first ? packet : colour;
    wire       field_bit_next = place == (here_1 ? FIRST_1 + PART_1 : FIRST_0 + PART_0) ? in_field_bit[here_1] : field_bit;
    wire       full_bit_next  = place == (here_1 ? FIRST_1 : FIRST_0) ? in_full_bit[here_1] : full_bit;
    wire       short_next     = !(final_part && in_keep[here_1]);
    wire       over_next      = full_bit_next && fill_limit[0] && !short_next;
    wire       applied_next   = !short_next && !over_next && op_next != `BLOOMLANE_PASS;

    reg [PARTS_0-1:0] part_0; // were it there
    reg [(PARTS_1?PARTS_1:1)-1:0] part_1;
    integer i;
    always @* begin
        for (i = 0; i < PARTS_0; i = i + 1) part_0[i] = place == FIRST_0 + i;
        for (i = 0; i < PARTS_1; i = i + 1) part_1[i] = place == FIRST_1 + i;
    end
    wire [PARTS-1:0] part = {part_1 & {PARTS{here_1}}, part_0 & {PARTS_0{here_0}}};

    // ---- the queues of the model, the oldest word lowest

    localparam N = DEPTH + 1;
    localparam B = 5;         // {user, tdest, tid, tkeep, tdata}
    localparam M = PARTS + 2; // {part, waits, last}
    localparam F = 7;         // {packet, field bit, flags}
    reg [3:0]     beats, results;
    reg [B*N-1:0] beat;
    reg [M*N-1:0] mark;
    reg [3*N-1:0] owner;      // {gap, packet, tick}
    reg [F*N-1:0] result;
    reg           fronted;    // the packet at the front has its result, and the beat that asked has left
    reg [2:0]     came;       // a beat, one to three clocks ago
    reg           gapped;     // the packet that comes in has had a clock without an offer, ahead of a beat
    reg           leaving;    // the packet at the front has begun to leave
    reg [2:0]     since;      // clocks since the packet that comes in has asked for its result, 5 for more

    wire take      = \engine.beat_take && !rst;
    wire take_last = take && mark[0];

    wire [M-1:0] mark_in   = {part, |part || after || in_last, in_last};
    wire [F-1:0] result_in = {packet_next, field_bit_next ^ mask_bit_next,
                              short_next, over_next, applied_next, op_next & {2{applied_next}}};

    // Where the next words go.
    wire [3:0] beat_at   = beats - take;
    wire [3:0] result_at = results - take_last;

    // The beat that was taken a clock ago, and the ring at the output.
    localparam O = 8;         // {flags, last, what of a beat is no data}: its words, as far as all of it is compared
    reg             t_valid, t_last, t_gap, t_bit;
    reg [B-1:0]     t_beat;
    reg [4:0]       t_flags;
    reg [PARTS-1:0] t_new;
    reg [3:0]       outs;
    reg [10*O-1:0]  out;      // {flags, last, user, tdest, tid, tkeep}
    reg [O-1:0]     out_bit, out_known;
    reg             o_leaving; // the packet at the output has begun to leave
    wire            o_take = outs != 0 && m_axis_tready;
    wire [3:0]      out_at = outs - o_take;

    // The packet's next beat came without a gap: it is due when its packet has begun to leave.
    wire            due     = !(beats == 0 ? gapped : owner[2]);
    wire            o_due   = outs != 0 || (t_valid ? !t_gap : due);
    reg         other_part; // the byte is one of the field, in another part than the followed one
    always @* begin
        other_part = 0;
        for (i = 0; i < PARTS; i = i + 1) begin
            if (i < PARTS_0 && i != PART && DATA_BYTES*i + AT >= SHIFT_0 && DATA_BYTES*i + AT < SHIFT_0 + W && t_new[i])
                other_part = 1;
            if (i >= PARTS_0 && i != PART && DATA_BYTES*(i-PARTS_0) + AT >= SHIFT_1 &&
                DATA_BYTES*(i-PARTS_0) + AT < SHIFT_1 + W && t_new[i])
                other_part = 1;
        end
    end

    always @(posedge clk) begin
        if (program_came) begin
            program_op_now  <= program_came_op;
            program_bit_now <= program_came_bit;
        end
        came       <= {came, accept};
`ifdef BUG_GAP // a gap in what comes in is not seen
        gapped     <= 0;
`else
        gapped     <= !(accept && in_last) && (gapped || !first && !offered);
`endif
        since      <= accept && tick ? 1 : since == 5 ? 5 : since + 1'b1;
        beats      <= beat_at + accept;
        results    <= result_at + (accept && tick);
        if (accept) begin
            place     <= in_last ? 0 : place == AFTER ? AFTER : place + 1'b1;
            where     <= where_next;
            op        <= op_next;
            mask_bit  <= mask_bit_next;
            packet    <= packet_next;
            field_bit <= field_bit_next;
            full_bit  <= full_bit_next;
        end
        if (take) begin
            beat    <= beat >> B;
            mark    <= mark >> M;
            owner   <= owner >> 3;
            fronted <= !mark[0] && (fronted || owner[0]);
            leaving <= !mark[0];
        end
        if (take_last) result <= result >> F;
        for (i = 0; i < N; i = i + 1) begin
            if (accept && beat_at == i) begin
                beat[B*i +: B]  <= in_beat;
                mark[M*i +: M]  <= mark_in;
                owner[3*i +: 3] <= {gapped, packet_next, tick};
            end
            if (accept && tick && result_at == i) result[F*i +: F] <= result_in;
        end
        t_valid <= take;
        t_last  <= mark[0];
        t_gap   <= owner[2];
        t_beat  <= beat[B-1:0];
        t_bit   <= result[5];
        t_flags <= mark[0] ? result[4:0] : 5'd0;
        t_new   <= mark[2 +: PARTS] & {PARTS{result[2]}};
        outs    <= out_at + t_valid;
        if (o_take) begin
            out       <= out >> 10;
            out_bit   <= out_bit >> 1;
            out_known <= out_known >> 1;
            o_leaving <= !out[4];
        end
        for (i = 0; i < O; i = i + 1) if (t_valid && out_at == i) begin
            out[10*i +: 10] <= {t_flags, t_last, t_beat[B-1:1]};
`ifdef BUG_FIELD // a byte of the field leaves as it came
            out_bit[i]      <= t_beat[0];
`else
            out_bit[i]      <= t_new[PART] ? t_bit : t_beat[0];
`endif
            out_known[i]    <= !other_part;
        end
        if (rst) begin
`ifndef BUG_RESET // the place in a packet outlives a reset
            place   <= 0;
`endif
            beats   <= 0;
            results <= 0;
            fronted <= 0;
            t_valid <= 0;
            outs    <= 0;
            o_leaving <= 0;
            came    <= 0;
            gapped  <= 0;
            leaving <= 0;
            since   <= 5;
            program_op_now <= `BLOOMLANE_PASS;
        end
    end

    // ---- the engine's queues against the model's

    wire ticket = \engine.ticket_reg ;
    wire done_0 = \engine.pipe.valid_reg [0];
    wire done_1 = \engine.pipe.valid_reg [1];
    wire wait_0 = \engine.wait_valid_reg [0];
    wire wait_1 = \engine.wait_valid_reg [1];

    wire [3:0] at_done_0 = results - ticket;   // of these in the model's queue: one more than their index
    wire [3:0] at_done_1 = at_done_0 - done_0;
    wire [3:0] fields    = at_done_1 - done_1;
    wire [3:0] at_wait_1 = fields - wait_0;
    wire [3:0] flags     = at_wait_1 - wait_1;

    function [B-1:0] seen(input [BEAT-1:0] word);
        seen = {word[BEAT-1 -: 3], word[8*DATA_BYTES+AT], word[8*AT]};
    endfunction
    function asks(input [3:0] n);
        asks = owner >> 3 * n;
    endfunction
    function [F-1:0] at(input [F*N-1:0] queue, input [3:0] n);
        at = queue >> F * (n - 1);
    endfunction

    wire [9:0]    newest = out >> 10 * (outs - 1); // of the ring
    reg [N-1:0]   result_bits, result_matters;
    reg [5*N-1:0] result_flags;
    always @* for (i = 0; i < N; i = i + 1) begin
        result_bits[i]         = result[F*i+5];
        result_matters[i]      = result[F*i+2];
        result_flags[5*i +: 5] = result[F*i +: 5];
    end

    reg started = 0;
    always @(posedge clk) started <= 1;
    always @* if (!started) assume (rst);

    formal_queue #(.WIDTH(B), .LOG2_DEPTH(LOG2_DEPTH), .WAITS(1)) beats_are (
        started, beats, beat, {N{1'b1}},
        \engine.count_reg , \engine.beats.read_reg , \engine.beats.write_reg ,
        {seen(\engine.beats.memory[7] ), seen(\engine.beats.memory[6] ), seen(\engine.beats.memory[5] ), seen(\engine.beats.memory[4] ),
         seen(\engine.beats.memory[3] ), seen(\engine.beats.memory[2] ), seen(\engine.beats.memory[1] ), seen(\engine.beats.memory[0] )},
        1'b0, {B{1'b0}}, 1'b0, {B{1'b0}});
    formal_queue #(.WIDTH(M), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(1)) marks_are (
        started, beats, mark, {N{1'b1}},
        \engine.marks.count_reg , \engine.marks.read_reg , \engine.marks.write_reg ,
        {\engine.marks.memory[7] , \engine.marks.memory[6] , \engine.marks.memory[5] , \engine.marks.memory[4] ,
         \engine.marks.memory[3] , \engine.marks.memory[2] , \engine.marks.memory[1] , \engine.marks.memory[0] },
        \engine.marks.head_valid_reg , \engine.marks.head_reg ,
        \engine.marks.registered.out_valid_reg , \engine.marks.registered.out_reg );
    formal_queue #(.WIDTH(1), .LOG2_DEPTH(LOG2_DEPTH), .WAITS(1)) fields_are (
        started, fields, result_bits, result_matters,
        fields[LOG2_DEPTH:0], \engine.fields.read_reg , \engine.fields.write_reg ,
        {\engine.fields.memory[7] [BIT], \engine.fields.memory[6] [BIT], \engine.fields.memory[5] [BIT], \engine.fields.memory[4] [BIT],
         \engine.fields.memory[3] [BIT], \engine.fields.memory[2] [BIT], \engine.fields.memory[1] [BIT], \engine.fields.memory[0] [BIT]},
        1'b0, 1'b0, 1'b0, 1'b0);
    function [9:0] leaves(input [BEAT+5:0] word);
        leaves = {word[BEAT+5:BEAT], word[BEAT-1 -: 3], word[8*DATA_BYTES+AT]};
    endfunction
    formal_queue #(.WIDTH(10), .LOG2_DEPTH(3), .N(O), .WAITS(1)) out_is (
        started, outs, out, {O{1'b1}},
        outs, \engine.out.read_reg , \engine.out.write_reg ,
        {leaves(\engine.out.memory[7] ), leaves(\engine.out.memory[6] ), leaves(\engine.out.memory[5] ), leaves(\engine.out.memory[4] ),
         leaves(\engine.out.memory[3] ), leaves(\engine.out.memory[2] ), leaves(\engine.out.memory[1] ), leaves(\engine.out.memory[0] )},
        1'b0, 10'd0, 1'b0, 10'd0);
    formal_queue #(.WIDTH(1), .LOG2_DEPTH(3), .N(O), .WAITS(1)) out_bits_are (
        started, outs, out_bit, out_known,
        outs, \engine.out.read_reg , \engine.out.write_reg ,
        {\engine.out.memory[7] [8*AT], \engine.out.memory[6] [8*AT], \engine.out.memory[5] [8*AT], \engine.out.memory[4] [8*AT],
         \engine.out.memory[3] [8*AT], \engine.out.memory[2] [8*AT], \engine.out.memory[1] [8*AT], \engine.out.memory[0] [8*AT]},
        1'b0, 1'b0, 1'b0, 1'b0);
    formal_queue #(.WIDTH(5), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(1)) flags_are (
        started, flags, result_flags, {N{1'b1}},
        \engine.flags.count_reg , \engine.flags.read_reg , \engine.flags.write_reg ,
        {\engine.flags.memory[7] , \engine.flags.memory[6] , \engine.flags.memory[5] , \engine.flags.memory[4] ,
         \engine.flags.memory[3] , \engine.flags.memory[2] , \engine.flags.memory[1] , \engine.flags.memory[0] },
        \engine.flags.head_valid_reg , \engine.flags.head_reg ,
        \engine.flags.registered.out_valid_reg , \engine.flags.registered.out_reg );

    // What is on its way to the queues of results: {short, operates, result, a bit of the field, the same
    // of the count}, against a word of the model.
    function agrees(input [F-1:0] word, input short, operates, input [1:0] code, input x, full);
        agrees = word[4] == short && word[3] == (full && !short) &&
                 word[2] == (operates && !short && !word[3]) && word[1:0] == (code & {2{word[2]}}) &&
                 (!word[2] || word[5] == x);
    endfunction

    // Beats of the packet that comes in.
    reg [3:0] own;
    always @* begin
        own = 0;
        for (i = 0; i < N; i = i + 1) if (i < beats) own = mark[M*i] ? 0 : own + 1'b1;
    end

    // Packets in the queue, from the oldest: each asks once, and ends after it.
    reg       asked, orderly;
    reg [3:0] packets;                       // whose results were asked for
    always @* begin
        asked = fronted; orderly = 1; packets = fronted;
        for (i = 0; i < N; i = i + 1) if (i < beats) begin
            if ((mark[M*i] || |mark[M*i+2 +: PARTS]) && !mark[M*i+1]) orderly = 0;
            if (mark[M*i+2 +: PARTS] & (mark[M*i+2 +: PARTS] - 1'b1)) orderly = 0;
            if (owner[3*i]) begin
                if (asked || !mark[M*i+1]) orderly = 0;
                asked   = 1;
                packets = packets + 1'b1;
            end
            if (asked && at(result, packets) >> (F - 1) != owner[3*i+1]) orderly = 0;
            if (asked && !mark[M*i+1]) orderly = 0;
            if (i + 1 < beats && !mark[M*i] && owner[3*i+1] != owner[3*i+4]) orderly = 0;
            if (i + 1 == beats && (mark[M*i] ? !first : first || owner[3*i+1] != packet)) orderly = 0;
            if (mark[M*i]) begin
                if (!asked) orderly = 0;
                asked = 0;
            end
        end
        if (asked && at(result, packets) >> (F - 1) != packet) orderly = 0;
    end

    generate // a part of the field is kept until the last one, which is not
        if (PARTS_0 > 1) always @* if (started && where == 0 && place > FIRST_0) assert (\engine.field [W-1] == full_bit);
        if (PARTS_1 > 1) always @* if (started && where == 1 && place > FIRST_1) assert (\engine.field [W-1] == full_bit);
        if (PART_0 + 1 < PARTS_0) always @* if (started && where == 0 && place > FIRST_0 + PART_0)
            assert (\engine.field [BIT] == field_bit);
        if (PART_1 + 1 < PARTS_1) always @* if (started && where == 1 && place > FIRST_1 + PART_1)
            assert (\engine.field [BIT] == field_bit);
        if (PLACES > 1) always @* if (started) begin
            assert (\engine.places.in_place_reg == in_place);
            if (place != 0) assert (\engine.places.place_reg == where);
            assert (\engine.located[1].beats.beat_reg == (place > AFTER_1 ? AFTER_1 : place));
            assert (\engine.located[1].is_part == part_1 && \engine.located[1].is_after == place >= AFTER_1);
        end
    endgenerate

    always @* begin // no reset makes it so
        assert (\engine.in_taken_reg == came_in);
        if (DROP_CUT) assert (\engine.inside_reg == inside);
    end

    always @* if (started) begin
        // What is captured.
        assert (\engine.in_rst_reg == came_rst);
        assert (\engine.in_last_reg == in_last && \engine.in_element_reg == in_element);
        assert (seen(\engine.in_beat_reg ) == in_beat);
        assert (\engine.in_beat_reg [8*DATA_BYTES + (SHIFT_0+W-1)%DATA_BYTES] == in_keep[0]);
        assert (\engine.in_beat_reg [8*DATA_BYTES + (SHIFT_1+W-1)%DATA_BYTES] == in_keep[1]);
        assert ({\engine.in_beat_reg [8*AT_1], \engine.in_beat_reg [8*AT_0]} == in_field_bit);
        assert ({\engine.in_beat_reg [8*SHIFT_1+7], \engine.in_beat_reg [8*SHIFT_0+7]} == in_full_bit);
        assert (\engine.program_valid_reg == program_came);
        if (program_came) assert (\engine.program_op_in_reg == program_came_op && \engine.program_mask_in_reg [BIT] == program_came_bit);

        // The control.
        assert (\engine.located[0].beats.beat_reg == (place > AFTER_0 ? AFTER_0 : place) && place <= AFTER);
        assert (\engine.located[0].is_part == part_0 && \engine.located[0].is_after == place >= AFTER_0);
        assert (\engine.first == first && \engine.part == part && \engine.after == after);
        assert (orderly && asked == behind && packets == results);
        assert (accept == (\engine.accept && !rst));
        if (came_rst) assert (first);
        if (DROP_CUT) begin
            if (!came_rst) assert (\engine.drop_reg == cut);
            if (!came_rst) assert (cut ? inside && first : inside == !first);
            if (accept && first) assert (!inside); // what is taken for a packet's first beat is one
        end

        // The room: each beat that is offered while s_axis_tready is high has a place. A beat is in the marks'
        // memory for a clock, in or before their output registers for two more, and its result in the
        // pipeline as long.
        assert (beats + came_in + s_axis_tready <= DEPTH);
        if (!came_rst && !s_axis_tready) assert (filled >= DEPTH); // … and it is low for want of room only
        assert (\engine.marks.count_reg >= came[0]);
        assert (\engine.marks.count_reg + \engine.marks.head_valid_reg >= came[0] + came[1]);
        assert (beats >= came[0] + came[1] + came[2]);
        assert (ticket == (came[0] && asks(beats - 1)));
        assert (done_0 == (came[1] && asks(beats - 1 - came[0])));
        assert (done_1 == (came[2] && asks(beats - 1 - came[0] - came[1])));
        assert (\engine.marks.in_ready_reg || came_rst);
        assert (results <= DEPTH);
        if (wait_0) assert (\engine.flags.count_reg <= DEPTH - 2);

        // No queue is offered a word that it refuses.
        if (\engine.accept ) assert (\engine.marks_ready );
        if (\engine.counted_valid ) assert (\engine.flags_ready );

        // The places at the output: as many are promised as beats are on their way or there.
        assert (outs + t_valid <= O - 1);
        assert (\engine.place_reg == \engine.out.read_reg + outs[2:0] + t_valid + 3'd1);
        assert (m_axis_tvalid == (outs != 0));
        if (came_rst) assert (\engine.place_reg == 3'd1 && \engine.out.read_reg == 3'd0);

        // A packet without a gap. Since its field came in, a beat was taken in each clock or there was no room.
        // So 5 beats wait or more, and the marks' output is empty behind a packet's end only.
        if (!CUT_THROUGH) begin
            if (leaving) assert (\engine.flags.registered.out_valid_reg );
            if (came_rst) assert (!s_axis_tready);
            if (!came_rst && came_in && !s_axis_tready) assert (beats >= DEPTH - 2);
            if (place != 0 && offered && !gapped) begin
                if (!s_axis_tready) assert (beats + came_in >= DEPTH - 1);
                if (!came_in) assert (beats >= DEPTH - 2);
            end
            assert (since >= 1 && since <= 5);
            if (behind && since == 1) assert (ticket);
            if (behind && since == 2) assert (done_0);
            if (behind && since == 3) assert (done_1);
            if (behind && since == 4) assert (wait_0);
            if (behind && !gapped) assert (own >= since || beats >= 5);
            if (leaving && beats == 0) assert (gapped);
            if (leaving && beats != 0 && !owner[2]) assert (\engine.marks.registered.out_valid_reg );
            if (leaving && beats > 1 && !mark[0] && !owner[5]) assert (\engine.marks.head_valid_reg );
            if (leaving || \engine.flags.registered.out_valid_reg )
                assert (beats != 2 || mark[0] || owner[5] || \engine.marks.head_valid_reg );

            // A beat that is due was taken as soon as there was a place, and the ring has others meanwhile.
            assert (leaving == (t_valid ? !t_last : outs != 0 ? !newest[4] : o_leaving));
            if (leaving && due) assert (t_valid || outs >= 6);
            if (o_leaving && o_due) assert (m_axis_tvalid);
        end

        // The way of a result.
        assert (\engine.program_op_reg == program_op_now);
        if (program_op_now != `BLOOMLANE_PASS) assert (\engine.program_mask_reg [BIT] == program_bit_now);
        if (place != 0) assert (\engine.op_reg == op);
        if (place != 0 && op != `BLOOMLANE_PASS) assert (\engine.mask_reg [BIT] == mask_bit);
        if (ticket) assert (agrees(at(result, results), \engine.short_reg , \engine.op_reg != `BLOOMLANE_PASS,
                            \engine.op_reg , \engine.field [BIT] ^ \engine.mask_reg [BIT], \engine.field [W-1] && fill_limit[0]));
        if (done_0) assert (agrees(at(result, at_done_0), \engine.pipe.word_0 [8*W+3], \engine.pipe.word_0 [8*W+2],
                            \engine.pipe.word_0 [8*W +: 2], \engine.pipe.word_0 [BIT], \engine.fill.full_reg [0]));
        if (done_1) assert (agrees(at(result, at_done_1), \engine.done_short , \engine.done_operates ,
                            \engine.done_result , \engine.done_field [BIT], \engine.fill.full_reg [1]));
        if (wait_0) assert (agrees(at(result, fields), \engine.wait_reg [3], \engine.wait_reg [2],
                            \engine.wait_reg [1:0], at(result, fields) >> 5, \engine.fill.full_reg [2]));
        if (wait_1) assert (\engine.counted_flags == (at(result, at_wait_1) & 5'd31));

        // What leaves.
        if (take) begin
            assert (beats != 0);
            if (mark[1]) assert (results != 0 && result[F-1] == owner[1]);
        end
        assert (\engine.result_take == (\engine.beat_take && mark[0]));
        assert (\engine.taken_reg == t_valid);
        if (t_valid) begin
            assert (\engine.taken_last_reg == t_last && \engine.taken_flags_reg == t_flags && \engine.taken_new_reg == t_new);
            assert (seen(\engine.beats.registered.out_reg ) == t_beat);
            if (t_new != 0) assert (\engine.fields.registered.out_reg [BIT] == t_bit);
        end
        if (m_axis_tvalid) begin
            assert ({m_axis_tuser[5:1], m_axis_tlast, m_axis_tuser[0], m_axis_tdest, m_axis_tid, m_axis_tkeep[AT]} == out[9:0]);
            if (out_known[0]) assert (m_axis_tdata[8*AT] == out_bit[0]);
        end
    end

    // What may come: a history has each.
    always @* if (started) begin
        cover (accept && first && in_last);
        cover (accept && first && !in_last);
        cover (accept && !first && in_last);
        cover (s_axis_tvalid && !s_axis_tready && !rst);
        cover (!s_axis_tvalid && !first && !rst);
        cover (accept && !in_keep[0]);
        cover (m_axis_tvalid && !m_axis_tready);
        cover (came_in && rst && !first);
        cover (accept && first && programmed && program_op_now == `BLOOMLANE_DELETE);
        cover (accept && first && in_element[2:0] == {1'b0, `BLOOMLANE_DELETE});
        cover (accept && first && in_element[2:0] == {1'b0, `BLOOMLANE_PASS});
        cover (program_came && came_in);
        cover (accept && in_last && short_next && tick);
        cover (inside && !came_in && rst);
    end
endmodule
