// A table of blocks with its hash: a packet's field in, the result of an operation on it out.
//
// h is the Toeplitz hash or the SipHash-1-3 of the field; the block is the one at the top LOG2_BLOCKS bits
// of h, the positions come from the spread hash g. One operation a clock on any stream of fields.
//
// After reset the table is cleared; until then, and until each word of the key was written once, ready is low
// and operations are dropped. A word of the key may be written in any clock, and acts on the fields from that
// clock on; reset does not touch it. Which words were written is a register without a reset, whose first value
// is 0.
//
// Parameters
//   W            bits of a lane: 32 (blocks of 256 bits) or 64 (512)
//   LOG2_BLOCKS  log2 of the number of blocks, 1 to 20
//   FIELD_BYTES  bytes of the field, 1 to 40; 4 to 40 with HASH = 1
//   DSP          1: the spread hash uses multiplier blocks; 0: adders only
//   HASH         0: bloomlane_toeplitz; 1: bloomlane_siphash, for fields that others choose
// Latency: that of the hash + 6 (bloomlane_spread) + 5 (bloomlane_table_core) = 14 clocks, or with HASH = 1
//   21 + 2 * (FIELD_BYTES / 8), rounded down
// Source: as of the parts
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_table #(
    parameter W           = 64,
    parameter LOG2_BLOCKS = 9,
    parameter FIELD_BYTES = 13,
    parameter DSP         = 0,
    parameter HASH        = 0
) (
    input  wire                                                   clk,
    input  wire                                                   rst,
    output wire                                                   ready,

    input  wire                                                   key_write,
    input  wire [(HASH == 1 ? 2 : $clog2((FIELD_BYTES+11)/4))-1:0]key_word,
    input  wire [31:0]                                            key_data,

    input  wire                                                   in_valid,
    input  wire [1:0]                                             in_op,
    input  wire [8*FIELD_BYTES-1:0]                               in_field,  // byte 0 is the most significant

    output wire                                                   out_valid,
    output wire [1:0]                                             out_result
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(HASH == 0 || HASH == 1)) begin : refused_HASH
            HASH_must_be_0_or_1 refused ();
        end
    endgenerate

    localparam HASHED = HASH == 1 ? 10 + 2 * (FIELD_BYTES / 8) : 3; // the latencies
    localparam SPREAD = 6;
    localparam KEY    = `BLOOMLANE_DATA_LANES * $clog2(W);
    localparam WORDS  = HASH == 1 ? 4 : (FIELD_BYTES + 11) / 4;     // of the key of the hash

    wire [63:0]      h;
    wire [63:0]      g;
    wire [KEY-1:0]   positions;

    // The operation and the index keep step with the hashes; the newest is in the lowest bits.
    reg [HASHED+SPREAD-1:0]     valid_reg;
    reg [2*(HASHED+SPREAD)-1:0] op_reg;
    reg [LOG2_BLOCKS*SPREAD-1:0]  index_reg;

    always @(posedge clk) begin
        valid_reg <= {valid_reg[HASHED+SPREAD-2:0], in_valid && ready};
        op_reg    <= {op_reg[2*(HASHED+SPREAD-1)-1:0], in_op};
        index_reg <= {index_reg[LOG2_BLOCKS*(SPREAD-1)-1:0], h[63 -: LOG2_BLOCKS]};
        if (rst)
            valid_reg <= {HASHED+SPREAD{1'b0}};
    end

    reg  [WORDS-1:0] written_reg = {WORDS{1'b0}};
    wire             cleared;

    assign ready = cleared && &written_reg;

    genvar w;
    generate
        for (w = 0; w < WORDS; w = w + 1) begin : key
            localparam [31:0] WORD = w;
            always @(posedge clk)
                if (key_write && key_word == WORD[$clog2(WORDS)-1:0])
                    written_reg[w] <= 1'b1;
        end

        if (HASH == 1) begin : sip
            bloomlane_siphash #(.FIELD_BYTES(FIELD_BYTES)) siphash (
                .clk      (clk),
                .advance  (1'b1),
                .key_write(key_write),
                .key_word (key_word),
                .key_data (key_data),
                .field    (in_field),
                .hash     (h)
            );
        end else begin : linear
            bloomlane_toeplitz #(.FIELD_BYTES(FIELD_BYTES)) toeplitz (
                .clk      (clk),
                .advance  (1'b1),
                .key_write(key_write),
                .key_word (key_word),
                .key_data (key_data),
                .field    (in_field),
                .hash     (h)
            );
        end
    endgenerate

    bloomlane_spread #(.DSP(DSP)) spread (.clk(clk), .advance(1'b1), .h(h), .g(g));

    bloomlane_positions #(.W(W)) take (.g(g), .positions(positions));

    bloomlane_table_core #(.W(W), .LOG2_BLOCKS(LOG2_BLOCKS)) core (
        .clk         (clk),
        .rst         (rst),
        .ready       (cleared),
        .in_valid    (valid_reg[HASHED+SPREAD-1]),
        .in_op       (op_reg[2*(HASHED+SPREAD)-1 -: 2]),
        .in_index    (index_reg[LOG2_BLOCKS*SPREAD-1 -: LOG2_BLOCKS]),
        .in_positions(positions),
        .out_valid   (out_valid),
        .out_result  (out_result)
    );
endmodule

`default_nettype wire
