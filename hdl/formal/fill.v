// bloomlane_fill is a plain count of ones against the limit, LATENCY clocks later (without stalls:
// advance is one enable of every register). A solver can hardly count, so that of many bits only one
// in STRIDE is free; the others are ones.
module fill #(parameter BITS = 32, parameter LATENCY = 2, parameter STRIDE = 1) (
    input            clk,
    input [BITS-1:0] any
);
    reg [BITS-1:0] bits;
    integer n;
    always @* for (n = 0; n < BITS; n = n + 1) bits[n] = any[n] || n % STRIDE != 0;

    (* anyconst *) reg [$clog2(BITS+1)-1:0] limit;

    wire overfull;
    bloomlane_fill #(.BITS(BITS), .LATENCY(LATENCY)) dut (clk, 1'b1, bits, limit, overfull);

    reg [$clog2(BITS+1)-1:0] ones;
    integer i;
    always @* begin
        ones = 0;
        for (i = 0; i < BITS; i = i + 1) ones = ones + bits[i];
    end

    reg [LATENCY-1:0] expected, known = 0;
    always @(posedge clk) begin
        known    <= {known, 1'b1};
`ifdef BUG_LIMIT // the limit itself is too many
        expected <= {expected, ones >= limit};
`else
        expected <= {expected, ones > limit};
`endif
    end

    always @* if (known[LATENCY-1]) assert (overfull == expected[LATENCY-1]);

    // What may come: a history has each.
    always @* begin
        cover (bits == {BITS{1'b1}});
        cover (ones == limit);
        cover (ones == limit + 1);
        cover (limit == BITS);
        cover (limit == 0);
    end
endmodule
