// A memory of words behind two pointers, which come out in the order in which they went in.
//
// It does not know how many words it holds: push only while there are less than 2^LOG2_DEPTH, and pop only
// a word that is in the memory. So nothing but the pointers steers it: no bit of a word has an enable. rst
// forgets the words.
//
// Parameters
//   WIDTH       bits of a word, at least 1
//   LOG2_DEPTH  log2 of the words in the memory, 2 to 20
//   OUTPUT      0: out_data is the word that the next pop takes, from a memory that answers in the same
//               clock; 1: out_data is the word that was popped a clock ago, from one that is registered
// Latency: a word may be popped from the clock after its push on
`default_nettype none

module bloomlane_ring #(
    parameter WIDTH      = 8,
    parameter LOG2_DEPTH = 5,
    parameter OUTPUT     = 1
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  push,
    input  wire [WIDTH-1:0]      in_data,
    output wire [LOG2_DEPTH-1:0] write, // where the next word goes

    input  wire                  pop,
    output wire [WIDTH-1:0]      out_data,
    output wire [LOG2_DEPTH-1:0] read   // where the oldest word is
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(WIDTH >= 1)) begin : refused_WIDTH
            WIDTH_must_be_1_or_more refused ();
        end
        if (!(LOG2_DEPTH >= 2 && LOG2_DEPTH <= 20)) begin : refused_LOG2_DEPTH
            LOG2_DEPTH_must_be_2_to_20 refused ();
        end
        if (!(OUTPUT == 0 || OUTPUT == 1)) begin : refused_OUTPUT
            OUTPUT_must_be_0_or_1 refused ();
        end
    endgenerate

    (* no_rw_check *) // a word is never read in the clock that writes it, or nobody looks at it
    reg [WIDTH-1:0]      memory [0:(1<<LOG2_DEPTH)-1];
    reg [LOG2_DEPTH-1:0] write_reg;
    reg [LOG2_DEPTH-1:0] read_reg;

    assign write = write_reg;
    assign read  = read_reg;

    always @(posedge clk)
        if (push)
            memory[write_reg] <= in_data;

    always @(posedge clk) begin
        if (push)
            write_reg <= write_reg + 1'b1;
        if (pop)
            read_reg <= read_reg + 1'b1;
        if (rst) begin
            write_reg <= {LOG2_DEPTH{1'b0}};
            read_reg  <= {LOG2_DEPTH{1'b0}};
        end
    end

    generate
        if (OUTPUT != 0) begin : registered
            reg [WIDTH-1:0] out_reg;
            always @(posedge clk)
                out_reg <= memory[read_reg];
            assign out_data = out_reg;
        end else begin : direct
            assign out_data = memory[read_reg];
        end
    endgenerate
endmodule

`default_nettype wire
