// A queue of words in a memory, whose oldest word is registered at the output.
//
// Words go in while in_ready and come out in order. in_ready is registered: no path leads to it from
// out_ready, and it falls one word before the memory is full. out_data stands while out_valid and
// not out_ready.
//
// Parameters
//   WIDTH       bits of a word, at least 1
//   LOG2_DEPTH  log2 of the words in the memory, 2 to 20; 5 fills the distributed memories of
//               LUT6 parts, and 8 the block memories of an iCE40
//   OUTPUT      1: a further register at the output, for parts whose memories answer late; 0: none
// Latency: 2 + OUTPUT clocks from in to out, one word a clock
`default_nettype none

module bloomlane_fifo #(
    parameter WIDTH      = 8,
    parameter LOG2_DEPTH = 5,
    parameter OUTPUT     = 0
) (
    input  wire             clk,
    input  wire             rst,

    input  wire             in_valid,
    output wire             in_ready,
    input  wire [WIDTH-1:0] in_data,

    output wire             out_valid,
    input  wire             out_ready,
    output wire [WIDTH-1:0] out_data
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

    localparam DEPTH = 1 << LOG2_DEPTH;

    // The words in the memory at which in_ready falls: one more may be on its way in.
    localparam [31:0]         LIMIT       = DEPTH - 1;
    localparam [LOG2_DEPTH:0] ALMOST_FULL = LIMIT[LOG2_DEPTH:0];

    (* no_rw_check *) // a word is never read in the clock that writes it
    reg [WIDTH-1:0]      memory [0:DEPTH-1];
    reg [LOG2_DEPTH-1:0] write_reg;
    reg [LOG2_DEPTH-1:0] read_reg;
    reg [LOG2_DEPTH:0]   count_reg;
    reg                  in_ready_reg;
    reg                  head_valid_reg;
    reg [WIDTH-1:0]      head_reg; // the memory's output register
    wire                 head_take;

    wire push = in_valid && in_ready_reg;
    wire pull = (!head_valid_reg || head_take) && count_reg != 0;

    assign in_ready = in_ready_reg;

    always @(posedge clk) begin
        if (push)
            memory[write_reg] <= in_data;
        if (pull)
            head_reg <= memory[read_reg];
    end

    always @(posedge clk) begin
        if (push)
            write_reg <= write_reg + 1'b1;
        if (pull)
            read_reg <= read_reg + 1'b1;
        if (push != pull)
            count_reg <= push ? count_reg + 1'b1 : count_reg - 1'b1;
        in_ready_reg <= count_reg < ALMOST_FULL;
        if (!head_valid_reg || head_take)
            head_valid_reg <= pull;

        if (rst) begin
            write_reg      <= {LOG2_DEPTH{1'b0}};
            read_reg       <= {LOG2_DEPTH{1'b0}};
            count_reg      <= {LOG2_DEPTH+1{1'b0}};
            in_ready_reg   <= 1'b0;
            head_valid_reg <= 1'b0;
        end
    end

    generate
        if (OUTPUT != 0) begin : registered
            reg             out_valid_reg;
            reg [WIDTH-1:0] out_reg;

            always @(posedge clk) begin
                if (!out_valid_reg || out_ready) begin
                    out_valid_reg <= head_valid_reg;
                    out_reg       <= head_reg;
                end
                if (rst)
                    out_valid_reg <= 1'b0;
            end

            assign head_take = !out_valid_reg || out_ready;
            assign out_valid = out_valid_reg;
            assign out_data  = out_reg;
        end else begin : direct
            assign head_take = out_ready;
            assign out_valid = head_valid_reg;
            assign out_data  = head_reg;
        end
    endgenerate
endmodule

`default_nettype wire
