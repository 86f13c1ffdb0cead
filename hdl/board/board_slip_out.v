// Packets of an AXI4-Stream as frames of SLIP, each with a trailer of two bytes: {3'd0, flags}, and the count
// of dropped frames as it is when that byte leaves.
//
// An end stands ahead of a frame and behind it, so that noise between frames is a frame of its own.
// Source: RFC 1055
`default_nettype none

module board_slip_out (
    input  wire        clk,
    input  wire        rst,

    input  wire [63:0] s_axis_tdata,
    input  wire [7:0]  s_axis_tkeep, // not 0
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire        s_axis_tlast,
    input  wire [4:0]  s_axis_flags, // of the last beat

    input  wire [7:0]  dropped,

    output wire        out_valid,
    input  wire        out_ready,
    output wire [7:0]  out_data
);
    localparam [7:0] END     = 8'hc0;
    localparam [7:0] ESC     = 8'hdb;
    localparam [7:0] ESC_END = 8'hdc;
    localparam [7:0] ESC_ESC = 8'hdd;

    // What leaves next.
    localparam [2:0] OPEN  = 3'd0; // the end ahead of a frame
    localparam [2:0] LOAD  = 3'd1; // nothing: a beat is taken
    localparam [2:0] BYTES = 3'd2; // those of the beat
    localparam [2:0] FLAGS = 3'd3;
    localparam [2:0] COUNT = 3'd4;
    localparam [2:0] CLOSE = 3'd5; // the end behind it

    reg  [2:0]  state_reg;
    reg  [63:0] data_reg;
    reg  [6:0]  more_reg;    // there is a byte behind the next one
    reg         last_reg;
    reg  [4:0]  flags_reg;
    reg         escaped_reg; // the escape has left, and what it stands for has not
    reg  [7:0]  escape_reg;  // the byte behind it

    wire        is_end  = state_reg == OPEN || state_reg == CLOSE;
    wire [7:0]  octet   = state_reg == BYTES ? data_reg[7:0] : state_reg == FLAGS ? {3'd0, flags_reg} : dropped;
    wire        escapes = !is_end && !escaped_reg && (octet == END || octet == ESC);
    wire        sent    = out_valid && out_ready && !escapes; // the byte, with all that stands for it

    assign s_axis_tready = state_reg == LOAD;
    assign out_valid     = state_reg == OPEN ? s_axis_tvalid : state_reg != LOAD;
    assign out_data      = is_end ? END : escaped_reg ? escape_reg : escapes ? ESC : octet;

    always @(posedge clk) begin
        if (out_valid && out_ready) begin
            escaped_reg <= escapes;
            escape_reg  <= octet == END ? ESC_END : ESC_ESC;
        end
        case (state_reg)
            OPEN:
                if (sent)
                    state_reg <= LOAD;
            LOAD:
                if (s_axis_tvalid) begin
                    state_reg <= BYTES;
                    data_reg  <= s_axis_tdata;
                    more_reg  <= s_axis_tkeep[7:1];
                    last_reg  <= s_axis_tlast;
                    flags_reg <= s_axis_flags;
                end
            BYTES:
                if (sent) begin
                    data_reg <= {8'd0, data_reg[63:8]};
                    more_reg <= {1'b0, more_reg[6:1]};
                    if (!more_reg[0])
                        state_reg <= last_reg ? FLAGS : LOAD;
                end
            FLAGS:
                if (sent)
                    state_reg <= COUNT;
            COUNT:
                if (sent)
                    state_reg <= CLOSE;
            default:
                if (sent)
                    state_reg <= OPEN;
        endcase
        if (rst)
            state_reg <= OPEN; // which leaves no escape behind
    end

    wire unused = &{1'b0, s_axis_tkeep[0]};
endmodule

`default_nettype wire
