// The in-line engine against a model of it that holds its beats and results in order, whatever comes in,
// resets in mid-packet included: unbounded, by induction. The model's queues have a word where the engine
// has one in a queue, in the pipeline or at the output, and the invariant is that both hold the same. So
//
//   - no queue is offered a word while it refuses one, and beats, marks, fields and flags stay in step;
//   - a beat leaves once, in its order, with its byte enables, tid, tdest, user and tlast;
//   - a packet gets its own result, whatever ran ahead of it or follows;
//   - a packet whose beats were offered without a gap leaves without one, where not CUT_THROUGH, whatever
//     stalls;
//   - with DROP_CUT, what is left of a packet that a reset has cut is not taken, and the next packet is whole;
//   - a byte of the field leaves as what the operation made of it, or as it came where none was applied,
//     and any other byte as it came.
//
// One bit of a byte's place in a beat is followed: BYTE, of the field. The pipeline and the count of ones
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
    parameter CUT_THROUGH = 0, parameter DROP_CUT = 0
) (
    input clk, input rst,
    input [8*DATA_BYTES-1:0] s_axis_tdata, input [DATA_BYTES-1:0] s_axis_tkeep,
    input s_axis_tvalid, input s_axis_tlast, input s_axis_tid, input s_axis_tdest, input [7*$clog2(W)+3:0] s_axis_tuser,
    input m_axis_tready,
    input program_valid, input [1:0] program_op, input [8*W-1:0] program_mask
);
    localparam DEPTH = 1 << LOG2_DEPTH;
    localparam FIRST = OFFSET / DATA_BYTES;
    localparam SHIFT = OFFSET % DATA_BYTES;
    localparam PARTS = (SHIFT + W + DATA_BYTES - 1) / DATA_BYTES; // a field has W bytes
    localparam AFTER = FIRST + PARTS;
    localparam BEAT  = 9 * DATA_BYTES + 3;
    localparam PART  = (SHIFT + BYTE) / DATA_BYTES;               // the followed byte's part of the field
    localparam AT    = (SHIFT + BYTE) % DATA_BYTES;               // the followed byte of a beat

    (* anyconst *) reg [$clog2(8*W+1)-1:0] fill_limit;
    (* anyseq *)   reg colour; // a packet's, to tell it by

    wire                    s_axis_tready, m_axis_tvalid, m_axis_tlast, m_axis_tid, m_axis_tdest;
    wire [8*DATA_BYTES-1:0] m_axis_tdata;
    wire [DATA_BYTES-1:0]   m_axis_tkeep;
    wire [5:0]              m_axis_tuser;

    bloomlane_inline #(
        .DATA_BYTES(DATA_BYTES), .W(W), .OFFSET(OFFSET), .LOG2_DEPTH(LOG2_DEPTH), .CUT_THROUGH(CUT_THROUGH),
        .DROP_CUT(DROP_CUT), .ID_WIDTH(1), .DEST_WIDTH(1), .USER_WIDTH(1)
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
    (* hierconn *) wire [$clog2(AFTER+1)-1:0] \engine.locate.beat_reg ;
    (* hierconn *) wire \engine.first , \engine.after , \engine.drop_reg ;
    (* hierconn, init = 1'b0 *) wire \engine.inside_reg ; // with its first value, which flatten does not carry over
    (* hierconn *) wire \engine.accept , \engine.beat_take , \engine.result_take , \engine.ticket_reg , \engine.short_reg , \engine.done_valid , \engine.counted_valid , \engine.done_short , \engine.done_operates , \engine.beat_marks_ready , \engine.field_ready , \engine.result_ready ;
    (* hierconn *) wire [2-1:0] \engine.op_reg , \engine.program_op_reg , \engine.done_result , \engine.wait_valid_reg , \engine.pipe.valid_reg ;
    (* hierconn *) wire [4-1:0] \engine.fill.full_reg ;
    (* hierconn *) wire [5-1:0] \engine.counted_flags ;
    (* hierconn *) wire [8-1:0] \engine.wait_reg ;
    (* hierconn *) wire [8*W-1:0] \engine.field , \engine.mask_reg , \engine.program_mask_reg , \engine.done_field ;
    (* hierconn *) wire [8*W+4-1:0] \engine.pipe.word_0 ;
    (* hierconn *) wire [LOG2_DEPTH+1-1:0] \engine.beats.count_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.beats.read_reg , \engine.beats.write_reg ;
    (* hierconn *) wire \engine.beats.in_ready_reg , \engine.beats.head_valid_reg ;
    (* hierconn *) wire [BEAT-1:0] \engine.beats.head_reg , \engine.beats.memory[0] , \engine.beats.memory[1] , \engine.beats.memory[2] , \engine.beats.memory[3] , \engine.beats.memory[4] , \engine.beats.memory[5] , \engine.beats.memory[6] , \engine.beats.memory[7] ;
    (* hierconn *) wire [LOG2_DEPTH+1-1:0] \engine.marks.count_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.marks.read_reg , \engine.marks.write_reg ;
    (* hierconn *) wire \engine.marks.in_ready_reg , \engine.marks.head_valid_reg , \engine.marks.registered.out_valid_reg ;
    (* hierconn *) wire [PARTS+2-1:0] \engine.marks.head_reg , \engine.marks.memory[0] , \engine.marks.memory[1] , \engine.marks.memory[2] , \engine.marks.memory[3] , \engine.marks.memory[4] , \engine.marks.memory[5] , \engine.marks.memory[6] , \engine.marks.memory[7] , \engine.marks.registered.out_reg ;
    (* hierconn *) wire [LOG2_DEPTH+1-1:0] \engine.fields.count_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.fields.read_reg , \engine.fields.write_reg ;
    (* hierconn *) wire \engine.fields.in_ready_reg , \engine.fields.head_valid_reg ;
    (* hierconn *) wire [8*W-1:0] \engine.fields.head_reg , \engine.fields.memory[0] , \engine.fields.memory[1] , \engine.fields.memory[2] , \engine.fields.memory[3] , \engine.fields.memory[4] , \engine.fields.memory[5] , \engine.fields.memory[6] , \engine.fields.memory[7] ;
    (* hierconn *) wire [LOG2_DEPTH+1-1:0] \engine.flags.count_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \engine.flags.read_reg , \engine.flags.write_reg ;
    (* hierconn *) wire \engine.flags.in_ready_reg , \engine.flags.head_valid_reg , \engine.flags.registered.out_valid_reg ;
    (* hierconn *) wire [5-1:0] \engine.flags.head_reg , \engine.flags.memory[0] , \engine.flags.memory[1] , \engine.flags.memory[2] , \engine.flags.memory[3] , \engine.flags.memory[4] , \engine.flags.memory[5] , \engine.flags.memory[6] , \engine.flags.memory[7] , \engine.flags.registered.out_reg ;

    // ---- what the packet that comes in has so far

    reg [$clog2(AFTER+1)-1:0] place;  // of the next beat, up to the one after the field
    reg [1:0]                 op, program_op_now;
    reg                       mask_bit, program_bit_now, field_bit, full_bit, packet;
    localparam BIT = W*(BYTE/(W/8)) + W-8 - 8*(BYTE%(W/8)); // the followed byte's lowest bit, in the block

    wire [8*W-1:0] tuser_mask;
    bloomlane_mask #(.W(W)) decode (s_axis_tuser[4 +: 7*$clog2(W)], tuser_mask);

    // What comes in, whatever is reset: a packet has begun and not ended; it was cut, and is to be dropped.
    reg  inside = 0, cut;
    wire inside_next = s_axis_tvalid && s_axis_tready ? !s_axis_tlast : inside;
    always @(posedge clk) begin
        inside <= inside_next;
        cut    <= inside_next && (rst || cut);
    end

`ifdef BUG_CUT // the rest of a packet that was cut is taken for a packet
    wire accept     = s_axis_tvalid && s_axis_tready && !rst;
`else
    wire accept     = s_axis_tvalid && s_axis_tready && !rst && !(DROP_CUT && cut);
`endif
    wire first      = place == 0;
    wire after      = place == AFTER;
    wire final_part = place == AFTER - 1;
    wire tick       = final_part || s_axis_tlast && !after; // its result is asked for
    wire programmed = s_axis_tuser[3];

    wire [1:0] op_next        = !first ? op : programmed ? program_op_now : s_axis_tuser[2:1];
    wire       mask_bit_next  = !first ? mask_bit : programmed ? program_bit_now : tuser_mask[BIT];
    wire       packet_next    = !first ? packet : colour;
    wire       field_bit_next = place == FIRST + PART ? s_axis_tdata[8*AT] : field_bit;
    wire       full_bit_next  = place == FIRST ? s_axis_tdata[8*SHIFT+7] : full_bit;
    wire       short_next     = !(final_part && s_axis_tkeep[(SHIFT+W-1)%DATA_BYTES]);
    wire       over_next      = full_bit_next && fill_limit[0] && !short_next;
    wire       applied_next   = !short_next && !over_next && op_next != `BLOOMLANE_PASS;

    reg [PARTS-1:0] part;
    integer i;
    always @* for (i = 0; i < PARTS; i = i + 1) part[i] = place == FIRST + i;

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

    wire [B-1:0] beat_in   = {s_axis_tuser[0], s_axis_tdest, s_axis_tid, s_axis_tkeep[AT], s_axis_tdata[8*AT]};
    wire [M-1:0] mark_in   = {part, |part || after || s_axis_tlast, s_axis_tlast};
    wire [F-1:0] result_in = {packet_next, field_bit_next ^ mask_bit_next,
                              short_next, over_next, applied_next, op_next & {2{applied_next}}};

    // Where the next words go.
    wire [3:0] beat_at   = beats - take;
    wire [3:0] result_at = results - take_last;

    // The output.
    reg         o_valid, o_known, o_last;
    reg [B-1:0] o_beat;
    reg [4:0]   o_flags;
    reg         o_gapless; // a beat is due: one of its packet has left, and no gap came in since
    reg         other_part; // the byte is one of the field, in another part than the followed one
    always @* begin
        other_part = 0;
        for (i = 0; i < PARTS; i = i + 1)
            if (i != PART && DATA_BYTES*i + AT >= SHIFT && DATA_BYTES*i + AT < SHIFT + W && mark[2+i]) other_part = 1;
    end

    always @(posedge clk) begin
        if (program_valid) begin
            program_op_now  <= program_op;
            program_bit_now <= program_mask[BIT];
        end
        came       <= {came, accept};
`ifdef BUG_GAP // a gap in what comes in is not seen
        gapped     <= 0;
`else
        gapped     <= !(accept && s_axis_tlast) && (gapped || !first && !s_axis_tvalid);
`endif
        since      <= accept && tick ? 1 : since == 5 ? 5 : since + 1'b1;
        beats      <= beat_at + accept;
        results    <= result_at + (accept && tick);
        if (accept) begin
            place     <= s_axis_tlast ? 0 : after ? AFTER : place + 1'b1;
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
                beat[B*i +: B]  <= beat_in;
                mark[M*i +: M]  <= mark_in;
                owner[3*i +: 3] <= {gapped, packet_next, tick};
            end
            if (accept && tick && result_at == i) result[F*i +: F] <= result_in;
        end
        o_gapless <= 0;
        if (!o_valid || m_axis_tready) begin
            o_gapless <= leaving && !(beats == 0 ? gapped : owner[2]);
            o_valid <= take;
            o_last  <= mark[0];
`ifdef BUG_FIELD // a byte of the field leaves as it came
            o_beat  <= beat[B-1:0];
`else
            o_beat  <= mark[2+PART] && result[2] ? {beat[B-1:1], result[5]} : beat[B-1:0];
`endif
            o_known <= !(other_part && result[2]);
            o_flags <= mark[0] ? result[4:0] : 5'd0;
        end
        if (rst) begin
`ifndef BUG_RESET // the place in a packet outlives a reset
            place   <= 0;
`endif
            beats   <= 0;
            results <= 0;
            fronted <= 0;
            o_valid <= 0;
            came    <= 0;
            gapped  <= 0;
            leaving <= 0;
            since   <= 5;
            o_gapless <= 0;
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

    formal_queue #(.WIDTH(B), .LOG2_DEPTH(LOG2_DEPTH)) beats_are (
        started, beats, beat, {N{1'b1}},
        \engine.beats.count_reg , \engine.beats.read_reg , \engine.beats.write_reg ,
        {seen(\engine.beats.memory[7] ), seen(\engine.beats.memory[6] ), seen(\engine.beats.memory[5] ), seen(\engine.beats.memory[4] ),
         seen(\engine.beats.memory[3] ), seen(\engine.beats.memory[2] ), seen(\engine.beats.memory[1] ), seen(\engine.beats.memory[0] )},
        \engine.beats.head_valid_reg , seen(\engine.beats.head_reg ), 1'b0, {B{1'b0}});
    formal_queue #(.WIDTH(M), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(1)) marks_are (
        started, beats, mark, {N{1'b1}},
        \engine.marks.count_reg , \engine.marks.read_reg , \engine.marks.write_reg ,
        {\engine.marks.memory[7] , \engine.marks.memory[6] , \engine.marks.memory[5] , \engine.marks.memory[4] ,
         \engine.marks.memory[3] , \engine.marks.memory[2] , \engine.marks.memory[1] , \engine.marks.memory[0] },
        \engine.marks.head_valid_reg , \engine.marks.head_reg ,
        \engine.marks.registered.out_valid_reg , \engine.marks.registered.out_reg );
    formal_queue #(.WIDTH(1), .LOG2_DEPTH(LOG2_DEPTH)) fields_are (
        started, fields, result_bits, result_matters,
        \engine.fields.count_reg , \engine.fields.read_reg , \engine.fields.write_reg ,
        {\engine.fields.memory[7] [BIT], \engine.fields.memory[6] [BIT], \engine.fields.memory[5] [BIT], \engine.fields.memory[4] [BIT],
         \engine.fields.memory[3] [BIT], \engine.fields.memory[2] [BIT], \engine.fields.memory[1] [BIT], \engine.fields.memory[0] [BIT]},
        \engine.fields.head_valid_reg , \engine.fields.head_reg [BIT], 1'b0, 1'b0);
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

    always @* if (DROP_CUT) assert (\engine.inside_reg == inside); // no reset makes it so

    always @* if (started) begin
        // The control.
        assert (\engine.locate.beat_reg == place && place <= AFTER);
        assert (\engine.first == first && \engine.part == part && \engine.after == after);
        assert (orderly && asked == after && packets == results);
        assert (accept == (\engine.accept && !rst));
        if (DROP_CUT) begin
            assert (\engine.drop_reg == cut);
            assert (cut ? inside && first : inside == !first);
            if (accept && first) assert (!inside); // what is taken for a packet's first beat is one
        end

        // The room in the queues. That of beats takes one word more than it has room for when it falls: when
        // it is full, the newest two came in two clocks. A beat is in the marks' memory for a clock, in or
        // before their output registers for two more, and its result in the pipeline as long.
        if (\engine.beats.count_reg == DEPTH)
            assert (!\engine.beats.in_ready_reg && (came[0] ? came[1] : came[1] ? came[2] : 1'b1));
        if (\engine.beats.count_reg == DEPTH - 1 && \engine.beats.in_ready_reg ) assert (came[0]);
        assert (\engine.marks.count_reg >= came[0]);
        assert (\engine.marks.count_reg + \engine.marks.head_valid_reg >= came[0] + came[1]);
        assert (beats >= came[0] + came[1] + came[2]);
        assert (ticket == (came[0] && asks(beats - 1)));
        assert (done_0 == (came[1] && asks(beats - 1 - came[0])));
        assert (done_1 == (came[2] && asks(beats - 1 - came[0] - came[1])));
        assert (\engine.beats.head_valid_reg == (\engine.marks.head_valid_reg || \engine.marks.registered.out_valid_reg ));
        if (flags != 0 || wait_1) assert (\engine.fields.head_valid_reg );
        if (\engine.beats.in_ready_reg ) assert (\engine.marks.in_ready_reg );
        if (done_0) assert (\engine.fields.count_reg <= DEPTH - 2);
        if (wait_0) assert (\engine.flags.count_reg <= DEPTH - 2);

        // No queue is offered a word that it refuses.
        if (\engine.accept ) assert (\engine.beat_marks_ready );
        if (\engine.done_valid ) assert (\engine.field_ready );
        if (\engine.counted_valid ) assert (\engine.result_ready );

        // A packet without a gap. Since its field came in, a beat was taken in each clock or the queue was
        // full. So the queue holds 5 beats or more, and the marks' output is empty behind a packet's end only.
        if (!CUT_THROUGH) begin
            if (leaving) assert (\engine.flags.registered.out_valid_reg );
            if (place != 0 && !\engine.beats.in_ready_reg ) assert (\engine.beats.count_reg >= DEPTH - 2);
            assert (since >= 1 && since <= 5);
            if (after && since == 1) assert (ticket);
            if (after && since == 2) assert (done_0);
            if (after && since == 3) assert (done_1);
            if (after && since == 4) assert (wait_0);
            if (after && !gapped) assert (own >= since || beats >= 5);
            if (leaving && beats == 0) assert (gapped);
            if (leaving && beats != 0 && !owner[2]) assert (\engine.marks.registered.out_valid_reg );
            if (leaving && beats > 1 && !mark[0] && !owner[5]) assert (\engine.marks.head_valid_reg );
            if (leaving || \engine.flags.registered.out_valid_reg )
                assert (beats != 2 || mark[0] || owner[5] || \engine.marks.head_valid_reg );
            if (o_gapless) assert (m_axis_tvalid);
        end

        // The way of a result.
        assert (\engine.program_op_reg == program_op_now);
        if (program_op_now != `BLOOMLANE_PASS) assert (\engine.program_mask_reg [BIT] == program_bit_now);
        if (place != 0) assert (\engine.op_reg == op);
        if (place != 0 && op != `BLOOMLANE_PASS) assert (\engine.mask_reg [BIT] == mask_bit);
        if (place > FIRST) assert (\engine.field [W-1] == full_bit);
        if (place > FIRST + PART) assert (\engine.field [BIT] == field_bit);
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
        assert (m_axis_tvalid == o_valid);
        if (o_valid) begin
            assert (m_axis_tlast == o_last);
            assert (m_axis_tuser[5:1] == o_flags);
            assert ({m_axis_tuser[0], m_axis_tdest, m_axis_tid, m_axis_tkeep[AT]} == o_beat[B-1:1]);
            if (o_known) assert (m_axis_tdata[8*AT] == o_beat[0]);
        end
    end
endmodule
