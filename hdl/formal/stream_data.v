// The in-line engine loses no beat and makes none up, and keeps their order, their last flags, their
// byte enables, their tid, tdest and user, and all bytes outside the field; the field's too, where no
// operation was applied.
// One beat, any, is followed from the input to the output; a drained engine has given out all that it
// took. Bounded, with small queues: beats of 8 bytes come out before the field and, with a greater
// DEPTH, in it and behind it; beats of 32 hold a field each, and whole packets come out.
`include "bloomlane_params.vh"

module stream_data #(parameter DATA_BYTES = 8, parameter W = 32, parameter OFFSET = 8, parameter BYTE = 3) (
    input clk, input rst,
    input [8*DATA_BYTES-1:0] s_axis_tdata, input [DATA_BYTES-1:0] s_axis_tkeep,
    input s_axis_tvalid, input s_axis_tlast, input [7*$clog2(W)+6:0] s_axis_tuser,
    input [1:0] s_axis_tid, input [2:0] s_axis_tdest,
    input m_axis_tready,
    input [8*W-1:0] program_mask,
    input [$clog2(8*W+1)-1:0] fill_limit
);
    localparam FIELD = 8 * W / 8;
    localparam DRAIN = 12; // clocks from the last beat in to the last beat out, at most

    wire                    s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [8*DATA_BYTES-1:0] m_axis_tdata;
    wire [DATA_BYTES-1:0]   m_axis_tkeep;
    wire [8:0]              m_axis_tuser;
    wire [1:0]              m_axis_tid;
    wire [2:0]              m_axis_tdest;
    wire                    valid, last;

    bloomlane_inline #(.DATA_BYTES(DATA_BYTES), .W(W), .OFFSET(OFFSET), .LOG2_DEPTH(3), .ID_WIDTH(2), .DEST_WIDTH(3), .USER_WIDTH(4)) engine (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(valid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(last), .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser),
        .s_axis_tid(s_axis_tid), .s_axis_tdest(s_axis_tdest), .m_axis_tid(m_axis_tid), .m_axis_tdest(m_axis_tdest),
        .program_valid(1'b0), .program_op(2'd0), .program_mask(program_mask), .fill_limit(fill_limit)
    );

    wire accept = s_axis_tvalid && s_axis_tready;
    wire emit   = m_axis_tvalid && m_axis_tready;

    // The byte that is followed: byte n of a beat, and the beat at which the counters stand at watched.
    (* anyconst *) reg [4:0] watched;
    localparam n = BYTE;

    reg       started   = 1'b0;
    reg [4:0] accepted  = 5'd0;
    reg [4:0] emitted   = 5'd0;
    reg [7:0] place     = 8'd0;  // of the beat in its packet
    reg [4:0] quiet     = 5'd0;  // clocks without a beat in, ready for what comes out
    reg       complete  = 1'b1;  // the last beat in ended its packet
    reg       captured  = 1'b0;
    reg [7:0] byte_in;
    reg       keep_in, last_in, field_in;
    reg [8:0] side_in;

`ifdef BUG_DROPPED // a beat that came in is not taken
    assign valid = s_axis_tvalid && accepted != 5'd0;
`else
    assign valid = s_axis_tvalid;
`endif
`ifdef BUG_JOINED // a packet's end is not seen
    assign last = s_axis_tlast && accepted != 5'd0;
`else
    assign last = s_axis_tlast;
`endif
`ifdef BUG_OVERFULL // a field that is refused is changed all the same
    wire [7:0] byte_out = m_axis_tdata[8*n +: 8] ^ {7'd0, m_axis_tuser[3]};
`else
    wire [7:0] byte_out = m_axis_tdata[8*n +: 8];
`endif
    wire [15:0] at = DATA_BYTES * place + n; // of the byte in its packet

    always @(posedge clk) begin
        started <= 1'b1;
        if (rst) begin
            accepted <= 5'd0; emitted <= 5'd0; place <= 8'd0; quiet <= 5'd0; complete <= 1'b1; captured <= 1'b0;
        end else begin
            if (accept) begin
                accepted <= accepted + 1'b1;
                place    <= s_axis_tlast ? 8'd0 : place + 1'b1;
                complete <= s_axis_tlast;
                if (accepted == watched) begin
                    captured <= 1'b1;
                    byte_in  <= s_axis_tdata[8*n +: 8];
                    keep_in  <= s_axis_tkeep[n];
                    last_in  <= s_axis_tlast;
                    side_in  <= {s_axis_tuser[7*$clog2(W)+6 -: 4], s_axis_tdest, s_axis_tid};
                    field_in <= at >= OFFSET && at < OFFSET + FIELD;
                end
            end
            if (emit) emitted <= emitted + 1'b1;
            quiet <= accept || !m_axis_tready ? 5'd0 : quiet + 1'b1;
        end
    end

    always @* begin
        assume (rst == !started);
        assume (&{s_axis_tkeep} || s_axis_tlast);
        assume ((s_axis_tkeep & (s_axis_tkeep + 1'b1)) == 0 && s_axis_tkeep[0]);
        if (started) begin
            if (m_axis_tvalid) assert (emitted < accepted);
            if (emit && emitted == watched) begin
                assert (captured);
                assert (m_axis_tkeep[n] == keep_in);
                assert (m_axis_tlast == last_in);
                assert ({m_axis_tuser[8:5], m_axis_tdest, m_axis_tid} == side_in);
                if (!field_in || m_axis_tlast && !m_axis_tuser[2]) assert (byte_out == byte_in);
            end
            if (!m_axis_tlast && m_axis_tvalid) assert (m_axis_tuser[4:0] == 5'd0);
            if (complete && quiet >= DRAIN) assert (emitted == accepted);
        end
    end
endmodule
