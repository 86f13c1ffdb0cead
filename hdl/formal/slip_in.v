// board_slip_in reads the bytes of a line as RFC 1055 says. Unbounded, by induction, whatever the line brings, with resets
// at any time:
//
//   - Behind an end, the bytes up to the next one are a frame. Its bytes, without their escapes, come to the queue of
//     frames, each once, in order, and the last one as such; nothing else does. An empty frame is none.
//   - With its last byte the queue is told to drop a frame that has an escape that is none, a broken byte, or less than six
//     bytes. After the first two, and after a reset, nothing comes to the queue up to the next end.
//   - Of a frame that leaves the queue, the first five bytes are the element, and the others come in beats of eight: all
//     are kept but in the last beat, whose bytes come first. A beat, with the element, stands until it is taken.
//   - A frame that is dropped, for that or for lack of room, is counted once.
//
// The queue is what packet_fifo.v says of it: words leave in order, as they came, by whole frames, so that they have six
// bytes and more. They are else of any value.
module bloomlane_packet_fifo #(
    parameter WIDTH = 8, parameter LOG2_DEPTH = 9, parameter DROP_FULL = 0, parameter OUTPUT = 0
) (
    input clk, rst, in_valid, in_last, in_drop, out_ready, input [WIDTH-1:0] in_data,
    output in_ready, out_valid, out_last, lost, output [WIDTH-1:0] out_data
);
    (* anyseq *) reg             any_valid, any_last, any_lost;
    (* anyseq *) reg [WIDTH-1:0] any_data;
    assign {in_ready, out_valid, out_last, lost, out_data} = {1'b1, any_valid, any_last, any_lost, any_data};
    wire [WIDTH+2:0] word = {in_valid, in_last, in_drop, in_data};
    wire             take = out_valid && out_ready;
endmodule

module slip_in #(parameter LOG2_DEPTH = 11) (
    input clk, rst, in_valid, in_broken, m_axis_tready, input [7:0] in_data
);
    wire [63:0] m_axis_tdata;
    wire [7:0]  m_axis_tkeep, dropped;
    wire        m_axis_tvalid, m_axis_tlast;
    wire [37:0] m_axis_element;
    board_slip_in #(.LOG2_DEPTH(LOG2_DEPTH)) dut (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_broken(in_broken), .in_data(in_data),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_element(m_axis_element), .dropped(dropped)
    );

    (* hierconn *) wire        \dut.hunting_reg , \dut.escaped_reg , \dut.last_reg ;
    (* hierconn *) wire [2:0]  \dut.length_reg , \dut.named_reg ;
    (* hierconn *) wire [7:0]  \dut.held_reg , \dut.keep_reg ;
    (* hierconn *) wire [39:0] \dut.element_reg ;
    (* hierconn *) wire        \dut.frames.take , \dut.frames.any_last , \dut.frames.any_lost ;
    (* hierconn *) wire [7:0]  \dut.frames.any_data ;
    (* hierconn *) wire [10:0] \dut.frames.word ;
    wire       push, push_last, push_drop;
    wire [7:0] push_data;
    assign {push, push_last, push_drop, push_data} = \dut.frames.word ;

    // ---- the model of a frame that comes

    reg        started = 0;
    reg        inside;    // an end was, since the reset and since what broke a frame
    reg        escape;    // the byte before is an escape
    reg [2:0]  bytes;     // of the frame; 6: that or more
    reg [7:0]  newest;    // of them
    reg [7:0]  drops;
    reg        came;      // a byte of the line, a clock ago
    reg        closed;    // a frame that is not dropped, a clock ago

    wire       is_end = in_valid && in_data == 8'hc0;
`ifdef BUG_ESCAPE // an end behind an escape is one
    wire       fails  = in_broken || in_valid && escape && in_data != 8'hdc && in_data != 8'hdd && !is_end;
`else
    wire       fails  = in_broken || in_valid && escape && in_data != 8'hdc && in_data != 8'hdd;
