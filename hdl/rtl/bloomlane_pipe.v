// bloomlane_core in 1 to 4 clocks, one operation a clock: block, mask or positions in, block out.
//
// Four steps, with a register behind the last one and, as DEPTH grows, behind the others:
//
//   decode   positions to a mask; op to one line an operation          cut if DEPTH >= 3
//   compare  the bits to toggle; what is missing and what may be       cut if DEPTH >= 2
//            cleared, OR-ed over groups of GROUP columns; lane 0
//   reduce   the groups to the result, and to whether to toggle        cut if DEPTH >= 4
//   apply    block ^ toggle                                            always cut
//
// Nothing but an absent delete is ever taken back, so the mask is not needed behind compare, where
// it becomes the bits to toggle, and lane 0, which only an insert changes, is final there. With
// DEPTH = 4 no clock has more than three LUTs in a row, be they of six inputs or of four.
//
// Parameters
//   W          bits of a lane: 32 (a block of 256 bits) or 64 (512)
//   DEPTH      1 to 4
//   POSITIONS  1: in_key is stored positions, lane i at [B*(7-i) +: B], B = log2 W
//              0: in_key is a mask of any pattern, lane i at [W*i +: W]
//   TAG        bits that travel along, at least 1
// Latency: DEPTH advances; outputs are registered
// Source: bloomlane_core, to which hdl/formal proves it equal
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_pipe #(
    parameter W         = 32,
    parameter DEPTH     = 2,
    parameter POSITIONS = 0,
    parameter TAG       = 1
) (
    input  wire clk,
    input  wire rst,     // clears out_valid only, whatever advance is
    input  wire advance, // clock enable of all stages

    input  wire                          in_valid,
    input  wire [1:0]                    in_op,
    input  wire [`BLOOMLANE_LANES*W-1:0] in_block,
    input  wire [(POSITIONS != 0 ? `BLOOMLANE_DATA_LANES*$clog2(W) : `BLOOMLANE_LANES*W)-1:0] in_key,
    input  wire [TAG-1:0]                in_tag,

    output wire                          out_valid,
    output wire [`BLOOMLANE_LANES*W-1:0] out_block,
    output wire [1:0]                    out_result,
    output wire [TAG-1:0]                out_tag
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
        if (!(DEPTH >= 1 && DEPTH <= 4)) begin : refused_DEPTH
            DEPTH_must_be_1_to_4 refused ();
        end
        if (!(POSITIONS == 0 || POSITIONS == 1)) begin : refused_POSITIONS
            POSITIONS_must_be_0_or_1 refused ();
        end
        if (!(TAG >= 1)) begin : refused_TAG
            TAG_must_be_1_or_more refused ();
        end
    endgenerate

    localparam BITS   = `BLOOMLANE_LANES * W;
    localparam DATA   = `BLOOMLANE_DATA_LANES * W;
    localparam GROUP  = 4;
    localparam GROUPS = W / GROUP;

    // Validity, the only state that reset touches.
    reg [DEPTH-1:0] valid_reg;
    wire [DEPTH:0]  valid_next = {valid_reg, in_valid};
    always @(posedge clk)
        if (rst) valid_reg <= {DEPTH{1'b0}};
        else if (advance) valid_reg <= valid_next[DEPTH-1:0];
    assign out_valid = valid_next[DEPTH];

    // Decode.
    wire [BITS-1:0] key_mask;
    generate
        if (POSITIONS != 0) begin : positions
            bloomlane_mask #(.W(W)) mask_inst (.positions(in_key), .mask(key_mask));
        end else begin : mask
            assign key_mask = in_key;
        end
    endgenerate

    wire in_inserting = in_op == `BLOOMLANE_INSERT;
    wire in_deleting  = in_op == `BLOOMLANE_DELETE;
    wire in_passing   = in_op == `BLOOMLANE_PASS;

    wire [BITS-1:0] block;
    wire [DATA-1:0] data;  // the data lanes of the mask
    wire [W-1:0]    lane0; // its lane 0, which a delete ignores
    wire            inserting, deleting, passing;
    wire [TAG-1:0]  tag;

    bloomlane_cut #(.BITS(2*BITS+3+TAG), .CUT(DEPTH >= 3)) decode_inst (
        .clk(clk), .advance(advance),
        .in({in_block, key_mask[BITS-1:W], key_mask[W-1:0] & {W{!in_deleting}}, in_inserting, in_deleting, in_passing, in_tag}),
        .out({block, data, lane0, inserting, deleting, passing, tag})
    );

    // Compare. Column j is bit j of all lanes.
    wire [DATA-1:0] keep   = {`BLOOMLANE_DATA_LANES{block[W-1:0]}}; // a delete leaves these alone
    wire [DATA-1:0] toggle = data & ({DATA{inserting}} & ~block[BITS-1:W] | {DATA{deleting}} & ~keep);

    reg [W-1:0] collided_column; // a bit of the mask was set already
    reg [W-1:0] missing_column;  // a bit of the mask is not set
    reg [W-1:0] freed_column;    // a bit of the mask may be cleared
    integer i;
    always @* begin
        collided_column = lane0;
        missing_column  = lane0 & ~block[W-1:0];
        freed_column    = {W{1'b0}};
        for (i = 0; i < `BLOOMLANE_DATA_LANES; i = i + 1) begin
            collided_column = collided_column | data[W*i +: W] & block[W*(i+1) +: W];
            missing_column  = missing_column  | data[W*i +: W] & ~block[W*(i+1) +: W];
            freed_column    = freed_column    | data[W*i +: W] & ~block[W-1:0];
        end
    end

    reg [GROUPS-1:0] missing_group, freed_group;
    integer j;
    always @* begin
        for (j = 0; j < GROUPS; j = j + 1) begin
            missing_group[j] = |missing_column[GROUP*j +: GROUP];
            freed_group[j]   = |freed_column[GROUP*j +: GROUP];
        end
    end

    wire [BITS-1:0]   compared_block;
    wire [DATA-1:0]   compared_toggle;
    wire [GROUPS-1:0] missing, freed;
    wire              compared_inserting, compared_deleting, compared_passing;
    wire [TAG-1:0]    compared_tag;

    bloomlane_cut #(.BITS(BITS+DATA+2*GROUPS+3+TAG), .CUT(DEPTH >= 2)) compare_inst (
        .clk(clk), .advance(advance),
        .in({block[BITS-1:W], block[W-1:0] | collided_column & {W{inserting}}, toggle,
             missing_group, freed_group, inserting, deleting, passing, tag}),
        .out({compared_block, compared_toggle,
              missing, freed, compared_inserting, compared_deleting, compared_passing, compared_tag})
    );

    // Reduce.
    wire present = ~|missing;
    wire deleted = compared_deleting & present & |freed;

    wire [BITS-1:0] reduced_block;
    wire [DATA-1:0] reduced_toggle;
    wire            go; // toggle
    wire [1:0]      result;
    wire [TAG-1:0]  reduced_tag;

    bloomlane_cut #(.BITS(BITS+DATA+3+TAG), .CUT(DEPTH >= 4)) reduce_inst (
        .clk(clk), .advance(advance),
        .in({compared_block, compared_toggle, compared_inserting | compared_deleting & present,
             deleted ? `BLOOMLANE_DELETED : {1'b0, present & ~compared_passing}, compared_tag}),
        .out({reduced_block, reduced_toggle, go, result, reduced_tag})
    );

    // Apply.
    bloomlane_cut #(.BITS(BITS+2+TAG), .CUT(1)) apply_inst (
        .clk(clk), .advance(advance),
        .in({reduced_block ^ {reduced_toggle & {DATA{go}}, {W{1'b0}}}, result, reduced_tag}),
        .out({out_block, out_result, out_tag})
    );
endmodule

`default_nettype wire
