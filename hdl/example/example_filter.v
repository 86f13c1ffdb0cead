// An example: a MAC's frames, of which those leave that carry an element and are good.
//
// Frames are 64 bytes a beat, as "packets inpacket" makes them, with a header of 256 bits at bytes 18 to 49.
// A frame is dropped if the element that program_mask has is not in its header, if it is too short for one or
// its header is too full, if the MAC says with its last beat that it is bad, and if there is no room. What
// leaves is whole, and without a gap.
//
// The MAC cannot wait: its stream has no tready. The queue behind the engine always takes a beat, so the engine
// always does, but in a reset and two clocks behind it: a frame that a reset cuts, or that begins there, is not
// let in.
//
// Parameters
//   LOG2_DEPTH  log2 of the beats in the queue, 2 to 20; the longest frame has a beat less
// Latency: that of bloomlane_inline, and 2 clocks from there on from a frame's last beat to its first one
`include "bloomlane_params.vh"
`default_nettype none

module example_filter #(
    parameter LOG2_DEPTH = 8
) (
    input  wire         clk,
    input  wire         rst,

    // The element, for frames that come later.
    input  wire         program_valid,
    input  wire [255:0] program_mask,

    // The most ones that a header may have: a level
    input  wire [8:0]   fill_limit,

    input  wire [511:0] rx_axis_tdata,
    input  wire [63:0]  rx_axis_tkeep,
    input  wire         rx_axis_tvalid,
    input  wire         rx_axis_tlast,
    input  wire         rx_axis_tuser, // with the last beat: the frame is bad

    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,
    output wire         m_axis_tlast,

    output wire         lost // a frame that would have left found no room: a clock each
);
    // Frames are let in from the first that begins when the engine is ready.
    reg  inside_reg = 1'b0; // a frame has begun and not ended: what no reset changes
    reg  open_reg;
    wire ready;
    wire inside_next = rx_axis_tvalid ? !rx_axis_tlast : inside_reg;

    always @(posedge clk) begin
        inside_reg <= inside_next;
        open_reg   <= !rst && (open_reg || ready && !inside_next);
    end

    wire [511:0] data;
    wire [63:0]  keep;
    wire         valid, last, bad, applied, always_ready, no_tid, no_tdest;
    wire [1:0]   result, why;

    bloomlane_inline #(.DATA_BYTES(64), .W(32), .OFFSET(18)) engine (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (rx_axis_tdata),
        .s_axis_tkeep (rx_axis_tkeep),
        .s_axis_tvalid(rx_axis_tvalid && open_reg),
        .s_axis_tready(ready),
        .s_axis_tlast (rx_axis_tlast),
        .s_axis_tid   (1'b0),
        .s_axis_tdest (1'b0),
        .s_axis_tuser ({35'd0, 1'b1, `BLOOMLANE_PASS, rx_axis_tuser}), // the programmed element
        .m_axis_tdata (data),
        .m_axis_tkeep (keep),
        .m_axis_tvalid(valid),
        .m_axis_tready(always_ready),
        .m_axis_tlast (last),
        .m_axis_tid   (no_tid),
        .m_axis_tdest (no_tdest),
        .m_axis_tuser ({why, applied, result, bad}),
        .program_valid(program_valid),
        .program_op   (`BLOOMLANE_QUERY),
        .program_mask (program_mask),
        .fill_limit   (fill_limit)
    );

    // The frames that leave: the element was found, and the frame is good.
    wire drop = bad || !applied || result == `BLOOMLANE_ABSENT;

    bloomlane_packet_fifo #(.WIDTH(64 + 512), .LOG2_DEPTH(LOG2_DEPTH), .DROP_FULL(1)) frames (
        .clk      (clk),           .rst      (rst),
        .in_valid (valid),         .in_ready (always_ready), .in_last (last),         .in_drop(drop),
        .in_data  ({keep, data}),
        .out_valid(m_axis_tvalid), .out_ready(m_axis_tready), .out_last(m_axis_tlast),
        .out_data ({m_axis_tkeep, m_axis_tdata}),
        .lost     (lost)
    );

    wire unused = &{1'b0, why, no_tid, no_tdest};
endmodule

`default_nettype wire
