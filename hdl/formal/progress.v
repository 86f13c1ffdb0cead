// The in-line engine makes progress: while the receiver is ready, a packet that is in whole has a beat out at
// least every LONGEST clocks, and a beat that is offered is taken within LONGEST. Bounded: the engine holds
// DEPTH + 7 beats, so that it fills and drains within the bound.
module progress #(
    parameter DATA_BYTES = 32, parameter W = 32, parameter OFFSET = 32, parameter LOG2_DEPTH = 3, parameter LONGEST = 14
) (
    input clk, input rst,
    input [8*DATA_BYTES-1:0] s_axis_tdata, input [DATA_BYTES-1:0] s_axis_tkeep,
    input s_axis_tvalid, input s_axis_tlast, input [7*$clog2(W)+3:0] s_axis_tuser,
    input m_axis_tready, input [8*W-1:0] program_mask
);
    wire                    s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire                    m_axis_tid, m_axis_tdest;
    wire [8*DATA_BYTES-1:0] m_axis_tdata;
    wire [DATA_BYTES-1:0]   m_axis_tkeep;
    wire [5:0]              m_axis_tuser;

    bloomlane_inline #(.DATA_BYTES(DATA_BYTES), .W(W), .OFFSET(OFFSET), .LOG2_DEPTH(LOG2_DEPTH)) engine (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tid(1'b0), .s_axis_tdest(1'b0),
        .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tid(m_axis_tid),
        .m_axis_tdest(m_axis_tdest), .m_axis_tuser(m_axis_tuser),
        .program_valid(1'b0), .program_op(2'd0), .program_mask(program_mask), .fill_limit({$clog2(8*W+1){1'b0}})
    );

    wire accept = s_axis_tvalid && s_axis_tready;
    wire emit   = m_axis_tvalid && m_axis_tready;

    reg       started = 0;
    reg [3:0] whole;    // packets that are in whole
    reg [4:0] still;    // clocks in which the receiver was ready, a packet was in whole, and no beat came out
    reg [4:0] refused;  // clocks in which the receiver was ready, and a beat was offered and not taken
    always @(posedge clk) begin
        started <= 1;
        whole   <= whole + (accept && s_axis_tlast) - (emit && m_axis_tlast);
`ifdef BUG_STUCK // a beat that comes out is not seen
        still   <= m_axis_tready && whole != 0 ? still + 1'b1 : 0;
`else
        still   <= m_axis_tready && whole != 0 && !emit ? still + 1'b1 : 0;
`endif
        refused <= m_axis_tready && s_axis_tvalid && !accept ? refused + 1'b1 : 0;
        if (rst) begin
            whole   <= 0;
            still   <= 0;
            refused <= 0;
        end
    end

    always @* begin
        if (!started) assume (rst);
        if (started) begin
            assert (still < LONGEST);
            assert (refused < LONGEST);
            cover (still == LONGEST - 4);
            cover (refused == 2);
        end
    end
endmodule
