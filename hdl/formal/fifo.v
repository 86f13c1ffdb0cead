// bloomlane_fifo is a queue: each word that it took comes out once, in order, and stands until it is taken;
// it takes one when the memory has room, and a word is at the output at most 2 + OUTPUT clocks after it came.
// Without a register at the output the oldest word is there, unless it is alone and came a clock ago.
// Unbounded, by induction, with resets at any time.
module fifo #(parameter WIDTH = 8, parameter LOG2_DEPTH = 2, parameter OUTPUT = 0) (
    input clk, rst, in_valid, out_ready, input [WIDTH-1:0] in_data
);
    localparam DEPTH = 1 << LOG2_DEPTH;
    localparam N     = DEPTH + 1 + OUTPUT;

    wire             in_ready, out_valid;
    wire [WIDTH-1:0] out_data;
    bloomlane_fifo #(.WIDTH(WIDTH), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(OUTPUT)) dut (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
        .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data)
    );

    (* hierconn *) wire [LOG2_DEPTH:0]   \dut.count_reg ;
    (* hierconn *) wire [LOG2_DEPTH-1:0] \dut.read_reg , \dut.write_reg ;
    (* hierconn *) wire                  \dut.head_valid_reg ;
    (* hierconn *) wire [WIDTH-1:0]      \dut.head_reg , \dut.memory[0] , \dut.memory[1] , \dut.memory[2] , \dut.memory[3] ;
    (* hierconn *) wire [WIDTH-1:0]      \dut.memory[4] , \dut.memory[5] , \dut.memory[6] , \dut.memory[7] ;

    // The model: words in order, the oldest lowest.
    reg [3:0]         n;
    reg [WIDTH*N-1:0] words;
    wire              take = out_valid && out_ready;
`ifdef BUG_REFUSED // a word that is refused counts
    wire              came = in_valid;
`else
    wire              came = in_valid && in_ready;
`endif
`ifdef BUG_STALE // the output's word is taken whether it is asked for or not
    wire              gone = out_valid;
`else
    wire              gone = take;
`endif
    wire [3:0]        at = n - gone;
    reg               started = 0, held = 0, newest, room; // newest: a word came a clock ago
    reg [WIDTH-1:0]   held_data;
    reg [1:0]         waited; // clocks with words in the queue and none at the output
    integer           i;

    always @(posedge clk) begin
        started   <= 1;
        n         <= at + came;
        if (gone) words <= words >> WIDTH;
        for (i = 0; i < N; i = i + 1)
            if (came && at == i) words[WIDTH*i +: WIDTH] <= in_data;
        held      <= out_valid && !out_ready && !rst;
        held_data <= out_data;
        newest    <= came && !rst;
        room      <= \dut.count_reg < DEPTH - 1 && !rst;
        waited    <= n == 0 || out_valid ? 0 : waited + 1'b1;
        if (rst) begin
            n      <= 0;
            waited <= 0;
        end
    end

    formal_queue #(.WIDTH(WIDTH), .LOG2_DEPTH(LOG2_DEPTH), .OUTPUT(OUTPUT), .N(N)) dut_is (
        started, n, words, {N{1'b1}}, \dut.count_reg , \dut.read_reg , \dut.write_reg ,
        {\dut.memory[7] , \dut.memory[6] , \dut.memory[5] , \dut.memory[4] ,
         \dut.memory[3] , \dut.memory[2] , \dut.memory[1] , \dut.memory[0] },
        \dut.head_valid_reg , \dut.head_reg , OUTPUT && out_valid, out_data);

    always @* begin
        if (!started) assume (rst);
        if (started) begin
            if (out_valid) begin
                assert (n != 0);
                assert (out_data == words[WIDTH-1:0]);
            end
            if (held) assert (out_valid && out_data == held_data);
            if (in_ready) assert (\dut.count_reg < DEPTH);
            if (room) assert (in_ready);
            assert (waited <= 1 + OUTPUT);
            if (waited == 1) assert (out_valid || \dut.head_valid_reg );
            if (waited == 1 + OUTPUT) assert (out_valid);
        end
    end

    generate
        if (!OUTPUT) always @* if (started && !out_valid) assert (n == 0 || n == 1 && newest);
    endgenerate

    // What may come: a history has each.
    always @* if (started) begin
        cover (in_valid && !in_ready && !rst);
        cover (came && take);
        cover (came && n == 0);
        cover (out_valid && !out_ready);
        cover (in_valid && rst);
        cover (n == DEPTH);
        cover (n == DEPTH && take);
        cover (!in_valid && n == 0 && !rst);
    end
endmodule
