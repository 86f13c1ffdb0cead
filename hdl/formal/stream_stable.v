// The in-line engine keeps what it offers: while m_axis_tvalid and not m_axis_tready, the beat stands
// (AXI4-Stream, ARM IHI 0051A, 2.2.1). Whatever comes in, by induction.
`include "bloomlane_params.vh"

module stream_stable #(parameter DATA_BYTES = 8, parameter W = 32, parameter OFFSET = 64) (
    input clk, input rst,
    input [8*DATA_BYTES-1:0] s_axis_tdata, input [DATA_BYTES-1:0] s_axis_tkeep,
    input s_axis_tvalid, input s_axis_tlast, input [7*$clog2(W)+6:0] s_axis_tuser,
    input [1:0] s_axis_tid, input [2:0] s_axis_tdest,
    input m_axis_tready,
    input program_valid, input [1:0] program_op, input [8*W-1:0] program_mask,
    input [$clog2(8*W+1)-1:0] fill_limit
);
    wire                    s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [8*DATA_BYTES-1:0] m_axis_tdata;
    wire [DATA_BYTES-1:0]   m_axis_tkeep;
    wire [8:0]              m_axis_tuser;
    wire [1:0]              m_axis_tid;
    wire [2:0]              m_axis_tdest;

    bloomlane_inline #(.DATA_BYTES(DATA_BYTES), .W(W), .OFFSET(OFFSET), .LOG2_DEPTH(3), .CUT_THROUGH(1), .ID_WIDTH(2), .DEST_WIDTH(3), .USER_WIDTH(4)) engine (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
`ifdef BUG_IMPATIENT // a beat is given up before it is taken
        .m_axis_tready(m_axis_tready || s_axis_tlast),
`else
        .m_axis_tready(m_axis_tready),
`endif
        .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser),
        .s_axis_tid(s_axis_tid), .s_axis_tdest(s_axis_tdest), .m_axis_tid(m_axis_tid), .m_axis_tdest(m_axis_tdest),
        .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask), .fill_limit(fill_limit)
    );

    // The places of the ring at the output: no beat is written where one stands.
    (* hierconn *) wire       \engine.taken_reg ;
    (* hierconn *) wire [2:0] \engine.place_reg , \engine.out.read_reg , \engine.out.write_reg ;
    wire [2:0] outs     = \engine.out.write_reg - \engine.out.read_reg ;
    wire [2:0] promised = \engine.place_reg - \engine.out.read_reg - 3'd1;

    reg                              started = 1'b0;
    reg                              stalled = 1'b0;
    reg [9*DATA_BYTES+14:0]          offered;
    wire [9*DATA_BYTES+14:0]         offer = {m_axis_tuser, m_axis_tid, m_axis_tdest, m_axis_tlast, m_axis_tkeep, m_axis_tdata};

    always @(posedge clk) begin
        started <= 1'b1;
        stalled <= !rst && m_axis_tvalid && !m_axis_tready;
        offered <= offer;
    end

    always @* begin
        if (!started) assume (rst);
        if (started) assert ({1'b0, promised} == outs + \engine.taken_reg );
        if (started && stalled) begin
            assert (m_axis_tvalid);
            assert (offer == offered);
        end
    end
endmodule
