// The spread hash g = h * MULTIPLIER mod 2^64, from which a key's positions are taken.
//
// Without multipliers (DSP = 0) the constant is recoded into digits 0, 1 and -1, no two neighbours
// both nonzero, and the shifted copies of h that they stand for are summed in halves of 32 bits,
// whose carries meet in the last stage: no carry chain is longer than 38 bits.
//
// Parameters
//   DSP  1: three products of 32 bits, registered for multiplier blocks; 0: adders only
// Latency: 6 clocks, one hash a clock
// Source: format version 1, package fallback; canonical signed digits: Booth, 1951, Reitwiesner, 1960
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_spread #(
    parameter DSP = 0
) (
    input  wire        clk,
    input  wire        advance, // clock enable of all stages
    input  wire [63:0] h,
    output wire [63:0] g
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(DSP == 0 || DSP == 1)) begin : refused_DSP
            DSP_must_be_0_or_1 refused ();
        end
    endgenerate

    localparam [63:0] MULTIPLIER = `BLOOMLANE_MULTIPLIER;

    reg [63:0] g_reg;
    assign g = g_reg;

    generate
        if (DSP != 0) begin : multipliers
            reg [63:0] h_reg;
            reg [63:0] low_reg;      // products of the halves, as the multiplier blocks have them
            reg [31:0] cross_reg;
            reg [31:0] other_reg;
            reg [63:0] low_2_reg;
            reg [31:0] cross_2_reg;
            reg [31:0] other_2_reg;
            reg [63:0] low_3_reg;
            reg [31:0] cross_3_reg;
            reg [31:0] other_3_reg;
            reg [63:0] low_4_reg;
            reg [31:0] cross_4_reg;

            always @(posedge clk)
                if (advance) begin
                    h_reg       <= h;
                    low_reg     <= {32'd0, h_reg[31:0]} * {32'd0, MULTIPLIER[31:0]};
                    cross_reg   <= h_reg[31:0] * MULTIPLIER[63:32];
                    other_reg   <= h_reg[63:32] * MULTIPLIER[31:0];
                    low_2_reg   <= low_reg;
                    cross_2_reg <= cross_reg;
                    other_2_reg <= other_reg;
                    low_3_reg   <= low_2_reg;
                    cross_3_reg <= cross_2_reg;
                    other_3_reg <= other_2_reg;
                    low_4_reg   <= low_3_reg;
                    cross_4_reg <= cross_3_reg + other_3_reg;
                    g_reg       <= {low_4_reg[63:32] + cross_4_reg, low_4_reg[31:0]};
                end
        end else begin : adders
            // At most 16 digits of a sign: 32 of 64 are nonzero at most, and the format's constant
            // has fewer of each.
            localparam LOG2_TERMS = 4;
            localparam TERMS      = 1 << LOG2_TERMS;
            localparam LOW        = 32 + LOG2_TERMS;

            wire [TERMS*LOW-1:0] plus_low;
            wire [TERMS*32-1:0]  plus_high;
            wire [TERMS*LOW-1:0] minus_low;
            wire [TERMS*32-1:0]  minus_high;
            wire [LOW-1:0]       plus_low_sum;
            wire [31:0]          plus_high_sum;
            wire [LOW-1:0]       minus_low_sum;
            wire [31:0]          minus_high_sum;

            reg [LOW:0]          low_reg;  // signed
            reg [31:0]           high_reg;

            genvar k;
            for (k = 0; k < TERMS; k = k + 1) begin : term
                localparam [6:0] PLUS  = digit(k, 0);
                localparam [6:0] MINUS = digit(k, 1);
                wire [63:0] plus  = PLUS  < 64 ? h << PLUS  : 64'd0;
                wire [63:0] minus = MINUS < 64 ? h << MINUS : 64'd0;
                assign plus_low[LOW*k +: LOW]   = {{LOG2_TERMS{1'b0}}, plus[31:0]};
                assign plus_high[32*k +: 32]    = plus[63:32];
                assign minus_low[LOW*k +: LOW]  = {{LOG2_TERMS{1'b0}}, minus[31:0]};
                assign minus_high[32*k +: 32]   = minus[63:32];
            end

            bloomlane_sum #(.WIDTH(LOW), .LOG2_TERMS(LOG2_TERMS)) plus_low_tree
                (.clk(clk), .advance(advance), .terms(plus_low), .sum(plus_low_sum));
            bloomlane_sum #(.WIDTH(32), .LOG2_TERMS(LOG2_TERMS)) plus_high_tree
                (.clk(clk), .advance(advance), .terms(plus_high), .sum(plus_high_sum));
            bloomlane_sum #(.WIDTH(LOW), .LOG2_TERMS(LOG2_TERMS)) minus_low_tree
                (.clk(clk), .advance(advance), .terms(minus_low), .sum(minus_low_sum));
            bloomlane_sum #(.WIDTH(32), .LOG2_TERMS(LOG2_TERMS)) minus_high_tree
                (.clk(clk), .advance(advance), .terms(minus_high), .sum(minus_high_sum));

            always @(posedge clk)
                if (advance) begin
                    low_reg  <= {1'b0, plus_low_sum} - {1'b0, minus_low_sum};
                    high_reg <= plus_high_sum - minus_high_sum;
                    g_reg    <= {high_reg + {{32-1-LOG2_TERMS{low_reg[LOW]}}, low_reg[LOW:32]}, low_reg[31:0]};
                end
        end
    endgenerate

    // The position of digit number k of a sign in the recoded multiplier; 64 when there is none.
    function [6:0] digit;
        input integer k;
        input integer negative;
        reg [64:0] rest;
        integer    position;
        integer    found;
        begin
            digit = 7'd64;
            rest  = {1'b0, MULTIPLIER};
            found = 0;
            for (position = 0; position < 64; position = position + 1) begin
                if (rest[0]) begin
                    if ((rest[1] ? 1 : 0) == negative) begin
                        if (found == k)
                            digit = position[6:0];
                        found = found + 1;
                    end
                    rest = rest[1] ? rest + 65'd1 : rest - 65'd1;
                end
                rest = rest >> 1;
            end
        end
    endfunction
endmodule

`default_nettype wire
