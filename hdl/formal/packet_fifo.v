// bloomlane_packet_fifo is a queue of whole packets: the words of each packet that it keeps come out once, in
// order and without a gap, and of a packet that it drops none does. It drops those that in_drop says, and
//
//   - with DROP_FULL 0, those that have more words than the memory has but one, and it does not stop a source
//     for longer than a clock unless a whole packet is in it;
//   - with DROP_FULL 1, those of which a word came while at most two words of the memory were free, and it
//     stops no source.
//
// A packet that is whole is at the output at most 2 + OUTPUT clocks after its last word came. Unbounded, by
// induction, with resets at any time.
module packet_fifo #(parameter WIDTH = 2, parameter LOG2_DEPTH = 2, parameter DROP_FULL = 0, parameter OUTPUT = 0) (
    input clk, rst, in_valid, in_last, in_drop, out_ready, input [WIDTH-1:0] in_data
);
    localparam DEPTH = 1 << LOG2_DEPTH;
    localparam N     = DEPTH + 1 + OUTPUT;
    localparam WORD  = WIDTH + 1; // {last, data}

    wire             in_ready, out_valid, out_last, lost;
    wire [WIDTH-1:0] out_data;
    bloomlane_packet_fifo #(.WIDTH(WIDTH), .LOG2_DEPTH(LOG2_DEPTH), .DROP_FULL(DROP_FULL), .OUTPUT(OUTPUT)) dut (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_last(in_last), .in_drop(in_drop),
        .in_data(in_data), .out_valid(out_valid), .out_ready(out_ready), .out_last(out_last), .out_data(out_data),
        .lost(lost)
    );

    (* hierconn *) wire [LOG2_DEPTH:0]   \dut.count_reg , \dut.whole_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \dut.read_reg , \dut.write_reg , \dut.start_reg ;
    (* hierconn *) wire                  \dut.head_valid_reg , \dut.losing_reg , \dut.full_reg ;
    (* hierconn *) wire [WORD-1:0]       \dut.head_reg , \dut.memory[0] , \dut.memory[1] , \dut.memory[2] , \dut.memory[3] ;

    // The model: the words of whole packets, and behind them those of the one that comes in, the oldest lowest.
    reg [3:0]        n, whole;
    reg [WORD*N-1:0] words;
    wire             gone = out_valid && out_ready;
    wire             came = in_valid && in_ready;
    wire             room = !\dut.losing_reg && !\dut.full_reg ; // whether it is right is asserted below
    wire             fits = came && room;
`ifdef BUG_HALF // what is in the memory of a packet that is dropped stays
    wire             drop = came && in_last && in_drop;
`else
    wire             drop = came && in_last && (in_drop || !room);
`endif
`ifdef BUG_DROP // in_drop is not seen
    wire             keep = fits && in_last;
`else
    wire             keep = fits && in_last && !in_drop;
`endif
    wire [3:0]       at   = n - gone;
    reg              started = 0, held = 0, inside, loses;
    reg [WORD-1:0]   held_word;
    reg [1:0]        waited;  // clocks with a whole packet in the queue and nothing at the output
    reg [1:0]        refused; // clocks in which no word could come, without a whole packet in the queue
    integer          i;

    always @(posedge clk) begin
        started <= 1;
        if (gone) words <= words >> WORD;
        for (i = 0; i < N; i = i + 1)
            if (fits && at == i) words[WORD*i +: WORD] <= {in_last, in_data};
        n         <= drop ? whole - gone : at + fits;
        whole     <= keep ? at + 1'b1 : whole - gone;
        loses     <= came && in_last && !room && !in_drop;
        if (gone) inside <= !out_last;
        held      <= out_valid && !out_ready && !rst;
        held_word <= {out_last, out_data};
        waited    <= whole == 0 || out_valid ? 0 : waited + 1'b1;
        refused   <= whole != 0 || in_ready ? 0 : refused + 1'b1;
        if (rst) begin
            n       <= 0;
            whole   <= 0;
            inside  <= 0;
            loses   <= 0;
            waited  <= 0;
            refused <= 0;
        end
    end

    wire [1:0] outside = \dut.head_valid_reg + (OUTPUT && out_valid);

    formal_queue #(.WIDTH(WORD), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(OUTPUT), .N(N), .WAITS(1)) dut_is (
        started, n, words, {N{1'b1}}, \dut.count_reg , \dut.read_reg , \dut.write_reg ,
        {\dut.memory[3] , \dut.memory[2] , \dut.memory[1] , \dut.memory[0] },
        \dut.head_valid_reg , \dut.head_reg , OUTPUT && out_valid, {out_last, out_data});

    reg orderly; // whole packets end with a last word, and the one that comes in has none
    always @* begin
        orderly = whole <= n;
        for (i = 0; i < N; i = i + 1) begin
            if (i + 1 == whole && !words[WORD*i + WIDTH]) orderly = 0;
            if (i >= whole && i < n && words[WORD*i + WIDTH]) orderly = 0;
        end
    end

    always @* begin
        if (!started) assume (rst);
        if (started) begin
            // What comes out.
            assert (orderly && whole == \dut.whole_reg + outside);
            assert (\dut.start_reg == (\dut.read_reg + \dut.whole_reg ) % DEPTH);
            if (out_valid) begin
                assert (whole != 0);
                assert ({out_last, out_data} == words[WORD-1:0]);
            end
            if (held) assert (out_valid && {out_last, out_data} == held_word);
            if (inside) assert (out_valid);

            // What is dropped.
            assert (lost == loses);
            if (!\dut.full_reg ) assert (\dut.count_reg < DEPTH);
            if (\dut.full_reg && in_ready) assert (\dut.count_reg >= DEPTH - 2);

            // Nothing waits for long.
            assert (waited <= 1 + OUTPUT && refused <= 1);
            if (waited == 1 + OUTPUT) assert (out_valid);
            if (waited == 1) assert (out_valid || \dut.head_valid_reg );
        end
    end

    generate
        if (OUTPUT) begin : registered
            always @* if (started && out_valid && !out_last) assert (\dut.head_valid_reg );
        end
        if (DROP_FULL) begin : never_stops
            always @* if (started) assert (in_ready);
        end else begin : stops
            always @* if (started) begin
                if (came && !room) assert (n - whole >= DEPTH - 1);
                if (\dut.losing_reg ) assert (n - whole >= DEPTH - 1);
                if (refused == 1) assert (in_ready);
            end
        end
    endgenerate

    // What may come: a history has each.
    always @* if (started) begin
        cover (came && in_last && in_drop && n == whole);
        cover (came && in_last && !in_drop && n == whole);
        cover (came && in_last && in_drop && n != whole);
        cover (came && !in_last && in_drop);
        cover (gone && came);
        cover (out_valid && !out_ready);
        cover (in_valid && rst);
        cover (inside && rst);
        cover (came && in_last && in_drop && !room);
        cover (!in_valid && n != whole && !rst);
        cover (loses);
    end
endmodule
