// Whether a header has more ones than a limit: a pipelined popcount and a comparison.
//
// A header with too many ones would match every port; LIPSIN drops such packets. The bits are
// counted in sixteens, those sums are added by fours, then in all; a register follows the last
// comparison and the other steps as LATENCY says.
//
// Parameters
//   BITS     bits of the header, at least 1
//   LATENCY  2: cut behind the sums of fours; 3: also behind the sixteens; 4: also behind the total
// Latency: LATENCY advances, one header an advance; the output is registered. The limit is a level:
//   a change acts on headers that are under way
// Source: LIPSIN (Jokela, Zahemszky, Rothenberg, Arianfar, Nikander, SIGCOMM 2009), the fill factor
//   limit against forged headers
`default_nettype none

module bloomlane_fill #(
    parameter BITS    = 256,
    parameter LATENCY = 2
) (
    input  wire                      clk,
    input  wire                      advance,  // clock enable
    input  wire [BITS-1:0]           bits,
    input  wire [$clog2(BITS+1)-1:0] limit,
    output wire                      overfull  // more than limit ones, LATENCY advances ago
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(BITS >= 1)) begin : refused_BITS
            BITS_must_be_1_or_more refused ();
        end
        if (!(LATENCY >= 2 && LATENCY <= 4)) begin : refused_LATENCY
            LATENCY_must_be_2_to_4 refused ();
        end
    endgenerate

    localparam FOURS    = (BITS + 63) / 64;
    localparam SIXTEENS = 4 * FOURS;
    localparam TOTAL    = $clog2(BITS + 1);

    // Sixteens: 5 bits each.
    wire [16*SIXTEENS-1:0] padded = {{16*SIXTEENS-BITS{1'b0}}, bits};
    reg  [5*SIXTEENS-1:0]  sixteens_next;
    wire [5*SIXTEENS-1:0]  sixteens;
    integer i, bit_of;
    always @* begin
        sixteens_next = {5*SIXTEENS{1'b0}};
        for (i = 0; i < SIXTEENS; i = i + 1)
            for (bit_of = 0; bit_of < 16; bit_of = bit_of + 1)
                sixteens_next[5*i +: 5] = sixteens_next[5*i +: 5] + {4'd0, padded[16*i+bit_of]};
    end
    bloomlane_cut #(.BITS(5*SIXTEENS), .CUT(LATENCY >= 3)) sixteens_inst (
        .clk(clk), .advance(advance), .in(sixteens_next), .out(sixteens)
    );

    // Fours of them: 7 bits each.
    reg  [7*FOURS-1:0] fours_next;
    wire [7*FOURS-1:0] fours;
    integer j;
    always @* begin
        for (j = 0; j < FOURS; j = j + 1)
            fours_next[7*j +: 7] = {2'd0, sixteens[20*j +: 5]} + {2'd0, sixteens[20*j+5 +: 5]} +
                                   {2'd0, sixteens[20*j+10 +: 5]} + {2'd0, sixteens[20*j+15 +: 5]};
    end
    bloomlane_cut #(.BITS(7*FOURS), .CUT(1)) fours_inst (
        .clk(clk), .advance(advance), .in(fours_next), .out(fours)
    );

    // The total.
    reg  [TOTAL+6:0]   sum;
    wire [TOTAL-1:0] total;
    integer k;
    always @* begin
        sum = {TOTAL+7{1'b0}};
        for (k = 0; k < FOURS; k = k + 1)
            sum = sum + {{TOTAL{1'b0}}, fours[7*k +: 7]};
    end
    bloomlane_cut #(.BITS(TOTAL), .CUT(LATENCY >= 4)) total_inst (
        .clk(clk), .advance(advance), .in(sum[TOTAL-1:0]), .out(total)
    );

    // The comparison.
    bloomlane_cut #(.BITS(1), .CUT(1)) overfull_inst (
        .clk(clk), .advance(advance), .in(total > limit), .out(overfull)
    );

    wire unused = &{1'b0, sum[TOTAL+6:TOTAL]};
endmodule

`default_nettype wire
