// Bytes of a serial line: 8 bits, no parity, one stop bit.
//
// A byte is looked at in the middle of each bit. When its stop bit is low, broken is high for a clock instead
// of valid, and the line is then ignored until it was high for the length of a byte, as it is after a reset:
// what follows would be read out of step.
//
// Parameters
//   CLOCKS_PER_BIT  4 to 65535: 12 MHz / 12 is 1 Mbaud
`default_nettype none

module board_uart_in #(
    parameter CLOCKS_PER_BIT = 12
) (
    input  wire       clk,
    input  wire       rst,

    input  wire       rx,     // of any clock; high where the line is idle

    output wire       valid,  // there is no ready: the reader takes it
    output wire       broken,
    output wire [7:0] data
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(CLOCKS_PER_BIT >= 4 && CLOCKS_PER_BIT <= 65535)) begin : refused_CLOCKS_PER_BIT
            CLOCKS_PER_BIT_must_be_4_to_65535 refused ();
        end
    endgenerate

    localparam [31:0] LAST_CLOCK   = CLOCKS_PER_BIT - 1;
    localparam [31:0] MIDDLE_CLOCK = CLOCKS_PER_BIT / 2 - 1;
    localparam [3:0]  BITS         = 4'd10; // with those that start and stop it

    reg  [2:0]  line_reg; // two registers of a synchronizer, and the level that is looked at
    reg  [15:0] clock_reg;
    reg  [3:0]  bits_reg; // still to come; 0: none has begun
    reg         lost_reg; // until the line is idle
    reg  [7:0]  shift_reg;
    reg         valid_reg;
    reg         broken_reg;

    wire line   = line_reg[2];
    wire sample = clock_reg == 16'd0;
    wire stop   = sample && bits_reg == 4'd1 && !lost_reg;
    wire wakes  = bits_reg == 4'd0 && !line;                   // a start bit
    wire noise  = bits_reg == BITS && sample && line && !lost_reg; // that ends before its middle
    wire again  = !line && (lost_reg || stop);                 // from here on the line has to be idle

    assign valid  = valid_reg;
    assign broken = broken_reg;
    assign data   = shift_reg;

    always @(posedge clk) begin
        line_reg   <= {line_reg[1:0], rx};
        valid_reg  <= stop && line;
        broken_reg <= stop && !line;

        clock_reg <= sample ? LAST_CLOCK[15:0] : clock_reg - 1'b1;
        if (sample && bits_reg != 4'd0) begin
            bits_reg <= bits_reg - 1'b1;
            if (bits_reg == 4'd1)
                lost_reg <= !line;
            else
                shift_reg <= {line, shift_reg[7:1]};
        end
        if (noise)
            bits_reg <= 4'd0;
        if (wakes || again) begin
            bits_reg  <= BITS;
            clock_reg <= wakes ? MIDDLE_CLOCK[15:0] : LAST_CLOCK[15:0];
        end
        if (rst) begin
            bits_reg   <= BITS;
            clock_reg  <= LAST_CLOCK[15:0];
            lost_reg   <= 1'b1;
            valid_reg  <= 1'b0;
            broken_reg <= 1'b0;
        end
    end
endmodule

`default_nettype wire
