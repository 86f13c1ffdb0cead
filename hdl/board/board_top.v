// The in-line engine on a board, between two ends of a serial line: frames in, the operation on the header's
// block of each, frames out. board_slip_in and board_slip_out say how a frame looks on the line.
//
// Parameters
//   CLOCKS_PER_BIT  clocks of a bit on the line: 12 MHz / 12 is 1 Mbaud
//   OFFSET          byte of the frame where its block of 256 bits starts
//   FILL_LIMIT      ones that a block may have, 0 to 256
//   LOG2_DEPTH      log2 of the bytes of the queue of frames
// Clock: that of the oscillator; a frame takes as long as its bytes do on the line
`default_nettype none

module board_top #(
    parameter CLOCKS_PER_BIT = 12,
    parameter OFFSET         = 18,
    parameter FILL_LIMIT     = 128,
    parameter LOG2_DEPTH     = 11
) (
    input  wire clk,
    input  wire rst_n, // of any clock, with a pull-up

    input  wire rx,
    output wire tx,
    output wire led    // a frame was dropped since the reset
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(FILL_LIMIT >= 0 && FILL_LIMIT <= 256)) begin : refused_FILL_LIMIT
            FILL_LIMIT_must_be_0_to_256 refused ();
        end
    endgenerate

    localparam [31:0] LIMIT = FILL_LIMIT;

    // A reset begins with the configuration, which sets all registers to 0.
    reg  [3:0] rst_reg = 4'd0;
    wire       rst     = !rst_reg[3];

    always @(posedge clk)
        rst_reg <= {rst_reg[2:0], rst_n};

    wire        octet_valid, octet_broken;
    wire [7:0]  octet;

    wire [63:0] in_data;
    wire [7:0]  in_keep;
    wire        in_valid, in_ready, in_last;
    wire [37:0] in_element;
    wire [7:0]  dropped;

    wire [63:0] out_data;
    wire [7:0]  out_keep;
    wire        out_valid, out_ready, out_last;
    wire [5:0]  out_user;

    wire        line_valid, line_ready;
    wire [7:0]  line_data;

    board_uart_in #(.CLOCKS_PER_BIT(CLOCKS_PER_BIT)) uart_in (
        .clk   (clk),
        .rst   (rst),
        .rx    (rx),
        .valid (octet_valid),
        .broken(octet_broken),
        .data  (octet)
    );

    board_slip_in #(.LOG2_DEPTH(LOG2_DEPTH)) slip_in (
        .clk           (clk),
        .rst           (rst),
        .in_valid      (octet_valid),
        .in_broken     (octet_broken),
        .in_data       (octet),
        .m_axis_tdata  (in_data),
        .m_axis_tkeep  (in_keep),
        .m_axis_tvalid (in_valid),
        .m_axis_tready (in_ready),
        .m_axis_tlast  (in_last),
        .m_axis_element(in_element),
        .dropped       (dropped)
    );

    wire id_out, dest_out;

    bloomlane_inline #(.DATA_BYTES(8), .W(32), .OFFSET(OFFSET), .LOG2_DEPTH(3)) engine (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (in_data),
        .s_axis_tkeep (in_keep),
        .s_axis_tvalid(in_valid),
        .s_axis_tready(in_ready),
        .s_axis_tlast (in_last),
        .s_axis_tid   (1'b0),
        .s_axis_tdest (1'b0),
        .s_axis_tuser ({in_element, 1'b0}),
        .m_axis_tdata (out_data),
        .m_axis_tkeep (out_keep),
        .m_axis_tvalid(out_valid),
        .m_axis_tready(out_ready),
        .m_axis_tlast (out_last),
        .m_axis_tid   (id_out),
        .m_axis_tdest (dest_out),
        .m_axis_tuser (out_user),
        .program_valid(1'b0),
        .program_op   (2'd0),
        .program_mask (256'd0),
        .fill_limit   (LIMIT[8:0])
    );

    board_slip_out slip_out (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (out_data),
        .s_axis_tkeep (out_keep),
        .s_axis_tvalid(out_valid),
        .s_axis_tready(out_ready),
        .s_axis_tlast (out_last),
        .s_axis_flags (out_user[5:1]),
        .dropped      (dropped),
        .out_valid    (line_valid),
        .out_ready    (line_ready),
        .out_data     (line_data)
    );

    board_uart_out #(.CLOCKS_PER_BIT(CLOCKS_PER_BIT)) uart_out (
        .clk     (clk),
        .rst     (rst),
        .in_valid(line_valid),
        .in_ready(line_ready),
        .in_data (line_data),
        .tx      (tx)
    );

    assign led = |dropped;

    wire unused = &{1'b0, out_user[0], id_out, dest_out};
endmodule

`default_nettype wire
