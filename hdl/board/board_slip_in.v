// Frames of SLIP as beats of an AXI4-Stream, each behind the element that its first five bytes name.
//
// A frame comes as {positions, programmed, op} in five bytes, the most significant first, where programmed and
// the bits above positions are ignored, and then one byte or more for the beats. It waits until it is whole.
// A frame is dropped whole, and counted, when it holds an escape that is none or a broken byte, is too short,
// or finds no room in the queue. After the first two, and after a reset, all bytes up to the next end are
// ignored. An empty frame is none.
//
// The line may bring a byte every second clock at most.
//
// Parameters
//   LOG2_DEPTH  log2 of the bytes of the queue: the longest frame, with its element, has one less
// Source: Romkey, "A nonstandard for transmission of IP datagrams over serial lines", RFC 1055, 1988
`default_nettype none

module board_slip_in #(
    parameter LOG2_DEPTH = 11
) (
    input  wire        clk,
    input  wire        rst,

    // Bytes of the line: one, or broken for one that could not be read.
    input  wire        in_valid,
    input  wire        in_broken,
    input  wire [7:0]  in_data,

    output wire [63:0] m_axis_tdata,
    output wire [7:0]  m_axis_tkeep,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output wire        m_axis_tlast,
    output wire [37:0] m_axis_element, // stands from a frame's first beat to its last

    output wire [7:0]  dropped // frames since the reset, modulo 256
);
    localparam [7:0] END     = 8'hc0;
    localparam [7:0] ESC     = 8'hdb;
    localparam [7:0] ESC_END = 8'hdc;
    localparam [7:0] ESC_ESC = 8'hdd;
    localparam [2:0] ELEMENT = 3'd5; // bytes

    // ---- the line's bytes without their escapes. A byte waits for the next, because the last is known by the
    // end behind it.

    reg        hunting_reg; // for an end
    reg        escaped_reg;
    reg  [2:0] length_reg;  // bytes of the frame; 6: that or more
    reg  [7:0] held_reg;    // the last of them
    reg  [7:0] dropped_reg;

    wire       is_end  = in_valid && in_data == END;
    wire       is_bad  = in_broken || in_valid && escaped_reg && in_data != ESC_END && in_data != ESC_ESC;
    wire       is_esc  = in_valid && !escaped_reg && in_data == ESC;
    wire       is_byte = in_valid && !is_bad && !is_esc && !is_end;
    wire [7:0] octet   = !escaped_reg ? in_data : in_data == ESC_END ? END : ESC;

    wire       begun  = length_reg != 3'd0;
    wire       closes = !hunting_reg && (is_end || is_bad);
    wire       drops  = closes && (is_bad || begun && length_reg <= ELEMENT);
    wire       lost;

    assign dropped = dropped_reg;

    always @(posedge clk) begin
        if (is_byte) begin
            held_reg <= octet;
            if (length_reg <= ELEMENT)
                length_reg <= length_reg + 1'b1;
        end
        if (in_valid)
            escaped_reg <= is_esc;
        if (is_end || is_bad) begin
            hunting_reg <= !is_end;
            escaped_reg <= 1'b0;
            length_reg  <= 3'd0;
        end
        if (drops || lost)
            dropped_reg <= dropped_reg + 1'b1;
        if (rst) begin
            hunting_reg <= 1'b1;
            escaped_reg <= 1'b0;
            length_reg  <= 3'd0;
            dropped_reg <= 8'd0;
        end
    end

    // ---- whole frames

    wire       queue_ready; // always
    wire       valid;
    wire       ready;
    wire       last;
    wire [7:0] data;

    bloomlane_packet_fifo #(.WIDTH(8), .LOG2_DEPTH(LOG2_DEPTH), .DROP_FULL(1)) frames (
        .clk      (clk),
        .rst      (rst),
        .in_valid (!hunting_reg && begun && (is_byte || closes)),
        .in_ready (queue_ready),
        .in_last  (closes),
        .in_drop  (drops),
        .in_data  (held_reg),
        .out_valid(valid),
        .out_ready(ready),
        .out_last (last),
        .out_data (data),
        .lost     (lost)
    );

    // ---- the element, and beats of eight bytes

    reg  [2:0]  named_reg; // bytes of the element that are in
    reg  [39:0] element_reg;
    reg  [63:0] data_reg;
    reg  [7:0]  keep_reg;
    reg         last_reg;
    reg         beat_reg;  // is whole

    wire        names = named_reg != ELEMENT;
    wire        take  = valid && ready;
    integer     n;

    assign ready          = names || !beat_reg;
    assign m_axis_tdata   = data_reg;
    assign m_axis_tkeep   = keep_reg;
    assign m_axis_tvalid  = beat_reg;
    assign m_axis_tlast   = last_reg;
    assign m_axis_element = element_reg[37:0] & ~38'd4;

    always @(posedge clk) begin
        if (take && names) begin
            named_reg   <= named_reg + 1'b1;
            element_reg <= {element_reg[31:0], data};
        end
        if (take && !names) begin
            for (n = 0; n < 8; n = n + 1)
                if (!keep_reg[n])
                    data_reg[8*n +: 8] <= data;
            keep_reg <= {keep_reg[6:0], 1'b1};
            last_reg <= last;
            beat_reg <= last || keep_reg[6];
        end
        if (beat_reg && m_axis_tready) begin
            keep_reg <= 8'd0;
            beat_reg <= 1'b0;
            if (last_reg)
                named_reg <= 3'd0;
        end
        if (rst) begin
            named_reg <= 3'd0;
            keep_reg  <= 8'd0;
            beat_reg  <= 1'b0;
        end
    end

    wire unused = &{1'b0, queue_ready, element_reg[39:38]};
endmodule

`default_nettype wire
