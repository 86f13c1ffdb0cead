// An example: the in-line engine for frames in which tags, labels or IPv6 may stand ahead of the header.
//
// Frames are 64 bytes a beat. Where their headers end, as bloomlane_place finds it, those of "packets inpacket"
// have four bytes and then the field. A frame whose headers end elsewhere passes, flagged as short.
//
// The place is found in the clock of the first beat, ahead of the engine's own register. Where that is too
// late, a register of the whole stream goes in front of both.
//
// Parameters
//   END_0  byte of the frame where its headers end in place 0, and so on; 14 is a frame without a tag
//   END_1
//   END_2
//   END_3
// Latency: that of bloomlane_inline
`include "bloomlane_params.vh"
`default_nettype none

module example_tags #(
    parameter END_0 = 14,
    parameter END_1 = 18,
    parameter END_2 = 22,
    parameter END_3 = 62
) (
    input  wire         clk,
    input  wire         rst,

    // The most ones that a header may have: a level
    input  wire [8:0]   fill_limit,

    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    input  wire         s_axis_tlast,
    input  wire [38:0]  s_axis_tuser, // {positions, programmed, op, user}: no element is programmed here

    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,
    output wire         m_axis_tlast,
    output wire [5:0]   m_axis_tuser  // {short, overfull, applied, result, user}
);
    wire [2:0] place;
    wire       no_tid;
    wire       no_tdest;

    bloomlane_place #(.DATA_BYTES(64), .END_0(END_0), .END_1(END_1), .END_2(END_2), .END_3(END_3)) parser (
        .data (s_axis_tdata),
        .place(place)
    );

    bloomlane_inline #(
        .DATA_BYTES(64), .W(32), .PLACES(4), .OFFSET(END_0 + 4), .OFFSET_1(END_1 + 4), .OFFSET_2(END_2 + 4),
        .OFFSET_3(END_3 + 4)
    ) engine (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (s_axis_tdata),
        .s_axis_tkeep (s_axis_tkeep),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .s_axis_tlast (s_axis_tlast),
        .s_axis_tid   (1'b0),
        .s_axis_tdest (1'b0),
        .s_axis_tuser ({place, s_axis_tuser}),
        .m_axis_tdata (m_axis_tdata),
        .m_axis_tkeep (m_axis_tkeep),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tlast (m_axis_tlast),
        .m_axis_tid   (no_tid),
        .m_axis_tdest (no_tdest),
        .m_axis_tuser (m_axis_tuser),
        .program_valid(1'b0),
        .program_op   (`BLOOMLANE_PASS),
        .program_mask (256'd0),
        .fill_limit   (fill_limit)
    );

    wire unused = &{1'b0, no_tid, no_tdest};
endmodule

`default_nettype wire
