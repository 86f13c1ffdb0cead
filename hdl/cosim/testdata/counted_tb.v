// An in-line engine with its counters beside it, but for one that drops what a reset leaves of a packet.
`include "bloomlane_params.vh"
module counted_tb #(
    parameter DATA_BYTES = 64, parameter W = 32, parameter OFFSET = 0, parameter PLACES = 1, parameter OFFSET_1 = 0,
    parameter OFFSET_2 = 0, parameter OFFSET_3 = 0, parameter LOG2_DEPTH = 5, parameter CUT_THROUGH = 0,
    parameter DROP_CUT = 0, parameter ID_WIDTH = 0, parameter DEST_WIDTH = 0, parameter USER_WIDTH = 1,
    parameter BELOW = 0 // the wrap, where counters begin
) (
    input clk, rst,
    input [8*DATA_BYTES-1:0] s_axis_tdata, input [DATA_BYTES-1:0] s_axis_tkeep,
    input s_axis_tvalid, output s_axis_tready, input s_axis_tlast,
    input [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0] s_axis_tid, input [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0] s_axis_tdest,
    input [USER_WIDTH+7*$clog2(W)+(PLACES > 1 ? 5 : 2):0] s_axis_tuser,
    output [8*DATA_BYTES-1:0] m_axis_tdata, output [DATA_BYTES-1:0] m_axis_tkeep,
    output m_axis_tvalid, input m_axis_tready, output m_axis_tlast,
    output [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0] m_axis_tid, output [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0] m_axis_tdest,
    output [USER_WIDTH+4:0] m_axis_tuser,
    input program_valid, input [1:0] program_op, input [8*W-1:0] program_mask, input [$clog2(8*W+1)-1:0] fill_limit,
    input bus_valid, bus_write, input [15:0] bus_address, output bus_ready, output [31:0] bus_answer, output bus_error
);
    localparam signed [31:0] FIRST = -BELOW;

    reg [1:0] op_reg; // that is programmed
    always @(posedge clk) begin
        if (program_valid) op_reg <= program_op;
        if (rst) op_reg <= `BLOOMLANE_PASS;
    end

    bloomlane_inline #(
        .DATA_BYTES(DATA_BYTES), .W(W), .OFFSET(OFFSET), .PLACES(PLACES), .OFFSET_1(OFFSET_1), .OFFSET_2(OFFSET_2),
        .OFFSET_3(OFFSET_3), .LOG2_DEPTH(LOG2_DEPTH), .CUT_THROUGH(CUT_THROUGH), .DROP_CUT(DROP_CUT),
        .ID_WIDTH(ID_WIDTH), .DEST_WIDTH(DEST_WIDTH), .USER_WIDTH(USER_WIDTH)
    ) engine (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tid(s_axis_tid), .s_axis_tdest(s_axis_tdest),
        .s_axis_tuser(s_axis_tuser), .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tid(m_axis_tid), .m_axis_tdest(m_axis_tdest),
        .m_axis_tuser(m_axis_tuser), .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask),
        .fill_limit(fill_limit)
    );

    generate
        if (DROP_CUT == 0) begin : counted
            bloomlane_count #(.DATA_BYTES(DATA_BYTES), .LOG2_DEPTH(LOG2_DEPTH), .FIRST(FIRST)) count (
                .clk(clk), .rst(rst),
                .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
                .s_axis_op(s_axis_tuser[USER_WIDTH+2] ? op_reg : s_axis_tuser[USER_WIDTH +: 2]),
                .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast),
                .m_axis_tkeep(m_axis_tkeep), .m_axis_flags(m_axis_tuser[USER_WIDTH +: 5]),
                .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address), .bus_ready(bus_ready),
                .bus_answer(bus_answer), .bus_error(bus_error)
            );
        end else begin : counted
            assign {bus_ready, bus_answer, bus_error} = 34'd0;
        end
    endgenerate
endmodule