`endif
    wire       is_octet = in_valid && !fails && (escape || in_data != 8'hdb && in_data != 8'hc0);
    wire [7:0] octet    = !escape ? in_data : in_data == 8'hdc ? 8'hc0 : 8'hdb;
    wire       closes   = inside && (is_end || fails);

    // ---- the model of one that leaves the queue, and a byte of the beat, which is followed

    (* anyconst *) reg [2:0] lane;
    reg [2:0]  named;     // bytes of the element
    reg [39:0] element;
    reg [3:0]  kept;      // bytes of the beat
    reg        last;
    reg [7:0]  mine;
    reg        stands;
    reg [46:0] stood;
    reg [7:0]  stood_mine;
    wire       take = \dut.frames.take ;
    wire       whole = last || kept == 8;
    wire [39:0] differ = \dut.element_reg ^ element;
    wire [7:0] my_byte = m_axis_tdata >> 8 * lane;

    always @(posedge clk) begin
        started <= 1;
        came    <= in_valid || in_broken;
        closed  <= push && push_last && !push_drop && !rst;
        if (in_valid) escape <= !escape && in_data == 8'hdb;
        if (is_octet) begin
            newest <= octet;
            bytes  <= bytes + (bytes != 6);
        end
        if (is_end || fails) begin
`ifdef BUG_REST // the rest of a broken frame is one
            inside <= inside || is_end;
`else
            inside <= is_end;
`endif
            escape <= 0;
            bytes  <= 0;
        end
        drops <= drops + (closes && (fails || bytes != 0 && bytes < 6)) + \dut.frames.any_lost ;

        if (take && named != 5) begin
            named   <= named + 1'b1;
            element <= {element, \dut.frames.any_data };
        end
        if (take && named == 5) begin
            kept <= kept + 1'b1;
            last <= \dut.frames.any_last ;
            if (kept == lane) mine <= \dut.frames.any_data ;
        end
        if (m_axis_tvalid && m_axis_tready) begin
            kept <= 0;
            last <= 0;
`ifdef BUG_ELEMENT // each beat has its own
            named <= 0;
`else
            if (last) named <= 0;
`endif
        end
        stands     <= m_axis_tvalid && !m_axis_tready && !rst;
        stood      <= {m_axis_tkeep, m_axis_tlast, m_axis_element};
        stood_mine <= my_byte;
        if (rst) {inside, escape, bytes, drops, named, kept, last} <= 0;
    end

    always @* begin
        if (!started) assume (rst);
        // The line brings a byte every second clock at most.
        assume (!in_valid || !in_broken);
        if (came) assume (!in_valid && !in_broken);
        // The queue.
        if (named != 5) assume (!\dut.frames.any_last );
        if (!closed) assume (!\dut.frames.any_lost );
    end

    always @* if (started) begin
        assert (push == (inside && bytes != 0 && (is_octet || closes)));
        if (push) assert (push_data == newest);
        if (push) assert (push_last == closes);
`ifdef BUG_SHORT // an element is a frame
        if (push && push_last) assert (push_drop == (fails || bytes < 5));
`else
        if (push && push_last) assert (push_drop == (fails || bytes < 6));
`endif
        assert (dropped == drops);

        assert (m_axis_tvalid == whole);
        if (m_axis_tvalid) begin
            assert (named == 5 && m_axis_element == (element[37:0] & ~38'h4));
            assert (m_axis_tkeep == (9'd1 << kept) - 1 && m_axis_tlast == last);
        end
        if (lane < kept) assert (my_byte == mine);
        if (stands) assert (m_axis_tvalid && {m_axis_tkeep, m_axis_tlast, m_axis_element} == stood);
        if (stands && m_axis_tkeep[lane]) assert (my_byte == stood_mine);

        // The registers.
        assert (!closed || came);
        assert (\dut.hunting_reg == !inside);
        assert (\dut.escaped_reg == escape);
        assert (\dut.length_reg == bytes && bytes <= 6);
        if (bytes != 0) assert (\dut.held_reg == newest);
        assert (\dut.named_reg == named && named <= 5);
        assert (differ << 40 - 8 * named == 0);
        assert (kept <= 8 && (kept == 0 || named == 5) && (!last || kept != 0));
        if (kept != 0) assert (\dut.last_reg == last);
        assert (\dut.keep_reg == (9'd1 << kept) - 1);
    end
endmodule
