// A frame's verdict in bloomlane_guard is its own. Any one frame is followed, and one of its beats: so what is
// asserted of it holds of each. Unbounded, by induction, whatever stalls, with resets at any time:
//
//   - the frames that are let in are whole from their first beat on, until a reset: of a frame that a reset has
//     cut, or that began before the table was ready, no beat is let in;
//   - the list is asked once for each of them, with its own source;
//   - its beats come to the queue of frames in their order, each once, as they came; with the last one in_drop
//     says that the list called its own source listed, or that it is bad; and it is counted as that, once;
//   - no queue is offered a word that it refuses. With DROP_FULL, where the source does not wait, a beat leaves
//     the memory of beats after at most 34 clocks, so that 34 beats are in it at most, of 64.
//
// The guard's parts are what their own proofs say of them, and are else of any behaviour: bloomlane_source answers
// 3 clocks, or 4, behind the beat that has a frame's header, or its last one (source.v); the list answers in order,
// after 28 clocks or fewer, whatever it answers (list.v); words leave a queue in order, each once, as they came, and the oldest is at
// the output unless it is alone and came a clock ago (fifo.v). The queue of frames takes what it wants, with
// DROP_FULL everything; what leaves it, packet_fifo.v says: the frames that it is not told to drop, whole.
//
// A queue is counted: how many words are in it and how many end a frame, all of them and those ahead of the one
// that is followed. Other words are free, as far as these counts are right.
`include "bloomlane_params.vh"

module bloomlane_source #(parameter DATA_BYTES = 64) (
    input clk, rst, in_valid, in_last, input [DATA_BYTES-1:0] in_keep, input [8*DATA_BYTES-1:0] in_data,
    output out_valid, out_ipv4, out_ipv6, output [127:0] out_source
);
    (* anyseq *) reg         any_valid;
    (* anyseq *) reg [129:0] any_source;
    assign out_valid = any_valid;
    assign {out_ipv4, out_ipv6, out_source} = any_source;
    wire [9*DATA_BYTES+1:0]  beat = {in_valid, in_last, in_keep, in_data};
endmodule

module bloomlane_list #(parameter LOG2_BLOCKS = 9, parameter DSP = 0, parameter READ_STAGES = 1, parameter PARITY = 0) (
    input clk, rst, in_valid, in_ipv4, in_ipv6, input [127:0] in_source, output ready, waits, out_valid, out_listed,
    input list_valid, table_valid, bus_write, input [15:0] bus_address, input [3:0] bus_strobe, input [31:0] bus_data,
    output list_ready, list_error, table_ready, table_error, output [31:0] list_answer, table_answer
);
    (* anyseq *) reg any_ready, any_waits, any_valid, any_listed;
    assign {ready, waits, out_valid, out_listed} = {any_ready, any_waits, any_valid, any_listed};
    assign {list_ready, list_error, table_ready, table_error, list_answer, table_answer} = 68'd0;
    wire [130:0] question = {in_valid, in_ipv4, in_ipv6, in_source};
endmodule

module bloomlane_fifo #(parameter WIDTH = 8, parameter LOG2_DEPTH = 5, parameter OUTPUT = 0) (
    input clk, rst, in_valid, out_ready, input [WIDTH-1:0] in_data, output in_ready, out_valid, output [WIDTH-1:0] out_data
);
    (* anyseq *) reg             any_ready, any_valid;
    (* anyseq *) reg [WIDTH-1:0] any_data;
    assign {in_ready, out_valid, out_data} = {any_ready, any_valid, any_data};
    wire             push = in_valid && in_ready;
    wire             pop  = out_valid && out_ready;
    wire [WIDTH-1:0] word = in_data;
endmodule

module bloomlane_packet_fifo #(
    parameter WIDTH = 8, parameter LOG2_DEPTH = 9, parameter DROP_FULL = 0, parameter OUTPUT = 0
) (
    input clk, rst, in_valid, in_last, in_drop, out_ready, input [WIDTH-1:0] in_data,
    output in_ready, out_valid, out_last, lost, output [WIDTH-1:0] out_data
);
    (* anyseq *) reg any_ready;
    assign in_ready = any_ready || DROP_FULL;
    assign {out_valid, out_last, lost, out_data} = 0;
    wire             take = in_valid && in_ready;
    wire [WIDTH+2:0] word = {in_valid, in_last, in_drop, in_data};
endmodule

module bloomlane_counters #(parameter COUNTERS = 4, parameter ADD = 1, parameter BELOW = 0) (
    input clk, rst, input [COUNTERS*ADD-1:0] add, input bus_valid, bus_write, input [15:0] bus_address,
    output bus_ready, bus_error, output [31:0] bus_answer
);
    assign {bus_ready, bus_error, bus_answer} = 34'd0;
    wire [COUNTERS*ADD-1:0] counted = add;
endmodule

module guard #(parameter DROP_FULL = 0, parameter DATA_BYTES = 64) (
    input clk, rst, input [8*DATA_BYTES-1:0] s_axis_tdata, input [DATA_BYTES-1:0] s_axis_tkeep, input s_axis_tvalid, s_axis_tlast,
    input [1:0] s_axis_tuser, input s_axis_tid, s_axis_tdest
);
    localparam BEAT     = 9 * DATA_BYTES + 5;
    localparam BAD      = 9 * DATA_BYTES + 2;
    localparam HEADER   = DATA_BYTES >= 64 ? 2 : (70 + DATA_BYTES - 1) / DATA_BYTES; // beats behind which the source is known
    localparam SOURCE   = DATA_BYTES >= 64 ? 3 : 4; // clocks until it is
    localparam WAITING  = 64;  // beats in the memory of beats
    localparam VERDICTS = 128;
`ifdef BUG_LATE // the list takes longer than the memory of beats lasts
    localparam LIST     = 62;
