// shell_engine changes nothing of what its parts do: beats and their side band come to the in-line engine as they came, and
// leave as the engine gives them; the counters see both; AXI4-Lite reaches the bus, whose windows are the control's and the
// counters'. What it does itself is to let packets in: those alone that began behind the last reset, each whole from its first
// beat on until the next reset, and no other beat is let in. With WAITS a source is told so: what is left of a packet that
// a reset has cut is taken and dropped, and nothing that begins is. Without, the engine takes each beat that is let in, and
// that is let in from the first packet that begins when the engine is ready.
//
// The parts are of any behaviour, as far as it goes here: the engine stays ready where nobody waits (stream.v). Unbounded, by
// induction, with resets at any time.
`include "bloomlane_params.vh"

module bloomlane_axil #(parameter ASYNC = 1) (
    input s_axi_aclk, s_axi_aresetn, s_axi_awvalid, s_axi_wvalid, s_axi_bready, s_axi_arvalid, s_axi_rready, clk,
    input [15:0] s_axi_awaddr, s_axi_araddr, input [31:0] s_axi_wdata, bus_answer, input [3:0] s_axi_wstrb,
    input bus_ready, bus_error,
    output s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, bus_valid, bus_write,
    output [1:0] s_axi_bresp, s_axi_rresp, output [31:0] s_axi_rdata, bus_data, output [15:0] bus_address,
    output [3:0] bus_strobe
);
    (* anyseq *) reg [94:0] any;
    assign {s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, s_axi_bresp, s_axi_rresp, s_axi_rdata,
            bus_valid, bus_write, bus_address, bus_strobe, bus_data} = any;
    wire [75:0] asked = {s_axi_aclk, s_axi_aresetn, s_axi_awaddr, s_axi_awvalid, s_axi_wdata, s_axi_wstrb, s_axi_wvalid,
                         s_axi_bready, s_axi_araddr, s_axi_arvalid, s_axi_rready, clk};
    wire [33:0] answered = {bus_ready, bus_error, bus_answer};
endmodule

module bloomlane_control #(parameter W = 32, PORTS = 16, POSITIONS = 1, LOG2_TABLES = 0, KEY_WORDS = 4) (
    input clk, rst, bus_valid, bus_write, input [15:0] bus_address, input [3:0] bus_strobe, input [31:0] bus_data,
    output bus_ready, bus_error, program_valid, port_write, port_enable, bank, key_write, output [31:0] bus_answer, key_data,
    output [1:0] program_op, op, output [255:0] program_mask, output [2:0] place, output [8:0] fill_limit,
    output [0:0] port_table, port_number, output [34:0] port_key, output [3:0] key_word
);
    (* anyseq *) reg [303:0] any;
    assign {program_valid, program_op, op, fill_limit, program_mask, bus_ready, bus_error, bus_answer} = any;
    assign {port_write, port_enable, bank, key_write, key_data, place, port_table, port_number, port_key, key_word} = 0;
    wire [55:0] asked = {clk, rst, bus_valid, bus_write, bus_address, bus_strobe, bus_data};
endmodule

module bloomlane_inline #(
    parameter DATA_BYTES = 64, W = 32, OFFSET = 0, DROP_CUT = 0, USER_WIDTH = 1
) (
    input clk, rst, s_axis_tvalid, s_axis_tlast, s_axis_tid, s_axis_tdest, m_axis_tready, program_valid,
    input [511:0] s_axis_tdata, input [63:0] s_axis_tkeep, input [37+USER_WIDTH:0] s_axis_tuser,
    input [1:0] program_op, input [255:0] program_mask, input [8:0] fill_limit,
    output s_axis_tready, m_axis_tvalid, m_axis_tlast, m_axis_tid, m_axis_tdest,
    output [511:0] m_axis_tdata, output [63:0] m_axis_tkeep, output [4+USER_WIDTH:0] m_axis_tuser
);
    (* anyseq *) reg [582+USER_WIDTH:0] any;
    (* anyseq *) reg                    any_ready;
    assign s_axis_tready = any_ready;
    assign {m_axis_tid, m_axis_tdest} = 0;
    assign {m_axis_tvalid, m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser} = any;
    wire [617+USER_WIDTH:0] offered = {clk, rst, s_axis_tlast, s_axis_tkeep, s_axis_tdata, s_axis_tuser, m_axis_tready};
    wire                    valid = s_axis_tvalid;
    wire [267:0]            programmed = {program_valid, program_op, fill_limit, program_mask};
    wire                    drop_cut = DROP_CUT != 0;
endmodule

module bloomlane_count #(parameter DATA_BYTES = 64, LOG2_DEPTH = 5, FIRST = 0) (
    input clk, rst, s_axis_tvalid, s_axis_tready, s_axis_tlast, m_axis_tvalid, m_axis_tready, m_axis_tlast,
    input [1:0] s_axis_op, input [63:0] m_axis_tkeep, input [4:0] m_axis_flags,
    input bus_valid, bus_write, input [15:0] bus_address, output bus_ready, bus_error, output [31:0] bus_answer
);
    (* anyseq *) reg [33:0] any;
    assign {bus_ready, bus_error, bus_answer} = any;
    wire [19:0] asked = {clk, rst, bus_valid, bus_write, bus_address};
    wire [76:0] seen  = {s_axis_tvalid, s_axis_tready, s_axis_tlast, s_axis_op, m_axis_tvalid, m_axis_tready, m_axis_tlast,
                         m_axis_tkeep, m_axis_flags};
endmodule

module shell #(parameter WAITS = 1, parameter USER = 7) (
    input s_axi_aclk, s_axi_aresetn, s_axi_awvalid, s_axi_wvalid, s_axi_bready, s_axi_arvalid, s_axi_rready, clk, rst,
    input [15:0] s_axi_awaddr, s_axi_araddr, input [31:0] s_axi_wdata, input [3:0] s_axi_wstrb,
    input s_axis_tvalid, s_axis_tlast, m_axis_tready, input [511:0] s_axis_tdata, input [63:0] s_axis_tkeep,
    input [USER-1:0] s_axis_tuser
);
    wire            s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid;
    wire [1:0]      s_axi_bresp, s_axi_rresp;
    wire [31:0]     s_axi_rdata;
    wire            s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [511:0]    m_axis_tdata;
    wire [63:0]     m_axis_tkeep;
    wire [USER-1:0] m_axis_tuser;
    shell_engine #(.WAITS(WAITS), .USER_WIDTH(USER)) dut (
        .s_axi_aclk(s_axi_aclk), .s_axi_aresetn(s_axi_aresetn),
        .s_axi_awaddr(s_axi_awaddr), .s_axi_awvalid(s_axi_awvalid), .s_axi_awready(s_axi_awready),
        .s_axi_wdata(s_axi_wdata), .s_axi_wstrb(s_axi_wstrb), .s_axi_wvalid(s_axi_wvalid), .s_axi_wready(s_axi_wready),
        .s_axi_bresp(s_axi_bresp), .s_axi_bvalid(s_axi_bvalid), .s_axi_bready(s_axi_bready),
        .s_axi_araddr(s_axi_araddr), .s_axi_arvalid(s_axi_arvalid), .s_axi_arready(s_axi_arready),
        .s_axi_rdata(s_axi_rdata), .s_axi_rresp(s_axi_rresp), .s_axi_rvalid(s_axi_rvalid), .s_axi_rready(s_axi_rready),
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser)
    );

    (* hierconn, init = 1'b0 *) wire \dut.inside_reg ;
    (* hierconn *) wire              \dut.open_reg ;
    (* hierconn *) wire [94:0]       \dut.axil.any ;
    (* hierconn *) wire [75:0]       \dut.axil.asked ;
    (* hierconn *) wire [33:0]       \dut.axil.answered , \dut.packets.any ;
    (* hierconn *) wire [303:0]      \dut.control.any ;
    (* hierconn *) wire [55:0]       \dut.control.asked ;
    (* hierconn *) wire [582+USER:0] \dut.engine.any ;
    (* hierconn *) wire              \dut.engine.any_ready , \dut.engine.valid , \dut.engine.drop_cut ;
    (* hierconn *) wire [617+USER:0] \dut.engine.offered ;
    (* hierconn *) wire [267:0]      \dut.engine.programmed ;
    (* hierconn *) wire [19:0]       \dut.packets.asked ;
    (* hierconn *) wire [76:0]       \dut.packets.seen ;

    // ---- wires

    wire        bus_valid, bus_write;
    wire [15:0] bus_address;
    wire [3:0]  bus_strobe;
    wire [31:0] bus_data;
    assign {bus_valid, bus_write, bus_address, bus_strobe, bus_data} = \dut.axil.any [53:0];
`ifdef BUG_WINDOW // the counters' window is behind that of the match engine's
    wire [3:0] counters = 2;
