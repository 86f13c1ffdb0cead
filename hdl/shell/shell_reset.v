// A reset of another clock, for LENGTH clocks of this one at least.
//
// Parameters
//   LENGTH  1 to 255
// Latency: 2 clocks from rstn until rst is high
`default_nettype none

module shell_reset #(
    parameter LENGTH = 16
) (
    input  wire clk,
    input  wire rstn, // of any clock, low for two of this one
    output wire rst
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(LENGTH >= 1 && LENGTH <= 255)) begin : refused_LENGTH
            LENGTH_must_be_1_to_255 refused ();
        end
    endgenerate

    localparam [31:0] LAST = LENGTH;

    reg [1:0] rstn_reg  = 2'd0;
    reg [7:0] count_reg = 8'd0;

    assign rst = count_reg != LAST[7:0];

    always @(posedge clk) begin
        rstn_reg <= {rstn_reg[0], rstn};
        if (!rstn_reg[1])
            count_reg <= 8'd0;
        else if (rst)
            count_reg <= count_reg + 1'b1;
    end
endmodule

`default_nettype wire
