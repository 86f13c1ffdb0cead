// bloomlane_pipe is bloomlane_core, DEPTH advances later, whatever stalls: unbounded, by induction.
//
// Beside the pipeline runs a shadow with registers at the same cuts: before compare's they hold the
// operation as it came in, behind it what the core makes of that. The invariant at each cut is that
// what the pipeline holds is, or leads to, the shadow's; behind the last cut it is the outputs.
`include "bloomlane_params.vh"

module pipe #(parameter W = 32, parameter DEPTH = 2, parameter POSITIONS = 0) (
    input                                       clk, rst, advance, in_valid, in_tag,
    input [1:0]                                 in_op,
    input [8*W-1:0]                             in_block,
    input [(POSITIONS ? 7*$clog2(W) : 8*W)-1:0] in_key
);
    localparam BITS = 8 * W;

    wire            out_valid, out_tag;
    wire [BITS-1:0] out_block;
    wire [1:0]      out_result;
    bloomlane_pipe #(.W(W), .DEPTH(DEPTH), .POSITIONS(POSITIONS), .TAG(1)) dut (
        .clk(clk), .rst(rst), .advance(advance),
        .in_valid(in_valid), .in_op(in_op), .in_block(in_block), .in_key(in_key), .in_tag(in_tag),
        .out_valid(out_valid), .out_block(out_block), .out_result(out_result), .out_tag(out_tag)
    );

    // The pipeline's own wires: flatten connects a wire of this attribute to the one of its name.
    (* hierconn *) wire [DEPTH-1:0]  \dut.valid_reg ;
    (* hierconn *) wire [BITS-1:0]   \dut.block ;
    (* hierconn *) wire [7*W-1:0]    \dut.data ;
    (* hierconn *) wire [W-1:0]      \dut.lane0 ;
    (* hierconn *) wire              \dut.inserting ;
    (* hierconn *) wire              \dut.deleting ;
    (* hierconn *) wire              \dut.passing ;
    (* hierconn *) wire              \dut.tag ;
    (* hierconn *) wire [BITS-1:0]   \dut.compared_block ;
    (* hierconn *) wire [7*W-1:0]    \dut.compared_toggle ;
    (* hierconn *) wire [W/4-1:0]    \dut.missing ;
    (* hierconn *) wire [W/4-1:0]    \dut.freed ;
    (* hierconn *) wire              \dut.compared_inserting ;
    (* hierconn *) wire              \dut.compared_deleting ;
    (* hierconn *) wire              \dut.compared_passing ;
    (* hierconn *) wire              \dut.compared_tag ;
    (* hierconn *) wire [BITS-1:0]   \dut.reduced_block ;
    (* hierconn *) wire [7*W-1:0]    \dut.reduced_toggle ;
    (* hierconn *) wire              \dut.go ;
    (* hierconn *) wire [1:0]        \dut.result ;
    (* hierconn *) wire              \dut.reduced_tag ;

    // The shadow. A valid bit behind each of the four steps, at the same cuts.
    wire [BITS-1:0] in_mask;
    generate
        if (POSITIONS) bloomlane_mask #(.W(W)) mask (.positions(in_key), .mask(in_mask));
        else assign in_mask = in_key;
    endgenerate

    wire            known_1, known_2, known_3, known_4, tag_1, tag_2, tag_3, tag_4;
    wire [1:0]      op_1, op_2, result_2, result_3, result_4;
    wire [BITS-1:0] block_1, block_2, mask_1, mask_2, after_2, after_3, after_4;
`ifdef BUG_OP // the shadow takes another operation in
    wire [1:0] shadow_op = ~in_op;
`else
    wire [1:0] shadow_op = in_op;
`endif
    formal_cut #(.BITS(2*BITS+3), .CUT(DEPTH >= 3)) cut_1 (clk, rst, advance,
        in_valid, {in_tag, shadow_op, in_block, in_mask}, known_1, {tag_1, op_1, block_1, mask_1});
    formal_cut #(.BITS(2*BITS+3), .CUT(DEPTH >= 2)) cut_2 (clk, rst, advance,
        known_1, {tag_1, op_1, block_1, mask_1}, known_2, {tag_2, op_2, block_2, mask_2});

