// Bytes for a serial line: 8 bits, no parity, one stop bit.
//
// Parameters
//   CLOCKS_PER_BIT  4 to 65535, as in board_uart_in
`default_nettype none

module board_uart_out #(
    parameter CLOCKS_PER_BIT = 12
) (
    input  wire       clk,
    input  wire       rst,

    input  wire       in_valid,
    output wire       in_ready,
    input  wire [7:0] in_data,

    output wire       tx
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(CLOCKS_PER_BIT >= 4 && CLOCKS_PER_BIT <= 65535)) begin : refused_CLOCKS_PER_BIT
            CLOCKS_PER_BIT_must_be_4_to_65535 refused ();
        end
    endgenerate

    localparam [31:0] LAST_CLOCK = CLOCKS_PER_BIT - 1;

    reg [15:0] clock_reg;
    reg [3:0]  bits_reg; // still on the line
    reg [9:0]  shift_reg;

    assign in_ready = bits_reg == 4'd0;
    assign tx       = shift_reg[0];

    always @(posedge clk) begin
        clock_reg <= clock_reg - 1'b1;
        if (clock_reg == 16'd0 && !in_ready) begin
            clock_reg <= LAST_CLOCK[15:0];
            bits_reg  <= bits_reg - 1'b1;
            shift_reg <= {1'b1, shift_reg[9:1]};
        end
        if (in_valid && in_ready) begin
            clock_reg <= LAST_CLOCK[15:0];
            bits_reg  <= 4'd10;
            shift_reg <= {1'b1, in_data, 1'b0};
        end
        if (rst) begin
            bits_reg  <= 4'd0;
            shift_reg <= 10'h3ff;
        end
    end
endmodule

`default_nettype wire