`else
    wire [3:0] counters = 1;
`endif
    wire [4:0]  flags = \dut.engine.any [4+USER:USER];
    wire [1:0]  op    = \dut.control.any [300:299];

    always @* begin
        assert (\dut.axil.asked == {s_axi_aclk, s_axi_aresetn, s_axi_awaddr, s_axi_awvalid, s_axi_wdata, s_axi_wstrb,
            s_axi_wvalid, s_axi_bready, s_axi_araddr, s_axi_arvalid, s_axi_rready, clk});
        assert ({s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, s_axi_bresp, s_axi_rresp,
            s_axi_rdata} == \dut.axil.any [94:54]);
        assert (\dut.control.asked == {clk, rst, bus_valid && bus_address[15:12] == 0, bus_write, bus_address, bus_strobe,
            bus_data});
        assert (\dut.packets.asked == {clk, rst, bus_valid && bus_address[15:12] == counters, bus_write, bus_address});
        if (bus_address[15:12] == 0) assert (\dut.axil.answered == \dut.control.any [33:0]);
        if (bus_address[15:12] == counters) assert (\dut.axil.answered == \dut.packets.any );

        assert (\dut.engine.offered == {clk, rst, s_axis_tlast, s_axis_tkeep, s_axis_tdata, 35'd0, 1'b1,
            `BLOOMLANE_PASS, s_axis_tuser, m_axis_tready});
        assert (\dut.engine.programmed == {\dut.control.any [303:301], \dut.control.any [298:34]});
`ifdef BUG_USER // the flags are the stream's side band
        assert ({m_axis_tvalid, m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser} ==
                {\dut.engine.any [582+USER:5+USER], \dut.engine.any [4+USER:5]});
`else
        assert ({m_axis_tvalid, m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser} ==
                {\dut.engine.any [582+USER:5+USER], \dut.engine.any [USER-1:0]});
`endif
        assert (\dut.packets.seen == {\dut.engine.valid , \dut.engine.any_ready , s_axis_tlast, op, m_axis_tvalid,
            m_axis_tready, m_axis_tlast, m_axis_tkeep, flags});
    end

    // ---- what is let in

    reg  started = 0, in_rst;
    reg  inside = 0; // of the source's packet, whatever is reset
    reg  in_frame;   // of a packet that is let in
    reg  open;       // a packet was let in since the reset
    reg  was_ready;  // the engine was, since the reset
    wire take   = s_axis_tvalid && (!WAITS || s_axis_tready);
    wire let_in = \dut.engine.valid && \dut.engine.any_ready ;

    always @(posedge clk) begin
        started <= 1;
        in_rst  <= rst;
        if (take) inside <= !s_axis_tlast;
        if (let_in) {open, in_frame} <= {1'b1, !s_axis_tlast};
        was_ready <= !rst && (was_ready || \dut.engine.any_ready );
        if (rst) {open, in_frame} <= 0;
    end

    always @* assert (\dut.inside_reg == inside);

    always @* begin
        if (!started) assume (rst);
        if (!WAITS && was_ready) assume (\dut.engine.any_ready ); // stream.v
    end

    always @* if (started) begin
        assert (!\dut.engine.drop_cut ); // the engine and the counters see the same packets
        if (let_in) assert (take);
`ifdef BUG_CUT // what is left of a packet is one
        if (let_in && !in_rst) assert (!in_frame || inside);
        if (take && inside) assert (let_in);
`else
        if (let_in) assert (in_frame == inside);
`endif
        if (in_frame) assert (inside && open);
        if (in_frame && take) assert (let_in);
        if (take && !inside && (WAITS || open)) assert (let_in);
        if (\dut.open_reg ) assert (in_frame == inside);
        if (open) assert (\dut.open_reg );
        if (\dut.open_reg ) assert (was_ready);
        if (in_rst) assert (!\dut.open_reg );
    end

    generate
        if (!WAITS) always @* if (started && \dut.engine.valid ) assert (let_in);
    endgenerate
endmodule