`ifdef BUG_CORE // a delete of the shadow does not look at the collisions
    wire [1:0] ignored;
    wire [W-1:0] collided = op_2 == `BLOOMLANE_DELETE ? {W{1'b0}} : block_2[W-1:0];
    bloomlane_core #(.W(W)) core_2 (op_2, {block_2[BITS-1:W], collided}, mask_2, after_2, ignored);
    bloomlane_core #(.W(W)) core_good (op_2, block_2, mask_2, , result_2);
`else
    bloomlane_core #(.W(W)) core_2 (op_2, block_2, mask_2, after_2, result_2);
`endif

    formal_cut #(.BITS(BITS+3), .CUT(DEPTH >= 4)) cut_3 (clk, rst, advance,
        known_2, {tag_2, result_2, after_2}, known_3, {tag_3, result_3, after_3});
`ifdef BUG_STALL // the last register of the shadow does not stall
    wire stalled_advance = 1;
`else
    wire stalled_advance = advance;
`endif
    formal_cut #(.BITS(BITS+3), .CUT(1)) cut_4 (clk, rst, stalled_advance,
        known_3, {tag_3, result_3, after_3}, known_4, {tag_4, result_4, after_4});

    wire present_2 = ~|\dut.missing ;
    wire go_2      = \dut.compared_inserting || \dut.compared_deleting && present_2;

    wire [3:0] valid = DEPTH == 1 ? {3'b0, known_4} :
                       DEPTH == 2 ? {2'b0, known_4, known_2} :
                       DEPTH == 3 ? {1'b0, known_4, known_2, known_1} : {known_4, known_3, known_2, known_1};

    reg started = 0;
    always @(posedge clk) if (rst) started <= 1;
    initial assume (rst);

    always @* if (started) begin
        assert (out_valid == known_4);
        assert (\dut.valid_reg == valid[DEPTH-1:0]);
        if (known_1) begin
            assert (\dut.block == block_1);
            assert (\dut.data == mask_1[BITS-1:W]);
            assert (\dut.lane0 == (op_1 == `BLOOMLANE_DELETE ? {W{1'b0}} : mask_1[W-1:0]));
            assert (\dut.inserting == (op_1 == `BLOOMLANE_INSERT));
            assert (\dut.deleting == (op_1 == `BLOOMLANE_DELETE));
            assert (\dut.passing == (op_1 == `BLOOMLANE_PASS));
            assert (\dut.tag == tag_1);
        end
        if (known_2) begin
            assert (\dut.compared_inserting == (op_2 == `BLOOMLANE_INSERT));
            assert (\dut.compared_deleting == (op_2 == `BLOOMLANE_DELETE));
            assert (\dut.compared_passing == (op_2 == `BLOOMLANE_PASS));
            assert ((\dut.compared_block ^ {\dut.compared_toggle & {7*W{go_2}}, {W{1'b0}}}) == after_2);
            if (op_2 != `BLOOMLANE_PASS) assert (present_2 == (result_2 != 2'd0));
            if (op_2 == `BLOOMLANE_DELETE) assert ((present_2 && |\dut.freed ) == (result_2 == `BLOOMLANE_DELETED));
            assert (\dut.compared_tag == tag_2);
        end
        if (known_3) begin
            assert ((\dut.reduced_block ^ {\dut.reduced_toggle & {7*W{\dut.go }}, {W{1'b0}}}) == after_3);
            assert (\dut.result == result_3);
            assert (\dut.reduced_tag == tag_3);
        end
        if (known_4) begin
            assert (out_block == after_4);
            assert (out_result == result_4);
            assert (out_tag == tag_4);
        end
    end
endmodule

module formal_cut #(parameter BITS = 1, parameter CUT = 1) (
    input clk, rst, advance, in_valid, input [BITS-1:0] in, output out_valid, output [BITS-1:0] out
);
    generate
        if (CUT) begin
            reg            valid_reg;
            reg [BITS-1:0] in_reg;
            always @(posedge clk)
                if (rst) valid_reg <= 0;
                else if (advance) valid_reg <= in_valid;
            always @(posedge clk) if (advance) in_reg <= in;
            assign out_valid = valid_reg;
            assign out = in_reg;
        end else begin
            assign out_valid = in_valid;
            assign out = in;
        end
    endgenerate
endmodule
