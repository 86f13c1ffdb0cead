// What board_slip_out makes of a packet, board_slip_in reads as the packet's bytes, with the flags of its last beat and the
// count behind them: each once, in order, no byte of it is bad, and it ends with the last. slip_in.v says what then comes
// of the bytes. Unbounded, by induction, whatever stalls, with resets at any time.
//
// board_slip_out takes a beat when all bytes of the one before are read. What it offers to the line stands until it is taken;
// only the count, and whether it is escaped, is that of the clock in which it is taken.
module slip #(parameter LOG2_DEPTH = 2) (
    input clk, rst, s_axis_tvalid, s_axis_tlast, input [63:0] s_axis_tdata, input [7:0] s_axis_tkeep,
    input [4:0] s_axis_flags, input [7:0] dropped, input out_ready
);
    wire       s_axis_tready, out_valid;
    wire [7:0] out_data;
    board_slip_out sender (
        .clk(clk), .rst(rst), .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_flags(s_axis_flags), .dropped(dropped),
        .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data)
    );
    board_slip_in #(.LOG2_DEPTH(LOG2_DEPTH)) reader (
        .clk(clk), .rst(rst), .in_valid(out_valid && out_ready), .in_broken(1'b0), .in_data(out_data), .m_axis_tready(1'b0)
    );

    (* hierconn *) wire        \sender.last_reg , \sender.escaped_reg ;
    (* hierconn *) wire [2:0]  \sender.state_reg ;
    (* hierconn *) wire [63:0] \sender.data_reg ;
    (* hierconn *) wire [6:0]  \sender.more_reg ;
    (* hierconn *) wire [4:0]  \sender.flags_reg ;
    (* hierconn *) wire [7:0]  \sender.escape_reg ;
    (* hierconn *) wire        \reader.hunting_reg , \reader.escaped_reg , \reader.is_byte , \reader.is_bad , \reader.closes ;
    (* hierconn *) wire        \reader.begun ;
    (* hierconn *) wire [7:0]  \reader.octet ;

    // ---- the model: what is to be read

    reg        started = 0, waits, stands, counts;
    reg [77:0] offered;
    reg [7:0]  stood, dropped_was;
    reg        inside; // of a packet, whose first beat was taken
    reg        ended;  // its last beat was
    reg [3:0]  left;   // bytes of the beat
    reg [63:0] data;   // of them, the next one lowest
    reg [4:0]  flags;
    reg [1:0]  trailer; // bytes of it
    wire take    = s_axis_tvalid && s_axis_tready;
    wire reads   = \reader.is_byte ;
    wire is_data = inside && left != 0;
    wire [7:0] octet = is_data ? data[7:0] : trailer == 2 ? flags : \reader.escaped_reg ? dropped_was : dropped;
    integer i;

    always @(posedge clk) begin
        started     <= 1;
        waits       <= s_axis_tvalid && !s_axis_tready && !rst;
        offered     <= {s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_flags};
        stands      <= out_valid && !out_ready && !rst;
        stood       <= out_data;
        counts      <= inside && left == 0 && trailer == 1 && !\reader.escaped_reg ;
        if (!\reader.escaped_reg ) dropped_was <= dropped;
        if (reads && is_data) begin
            left <= left - 1'b1;
            data <= data >> 8;
        end
        if (reads && !is_data) trailer <= trailer - 1'b1;
        if (take) begin
            inside  <= 1;
            ended   <= s_axis_tlast;
            data    <= s_axis_tdata;
            flags   <= s_axis_flags;
            trailer <= s_axis_tlast ? 2 : 0;
            left    <= 0;
            for (i = 0; i < 8; i = i + 1)
`ifdef BUG_KEEP // all bytes of a beat leave
                left <= 8;
`else
                if (s_axis_tkeep[i]) left <= i + 1;
`endif
        end
        if (inside && \reader.closes ) inside <= 0;
        if (rst) inside <= 0;
    end

    always @* begin
        if (!started) assume (rst);
        if (waits) assume (s_axis_tvalid && {s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_flags} == offered);
        assume (s_axis_tkeep != 0 && (s_axis_tkeep & s_axis_tkeep + 8'd1) == 0);
    end

    always @* if (started) begin
`ifdef BUG_COUNT // the count stands too
        if (stands) assert (out_valid && out_data == stood);
`else
        if (stands) assert (out_valid && (counts || out_data == stood));
`endif
        if (take) assert (!inside || !ended && left == 0);
        assert (!\reader.is_bad );
        if (reads) assert (inside && (is_data || trailer != 0));
        if (reads) assert (\reader.octet == octet);
`ifdef BUG_TRAILER // the flags are the last byte
        if (\reader.closes && \reader.begun ) assert (inside && ended && left == 0 && trailer == 1);
`else
        if (\reader.closes && \reader.begun ) assert (inside && ended && left == 0 && trailer == 0);
`endif

        // The registers.
        assert (\reader.escaped_reg == (\sender.escaped_reg && \sender.state_reg != 0)); // a reset leaves it, to no harm
        assert (\sender.state_reg <= 5);
        if (\reader.hunting_reg ) assert (\sender.state_reg == 0);
        case (\sender.state_reg )
        0: assert (!inside && !\reader.begun );
        1: assert (inside ? left == 0 && !ended && \reader.begun : !\reader.begun );
        2: assert (inside && left != 0 && left <= 8 && \sender.data_reg == data && \sender.more_reg == (8'd1 << left - 1) - 1);
        3: assert (inside && left == 0 && trailer == 2);
        4: assert (inside && left == 0 && trailer == 1);
        5: assert (inside && left == 0 && trailer == 0);
        endcase
        if (\sender.state_reg > 2) assert (ended && \reader.begun );
        if (\sender.state_reg > 1) assert (trailer == (\sender.state_reg == 2 ? 2 * ended : 5 - \sender.state_reg ));
        if (\sender.state_reg == 2) assert (\sender.last_reg == ended);
        if (inside && ended) assert (\sender.flags_reg == flags);
        if (\reader.escaped_reg ) assert (\sender.state_reg > 1 && \sender.state_reg < 5 && (octet == 8'hc0 || octet == 8'hdb));
        if (\reader.escaped_reg ) assert (\sender.escape_reg == (octet == 8'hc0 ? 8'hdc : 8'hdd));
    end

    // What may come: a history has each.
    always @* if (started) begin
        cover (take && s_axis_tlast && !inside);
        cover (take && !s_axis_tlast);
        cover (take && s_axis_tkeep == 1);
        cover (take && &s_axis_tkeep && s_axis_tlast);
        cover (s_axis_tvalid && !s_axis_tready && !rst);
        cover (out_valid && !out_ready);
        cover (s_axis_tvalid && rst);
        cover (inside && rst);
        cover (inside && !s_axis_tvalid && left == 0 && !ended);
    end
endmodule
