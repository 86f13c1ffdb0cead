// bloomlane_spread is the product with the format's multiplier, six clocks later: the sum of the multiplier
// shifted to each one of the hash. A solver can hardly multiply, so that only one bit in STRIDE is free, from
// bit SHIFT on; the others are zeros.
`include "bloomlane_params.vh"

module spread #(parameter DSP = 0, parameter STRIDE = 9, parameter SHIFT = 0) (
    input clk, input [63:0] any
);
    reg [63:0] h;
    integer n;
    always @* for (n = 0; n < 64; n = n + 1) h[n] = any[n] && n % STRIDE == SHIFT;

    wire [63:0] g;
    bloomlane_spread #(.DSP(DSP)) dut (clk, 1'b1, h, g);

    reg [63:0] product;
    always @* begin
        product = 0;
        for (n = 0; n < 64; n = n + 1) if (h[n]) product = product + (`BLOOMLANE_MULTIPLIER << n);
    end

    reg [64*6-1:0] expected;
    reg [5:0]      known = 0;
    always @(posedge clk) begin
        known    <= {known, 1'b1};
`ifdef BUG_DIGIT // a digit of the multiplier is lost
        expected <= {expected, product ^ (h << 4)};
`else
        expected <= {expected, product};
`endif
    end
    always @* if (known[5]) assert (g == expected[64*6-1 -: 64]);
endmodule
