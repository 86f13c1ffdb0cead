// The sum of many words: a tree of adders with a register after each.
//
// Parameters
//   WIDTH       bits of a word and of the sum, which wraps; at least 1
//   LOG2_TERMS  log2 of the number of words, 1 to 8; words that are constant zero cost nothing
// Latency: LOG2_TERMS clocks, one sum a clock
`default_nettype none

module bloomlane_sum #(
    parameter WIDTH      = 32,
    parameter LOG2_TERMS = 4
) (
    input  wire                             clk,
    input  wire                             advance, // clock enable of all stages
    input  wire [(WIDTH<<LOG2_TERMS)-1:0]   terms,
    output wire [WIDTH-1:0]                 sum
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(WIDTH >= 1)) begin : refused_WIDTH
            WIDTH_must_be_1_or_more refused ();
        end
        if (!(LOG2_TERMS >= 1 && LOG2_TERMS <= 8)) begin : refused_LOG2_TERMS
            LOG2_TERMS_must_be_1_to_8 refused ();
        end
    endgenerate

    localparam TERMS = 1 << LOG2_TERMS;

    // Node i adds nodes 2i and 2i+1; the terms are nodes TERMS and up, the sum is node 1.
    wire [2*TERMS*WIDTH-1:0] node;

    assign node[WIDTH-1:0]                  = {WIDTH{1'b0}};
    assign node[TERMS*WIDTH +: TERMS*WIDTH] = terms;
    assign sum                              = node[WIDTH +: WIDTH];

    genvar i;
    generate
        for (i = 1; i < TERMS; i = i + 1) begin : add
            reg [WIDTH-1:0] sum_reg;
            always @(posedge clk)
                if (advance)
                    sum_reg <= node[2*i*WIDTH +: WIDTH] + node[(2*i+1)*WIDTH +: WIDTH];
            assign node[i*WIDTH +: WIDTH] = sum_reg;
        end
    endgenerate

    wire unused = &{1'b0, node[WIDTH-1:0]};
endmodule

`default_nettype wire
