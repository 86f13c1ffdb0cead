// bloomlane_count gives its counters what leaves an in-line engine, a clock later: each beat's bytes, and with its last
// beat each packet, by its flags and by the operation that it began with. Any stream of packets, of which up to 7 are in
// the engine for 3 clocks or more; any stalls; resets at any time. Bounded, since the queue of operations is that of fifo.
`include "bloomlane_params.vh"

module count #(parameter DATA_BYTES = 4) (
    input clk, rst, s_valid, s_ready, s_last, input [1:0] s_op,
    input m_valid, m_ready, m_last, input [2:0] m_bytes, input [4:0] m_flags, input bus_valid, input [15:0] bus_address
);
    wire        bus_ready, bus_error;
    wire [31:0] bus_answer;
    wire [DATA_BYTES-1:0] keep = (1 << m_bytes) - 1;
    bloomlane_count #(.DATA_BYTES(DATA_BYTES), .LOG2_DEPTH(2), .FIRST(0)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tlast(s_last), .s_axis_op(s_op),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tlast(m_last), .m_axis_tkeep(keep), .m_axis_flags(m_flags),
        .bus_valid(bus_valid), .bus_write(1'b0), .bus_address(bus_address), .bus_ready(bus_ready), .bus_answer(bus_answer),
        .bus_error(bus_error)
    );
    (* hierconn *) wire [7:0] \dut.events ;
    (* hierconn *) wire [2:0] \dut.bytes ;

    // ---- the engine: what operations the packets in it began with, the oldest lowest, and how long they are in

    reg        started = 0, inside, after; // the first clock behind a reset, in which the engine takes nothing
    reg [3:0]  n;
    reg [13:0] ops;
    reg [13:0] ages; // clocks, to 3
    wire       begins = s_valid && s_ready && !inside;
    wire       leaves = m_valid && m_ready;
    wire       ends   = leaves && m_last;
    wire [3:0] stay   = n - ends;
    integer    i;
    always @(posedge clk) begin
        started <= 1;
        after   <= rst;
        if (s_valid && s_ready) inside <= !s_last;
        n <= stay + begins;
        if (ends) ops <= ops >> 2;
        for (i = 0; i < 7; i = i + 1) begin
            ages[2*i +: 2] <= &ages[2*(i+ends) +: 2] ? 3 : ages[2*(i+ends) +: 2] + 1;
            if (begins && i == stay) begin
                ops[2*i +: 2]  <= s_op;
                ages[2*i +: 2] <= 0;
            end
        end
        if (rst) {n, inside} <= 0;
    end
    always @* begin
        if (!started) assume (rst);
        assume (m_bytes <= DATA_BYTES && m_flags[1:0] != 3);
        if (after) assume (!s_ready);
        if (n == 7) assume (!begins);
        if (n == 0 || !(&ages[1:0])) assume (!m_valid);
    end

    // ---- what is to be counted

    reg        was_leaves, was_ends;
    reg [2:0]  bytes;
    reg [4:0]  flags;
    reg [1:0]  op;
    wire       applied = was_ends && flags[2];
    wire [1:0] result  = flags[1:0];
`ifdef BUG_PRESENT // what a delete retains is present
    wire       deletes = 0;
`else
    wire       deletes = op == `BLOOMLANE_DELETE;
`endif
    always @(posedge clk) begin
        {was_leaves, was_ends} <= {leaves && !rst, ends && !rst};
        {bytes, flags, op}     <= {m_bytes, m_flags, ops[1:0]};
    end
    always @* if (started) begin
        assert (\dut.events [0] == was_ends);
`ifdef BUG_LAST // the bytes of last beats alone
        assert (\dut.bytes  == (was_ends ? bytes : 0));
`else
        assert (\dut.bytes  == (was_leaves ? bytes : 0));
`endif
        assert (\dut.events [2] == (was_ends && flags[4]));
        assert (\dut.events [3] == (was_ends && flags[3]));
        assert (\dut.events [4] == (applied && result == 0));
        assert (\dut.events [5] == (applied && result != 0 && !deletes));
        assert (\dut.events [6] == (applied && result == 1 && deletes));
        assert (\dut.events [7] == (applied && result == 2 && deletes));
    end

    // What may come: a history has each.
    always @* if (started) begin
        cover (begins && s_last);
        cover (begins && !s_last);
        cover (s_valid && !s_ready && !after);
        cover (ends && begins);
        cover (m_valid && !m_ready);
        cover (leaves && m_bytes == 0);
        cover (leaves && m_bytes == DATA_BYTES);
        cover (ends && rst);
        cover (ends && n == 3);
        cover (begins && s_op == `BLOOMLANE_DELETE);
    end
endmodule