`else
    localparam LIST     = 28;
`endif
    localparam LIMIT    = SOURCE + LIST + 2; // clocks that a beat waits at most, with DROP_FULL

    wire s_axis_tready;
    bloomlane_guard #(.DATA_BYTES(DATA_BYTES), .DROP_FULL(DROP_FULL), .ID_WIDTH(1), .DEST_WIDTH(1), .USER_WIDTH(2)) dut (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .s_axis_tid(s_axis_tid), .s_axis_tdest(s_axis_tdest),
        .m_axis_tready(1'b0), .bus_valid(1'b0)
    );

    // The guard's own wires: flatten connects a wire of this attribute to the one of its name.
    (* hierconn, init = 1'b0 *) wire \dut.inside_reg ;
    (* hierconn *) wire \dut.let_in , \dut.open_reg , \dut.yielding_reg ;
    wire [BEAT-1:0] beat_in = {s_axis_tlast, s_axis_tuser, s_axis_tdest, s_axis_tid, s_axis_tkeep, s_axis_tdata};
    (* hierconn *) wire \dut.beats.push , \dut.beats.pop , \dut.beats.in_ready , \dut.beats.out_valid ;
    (* hierconn *) wire [BEAT-1:0] \dut.beats.word , \dut.beats.out_data ;
    (* hierconn *) wire \dut.verdicts.push , \dut.verdicts.pop , \dut.verdicts.in_ready , \dut.verdicts.out_valid ;
    (* hierconn *) wire \dut.verdicts.word , \dut.verdicts.out_data ;
    (* hierconn *) wire \dut.frames.take ;
    (* hierconn *) wire [BEAT+1:0] \dut.frames.word ;
    (* hierconn *) wire \dut.parser.any_valid , \dut.list.any_valid , \dut.list.any_listed ;
    (* hierconn *) wire [129:0] \dut.parser.any_source ;
    (* hierconn *) wire [9*DATA_BYTES+1:0] \dut.parser.beat ;
    (* hierconn *) wire [130:0] \dut.list.question ;
    (* hierconn *) wire [3:0] \dut.counters.counted ;

    wire            let_in    = \dut.let_in ;
    wire            pop       = \dut.beats.pop ;
    wire            out       = \dut.beats.out_valid ;
    wire [BEAT-1:0] out_word  = \dut.beats.out_data ;
    wire            out_last  = out_word[BEAT-1];
    wire            pop_last  = pop && out_last;
    wire            source    = \dut.parser.any_valid ;
    wire            answer    = \dut.list.any_valid ;
    wire            verdict   = \dut.verdicts.out_valid ;
    wire            vpop      = \dut.verdicts.pop ;

    // ---- the frames that come in, and the one that is followed

    (* anyseq *)   reg         mark, pick;
    (* anyconst *) reg [129:0] my_source;
    reg  started = 0, came_rst;
    reg  inside  = 0; // of a frame, whatever is reset
    reg  in_frame;    // that is let in
    reg  [3:0] at;    // its beats that came, to HEADER: the source is known then
    wire second = in_frame && at < HEADER;
    reg  followed;
    reg  coming;      // the followed one's last beat did not come yet
    reg  here;        // its followed beat is in the memory of beats
    reg  [BEAT-1:0] my_beat;

    wire take    = s_axis_tvalid && s_axis_tready;
    wire begins  = let_in && !in_frame;
    wire decides = let_in && at < HEADER && (s_axis_tlast || at == HEADER - 1);
    wire starts  = begins && mark && !followed;
    wire mine    = starts || coming;
    wire picks   = let_in && mine && !here && (pick || s_axis_tlast);

    // ---- what was counted since a reset, and the followed frame's number

    function [2:0] number(input [SOURCE-1:0] bits);
        integer b;
        begin
            number = 0;
            for (b = 0; b < SOURCE; b = b + 1) number = number + bits[b];
        end
    endfunction
    integer k;

    reg [7:0] ends;      // frames whose last beat came into the memory of beats
    reg [7:0] done;      // those whose last beat left it
    reg [7:0] questions; // to the list
    reg [7:0] answers;
    reg [7:0] verdicts;  // that were taken
    reg [7:0] me;
    wire [7:0] lasts = ends - done;
    wire [7:0] open  = questions - answers;
    wire [7:0] given = answers - verdicts;

    // ---- the memory of beats

    reg  [6:0] n;     // the beats
    reg  [6:0] ahead; // those ahead of the followed one
    reg  [6:0] age;   // of the followed one, in clocks
    reg  [6:0] n_before;
    reg        came;  // a beat, a clock ago
    wire [7:0] ending   = me - done; // how many of those ahead end a frame
    wire       mine_out = here && ahead == 0;
    wire       leaves   = mine_out && pop;

    // ---- the questions: in the parser, in the list, and as verdicts

    reg  [SOURCE-1:0] asked, asked_mine;
    reg        open_mine;
    reg  [5:0] since; // the followed question came to the list
    reg        given_mine, gave;
    reg        own;   // the list's answer to the followed frame's question
    reg  [6:0] question_age;
`ifdef BUG_ORDER // the list answers the newest question first
    wire       answers_mine = answer && open_mine && questions == me + 8'd1;
`else
    wire       answers_mine = answer && open_mine && answers == me;
`endif
    wire       asks_mine    = source && asked_mine[SOURCE-1];

    always @(posedge clk) begin
        started  <= 1;
        came_rst <= rst;
        if (take) inside <= !s_axis_tlast;
        if (let_in) begin
            in_frame <= !s_axis_tlast;
            at       <= s_axis_tlast ? 0 : at + (at < HEADER);
        end
        if (starts) begin
            followed <= 1;
            me       <= ends;
        end
        if (let_in && mine) coming <= !s_axis_tlast;
        if (picks) begin
            here    <= 1;
            my_beat <= beat_in;
        end

        n        <= n + \dut.beats.push - pop;
        n_before <= n;
        ends     <= ends + (\dut.beats.push && s_axis_tlast);
        done     <= done + pop_last;
        came     <= \dut.beats.push ;
        ahead    <= picks ? n - pop : ahead - (here && pop);
        age      <= picks ? 1 : age + !(&age);

        asked      <= {asked, decides};
        asked_mine <= {asked_mine, decides && mine};
        questions  <= questions + source;
        answers    <= answers + answer;
        verdicts   <= verdicts + vpop;
        gave       <= \dut.verdicts.push ;
        since      <= asks_mine ? 1 : since + !(&since);
        if (asks_mine) open_mine <= 1;
        if (answers_mine) begin
            open_mine  <= 0;
            given_mine <= 1;
            own        <= \dut.list.any_listed ;
        end
        question_age <= decides && mine ? 1 : question_age + !(&question_age);

        if (leaves) begin
            {followed, coming, here, open_mine, given_mine} <= 0;
            asked_mine <= 0;
        end
        if (rst) begin
            {in_frame, at, followed, coming, here, came, n, n_before} <= 0;
            {ends, done, questions, answers, verdicts} <= 0;
            {asked, asked_mine, open_mine, given_mine, gave} <= 0;
        end
    end

    // ---- what the parts' own proofs say of them

    reg            held, verdict_held, word_held_verdict;
    reg [BEAT-1:0] word_held;
    reg [BEAT+1:0] offered;
    reg            offers; // to the queue of frames, which did not take it
    always @(posedge clk) begin
        held              <= out && !pop && !rst;
        word_held         <= out_word;
        verdict_held      <= verdict && !vpop && !rst;
        word_held_verdict <= \dut.verdicts.out_data ;
        offers            <= \dut.frames.word [BEAT+1] && !\dut.frames.take && !rst;
        offered           <= \dut.frames.word ;
    end

    always @* begin
        if (!started) assume (rst);
        if (started) begin
            // source.v
            assume (source == asked[SOURCE-1]);
            if (asked_mine[SOURCE-1]) assume (\dut.parser.any_source == my_source);

            // list.v
            assume (!answer || open != 0);
            if (open_mine && since == LIST) assume (answers_mine);

            // fifo.v
            assume (out ? n != 0 : n == 0 || n == 1 && came);
            if (\dut.beats.in_ready ) assume (n <= WAITING);
            else if (!came_rst) assume (n_before >= WAITING - 1);
            if (held) assume (out && out_word == word_held);
            if (out && mine_out) assume (out_word == my_beat);
            if (out && here && ahead != 0) assume (out_last ? ending != 0 : ending != ahead);
            if (out && !here) assume (out_last ? lasts != 0 : lasts != n);
            assume (verdict ? given != 0 : given == 0 || given == 1 && gave);
            if (\dut.verdicts.in_ready ) assume (given <= VERDICTS);
            if (given < VERDICTS - 1 && !came_rst) assume (\dut.verdicts.in_ready );
            if (verdict_held) assume (verdict && \dut.verdicts.out_data == word_held_verdict);
            if (verdict && given_mine && verdicts == me) assume (\dut.verdicts.out_data == own);
        end
    end

    // With DROP_FULL the beat ahead of the followed one left in time: what is asserted of one holds of the one
    // before. And so the memory was not full a clock ago.
    generate
        if (DROP_FULL) always @* if (started) begin
            if (here && age >= LIMIT) assume (ahead == 0);
            assume (n_before <= LIMIT);
        end
    endgenerate

    // ---- what holds

    always @* assert (\dut.inside_reg == inside); // no reset makes it so

    always @* if (started) begin
        // What comes in.
`ifdef BUG_RESET // what is left of a frame that was cut is a frame
        if (let_in && !rst) assert (in_frame || !inside || came_rst);
        if (take && !rst && inside && !in_frame) assert (let_in);
`else
        if (let_in && !rst) assert (in_frame == inside);
`endif
        if (in_frame && take) assert (let_in);
        if (let_in) assert (take);
        if (\dut.open_reg ) assert (in_frame == (inside && !\dut.yielding_reg ));
        if (\dut.yielding_reg ) assert (inside && !in_frame);
        if (in_frame) assert (\dut.open_reg );
        if (came_rst) assert (!\dut.open_reg );
        assert (at <= HEADER && in_frame == (at != 0));
        if (let_in && !rst) assert (\dut.beats.push );
        if (\dut.beats.push ) assert (\dut.beats.word == beat_in);

        // The list is asked, once a frame.
        assert (\dut.parser.beat == {let_in, s_axis_tlast, s_axis_tkeep, s_axis_tdata});
        assert (\dut.list.question [130] == asked[SOURCE-1]);
        if (asked_mine[SOURCE-1]) assert (\dut.list.question [129:0] == my_source);
        assert (open <= WAITING + 2 && given <= WAITING + 2);
        assert (questions + number(asked) == ends + (in_frame && !second));
        assert ((asked & asked_mine) == asked_mine);
        assert (number(asked_mine) + open_mine + given_mine == (followed && !(coming && second)));
        if (answer && !rst) assert (\dut.verdicts.push && \dut.verdicts.word == \dut.list.any_listed );

        // The counts.
        assert (n <= WAITING + 1 && lasts <= n);
        assert (followed || !coming && !here);
        assert (!followed || coming || here);
        if (coming) assert (in_frame);
        if (here) begin
            assert (ahead < n && ending <= ahead && ending + !coming <= lasts);
            assert (lasts - ending - my_beat[BEAT-1] <= n - ahead - 1);
            if (came && age != 1) assert (ahead + 1 < n);
            if (my_beat[BEAT-1]) assert (!coming);
        end

        // The followed frame's number is the same for its beats, its question and its verdict.
        assert (verdicts == done);
        if (coming) assert (me == ends);
        for (k = 0; k < SOURCE; k = k + 1) // those ahead of it are under way
            if (asked_mine[k]) assert (questions + number(asked >> k + 1) == me);
        if (open_mine) assert (me - answers < open);
        if (given_mine) assert (me - verdicts < given);

        // What is offered to the queue of frames.
        assert (pop == \dut.frames.take );
        assert (vpop == pop_last);
        if (\dut.frames.word [BEAT+1]) begin
            assert (out);
            assert ({\dut.frames.word [BEAT], \dut.frames.word [BEAT-2:0]} == out_word);
        end
        if (leaves) begin
            assert (out_word == my_beat);
            if (out_last) begin
                assert (given_mine && verdicts == me);
`ifdef BUG_BAD // bad frames leave
                assert (\dut.frames.word [BEAT-1] == own);
`else
                assert (\dut.frames.word [BEAT-1] == (own || my_beat[BAD]));
`endif
                assert (\dut.counters.counted [2:0] == (own ? 3'b001 : my_beat[BAD] ? 3'b100 : 3'b010));
            end
        end
        if (!pop_last) assert (\dut.counters.counted [2:0] == 3'b000);
    end

    generate
        if (DROP_FULL) begin : waits_for_nothing
            always @* if (started) begin
                assert (s_axis_tready);
                for (k = 0; k < SOURCE; k = k + 1)
                    if (asked_mine[k]) assert (question_age == k + 1);
                if (open_mine) assert (since <= LIST && question_age == since + SOURCE);
                if (given_mine && given == 1 && gave) assert (question_age <= LIST + SOURCE + 1);
                if (here && my_beat[BEAT-1]) assert (age <= question_age);
                if (here) assert (age <= LIMIT && n - ahead <= age);
                if (mine_out) assert (n <= LIMIT);
            end
        end else begin : stands // what the queue of frames does not take
            always @* if (started && offers) begin
                assert ({\dut.frames.word [BEAT+1:BEAT], \dut.frames.word [BEAT-2:0]} ==
                        {offered[BEAT+1:BEAT], offered[BEAT-2:0]});
                if (offered[BEAT]) assert (\dut.frames.word [BEAT-1] == offered[BEAT-1]);
            end
        end
    endgenerate

    // What may come: a history has each.
    always @* if (started) begin
        cover (begins && s_axis_tlast);
        cover (begins && !s_axis_tlast);
        cover (let_in && s_axis_tlast && s_axis_tuser[0]);
        cover (let_in && !s_axis_tlast && s_axis_tuser[0]);
        cover (in_frame && !s_axis_tvalid && !rst);
        cover (in_frame && rst);
        cover (take && !let_in);
        cover (take && !let_in && \dut.open_reg || !DROP_FULL);
        cover (let_in && s_axis_tlast && !(&s_axis_tkeep));
        cover (s_axis_tvalid && rst);
        cover (leaves && own);
        cover (leaves && !own && out_last && my_beat[BAD]);
        cover (leaves && out_last && me == 1);
        cover (\dut.list.any_waits && let_in);
    end
endmodule
