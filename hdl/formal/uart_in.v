// board_uart_in reads any line. Of a line nothing is said but what it is in the middle of each bit: so its sender may have
// any phase, and be so much faster or slower, and its edges may be so late, that the middle clock of the tenth bit is
// still the bit's.
//
//   - A byte whose stop bit is high is given once, a clock behind the middle of that bit, and no other byte is.
//   - One whose stop bit is low is not: broken is high instead. From then on, and from a reset on, nothing is given
//     until the line was high for as long as a byte takes.
//   - A start bit that is over ahead of its middle is none.
//
// Unbounded, by induction, with resets at any time.
module uart_in #(parameter CLOCKS = 4) (input clk, rst, rx);
    localparam MIDDLE = CLOCKS / 2;
`ifdef BUG_IDLE // for a bit less than a byte takes
    localparam BYTE   = 9 * CLOCKS;
`else
    localparam BYTE   = 10 * CLOCKS;
`endif

    wire       valid, broken;
    wire [7:0] data;
    board_uart_in #(.CLOCKS_PER_BIT(CLOCKS)) dut (
        .clk(clk), .rst(rst), .rx(rx), .valid(valid), .broken(broken), .data(data)
    );

    (* hierconn *) wire        \dut.lost_reg ;
    (* hierconn *) wire [2:0]  \dut.line_reg ;
    (* hierconn *) wire [3:0]  \dut.bits_reg ;
    (* hierconn *) wire [15:0] \dut.clock_reg ;
    (* hierconn *) wire [7:0]  \dut.shift_reg ;

    // ---- the model, three clocks behind the line

    (* anyseq *) reg       noise; // what begins is no byte
    (* anyseq *) reg [8:0] sends; // what begins: {stop, byte}
    reg        started = 0;
    reg  [2:0] line_was;
    reg        lost;
    reg [15:0] high;   // clocks that a lost line was high
    reg        busy;
    reg  [3:0] bits;   // of the byte that are over
    reg [15:0] clocks; // of the next one that are over
    reg  [9:0] frame;  // {stop, byte, start}
    reg        is_noise, gives, breaks;
    reg  [7:0] given;

    wire line   = \dut.line_reg [2];
    wire begins = !lost && !busy && !line;
    wire middle = busy && clocks == MIDDLE;
    wire stop   = middle && bits == 9;

    always @(posedge clk) begin
        started <= 1;
        line_was <= {\dut.line_reg [1:0], rx};
        gives   <= stop && frame[9] && !rst;
`ifdef BUG_BROKEN // a byte without a stop bit is one too
        if (stop && !rst) gives <= 1;
`endif
        breaks  <= stop && !frame[9] && !rst;
        given   <= frame[8:1];
        if (begins) begin
            busy     <= 1;
            bits     <= 0;
            clocks   <= 1;
            frame    <= {sends, 1'b0};
            is_noise <= noise;
        end
        if (busy) begin
            clocks <= clocks == CLOCKS - 1 ? 0 : clocks + 1'b1;
            bits   <= bits + (clocks == CLOCKS - 1);
        end
        if (stop || middle && is_noise) busy <= 0;
        high <= line ? high + 1'b1 : 0;
        if (high == BYTE - 1 && line) lost <= 0;
        if (stop && !frame[9]) {lost, high} <= {1'b1, 16'd0};
        if (rst) {lost, high, busy} <= {1'b1, 16'd0, 1'b0};
    end

    always @* begin
        if (!started) assume (rst);
        if (middle) assume (line == (is_noise || frame[bits]));
    end

    // ---- what the registers hold

    wire  [3:0] read = bits + (clocks > MIDDLE); // bits
    wire  [7:0] differ = ((\dut.shift_reg >> 8 - read) ^ frame[7:0]) << 8 - read;
    wire [15:0] left = (\dut.bits_reg - 4'd1) * CLOCKS + \dut.clock_reg + 16'd1;

    always @* if (started) begin
        assert (valid == gives);
        assert (broken == breaks);
        if (valid) assert (data == given);

        assert (\dut.line_reg == line_was);
        assert (\dut.lost_reg == lost);
        assert (!lost || !busy);
        if (lost) assert (high < BYTE && left == BYTE - high && \dut.clock_reg < CLOCKS && \dut.bits_reg - 4'd1 < 10);
        if (!lost && !busy) assert (\dut.bits_reg == 0);
        if (busy) begin
            assert (clocks < CLOCKS && bits + (clocks > MIDDLE) <= 9 && (bits != 0 || clocks != 0) && !frame[0]);
            assert (!is_noise || read == 0);
            assert (\dut.bits_reg == 10 - read);
            assert (\dut.clock_reg == (clocks > MIDDLE ? CLOCKS + MIDDLE : MIDDLE) - clocks);
            assert (read == 9 ? \dut.shift_reg == frame[8:1] : differ == 0);
        end
    end
endmodule
