// board_uart_out sends each byte that it takes, and nothing else: a low bit, the byte's from bit 0 on, and a high one, each
// for as many clocks; it takes one when none is on the line, which is high then.
//
// And board_uart_in gives it back, once. Between the two is a line whose every edge may come a clock late, as from another
// clock of any phase, and READER clocks of the receiver are a bit. Behind a reset the receiver gives nothing until the line
// was idle; then it gives each byte that begins, whatever gaps are between, and none is broken. Unbounded, by induction, with
// resets at any time.
module uart_out #(parameter CLOCKS = 4, parameter READER = 4) (
    input clk, rst, in_valid, input [7:0] in_data
);
    localparam MIDDLE = READER / 2;

    wire in_ready, tx;
    board_uart_out #(.CLOCKS_PER_BIT(CLOCKS)) dut (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), .tx(tx)
    );

    (* hierconn *) wire [3:0]  \dut.bits_reg ;
    (* hierconn *) wire [15:0] \dut.clock_reg ;
    (* hierconn *) wire [9:0]  \dut.shift_reg ;
    (* hierconn *) wire        \reader.lost_reg ;
    (* hierconn *) wire [2:0]  \reader.line_reg ;
    (* hierconn *) wire [3:0]  \reader.bits_reg ;
    (* hierconn *) wire [15:0] \reader.clock_reg ;
    (* hierconn *) wire [7:0]  \reader.shift_reg ;

    // ---- the model: the byte that is sent

    reg        started = 0;
    reg        busy;
    reg  [3:0] bits;   // that are over
    reg [15:0] clocks; // of the next one that are over
    reg  [9:0] frame;  // {stop, byte, start}

    // ---- the line, and where its receiver looks at it

    (* anyseq *) reg late;
    reg        tx_was, held; // held: the line was late a clock ago
    reg        reads;
    reg  [3:0] read;         // bits that are over for the receiver
    reg [15:0] read_clocks;  // of the next one
    wire       holds    = late && !held && tx != tx_was;
    wire       line     = holds ? tx_was : tx;
    wire       begins   = !reads && !line;
    wire [15:0] sent_at = bits * CLOCKS + clocks;         // clocks since the byte began
    wire [15:0] read_at = read * READER + read_clocks; // the same, as the receiver counts them
`ifdef BUG_EDGE // it looks where a bit begins
    wire       looks    = reads && read_clocks == 0;
`else
    wire       looks    = reads && read_clocks == MIDDLE;
`endif

    wire       before   = !busy || bits == 0 || frame[bits-4'd1]; // the level of the bit before

    always @(posedge clk) begin
        started <= 1;
        if (busy) begin
            clocks <= clocks == CLOCKS - 1 ? 0 : clocks + 1'b1;
            bits   <= bits + (clocks == CLOCKS - 1);
            if (bits == 9 && clocks == CLOCKS - 1) busy <= 0;
        end
        if (in_valid && in_ready) begin
            {busy, bits, clocks} <= {1'b1, 20'd0};
`ifdef BUG_ORDER // from bit 7 on
            frame <= {1'b1, in_data[0], in_data[1], in_data[2], in_data[3], in_data[4], in_data[5], in_data[6],
                      in_data[7], 1'b0};
`else
            frame <= {1'b1, in_data, 1'b0};
`endif
        end

        tx_was      <= line;
        held        <= holds;
        read_clocks <= read_clocks == READER - 1 ? 0 : read_clocks + 1'b1;
        read        <= read + (read_clocks == READER - 1);
        if (begins) {reads, read, read_clocks} <= {1'b1, 4'd0, 16'd1};
        if (looks && read == 9) reads <= 0;
        if (rst) {busy, tx_was, held, reads} <= 4'b0100;
    end

    always @* begin
        if (!started) assume (rst);
        if (started) begin
            assert (tx == (busy ? frame[bits] : 1'b1));
            assert (in_ready == !busy);
            if (looks) assert (line == frame[read]);

            assert (\dut.bits_reg == (busy ? 10 - bits : 0));
            if (busy) begin
                assert (bits < 10 && clocks < CLOCKS && {frame[9], frame[0]} == 2'b10);
                assert (\dut.clock_reg == CLOCKS - 1 - clocks);
            end
            assert (\dut.shift_reg == (busy ? ~(~frame >> bits) : 10'h3ff));
            assert (held ? clocks == 1 && tx_was == before && tx_was != tx : tx_was == (busy && clocks != 0 ? tx : before));
            if (reads) begin
                assert (busy && read_clocks < READER && (read < 9 || read == 9 && read_clocks <= MIDDLE));
                assert (sent_at == read_at || sent_at == read_at + 1);
            end else if (busy) assert (bits == 9 && tx_was || sent_at == 0 || sent_at == 1 && held);
        end
    end

    // ---- the receiver, which looks at a line that is three clocks old

    wire       valid, broken;
    wire [7:0] data;
    board_uart_in #(.CLOCKS_PER_BIT(READER)) reader (
        .clk(clk), .rst(rst), .rx(line), .valid(valid), .broken(broken), .data(data)
    );

    reg  [2:0] lines;
    reg [32:0] then_1, then_2, then_3; // {begins, looks, reads, read, read_clocks, frame}
    reg        heard, gives;           // heard: it is found, and a byte has begun
    reg  [7:0] given;
    wire        then_begins, then_looks, then_reads;
    wire  [3:0] then_read;
    wire [15:0] then_clocks;
    wire  [9:0] then_frame;
    assign {then_begins, then_looks, then_reads, then_read, then_clocks, then_frame} = then_3;
    wire        found  = !\reader.lost_reg ;
    wire  [3:0] over   = then_read + (then_clocks > MIDDLE); // bits that were read
    wire [15:0] left   = (\reader.bits_reg - 4'd1) * READER + \reader.clock_reg + 16'd1;
    wire [15:0] high   = 10 * READER - left; // clocks that the line was high, while it is not found
    wire  [7:0] differ = ((\reader.shift_reg >> 8 - over) ^ then_frame[7:0]) << 8 - over;
    wire  [2:0] stale  = \reader.line_reg ^ lines; // from ahead of a reset

    always @(posedge clk) begin
        lines  <= {lines, line};
        then_1 <= {begins, looks, reads, read, read_clocks, frame};
        then_2 <= then_1;
        then_3 <= then_2;
        if (then_begins && found) heard <= 1;
        if (then_looks && then_read == 9) heard <= 0;
        gives <= heard && then_looks && then_read == 9 && !rst;
        given <= then_frame[8:1];
        if (rst) begin
            lines <= 7;
            {then_1, then_2, then_3, heard} <= 0;
        end
    end

    always @* if (started) begin
        assert (!broken);
        assert (valid == gives);
        if (valid) assert (data == given);

        if (found) assert (heard == then_reads);
        if (heard) assert (found && then_reads);
        if (stale[0]) assert (!found && high == 0);
        if (stale[1]) assert (!found && high <= 1);
        if (stale[2]) assert (!found && high <= 2);
        if (!found) assert (\reader.bits_reg - 4'd1 < 10 && \reader.clock_reg < READER);
        if (!found && then_reads) assert (high < then_read * READER + then_clocks);
        if (found && !heard) assert (\reader.bits_reg == 0);
        if (heard) begin
            assert (\reader.bits_reg == 10 - over);
            assert (\reader.clock_reg == (then_clocks > MIDDLE ? READER + MIDDLE : MIDDLE) - then_clocks);
            assert (over == 9 ? \reader.shift_reg == then_frame[8:1] : differ == 0);
        end
    end
endmodule
