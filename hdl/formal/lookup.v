// bloomlane_lookup on stored positions is bloomlane_query on the key's mask; the mask has exactly one
// bit in every data lane, where the definition's shift of g puts it.
`include "bloomlane_params.vh"

module lookup #(parameter W = 32) (
    input [8*W-1:0] block,
    input [63:0]    g
);
    localparam B = $clog2(W);

    wire [7*B-1:0] positions;
    wire [8*W-1:0] mask;
    wire           found, present;
    bloomlane_positions #(.W(W)) cut (g, positions);
    bloomlane_mask #(.W(W)) decode (positions, mask);
    bloomlane_query #(.W(W)) query (block, mask, present);
`ifdef BUG_ORDER // the lanes are stored in the other order
    bloomlane_lookup #(.W(W)) dut (block, {positions[0 +: B], positions[7*B-1:B]}, found);
`else
    bloomlane_lookup #(.W(W)) dut (block, positions, found);
`endif

    integer i;
    always @* begin
        assert (found == present);
        assert (positions == g >> (64 - 7*B));
        assert (mask[W-1:0] == 0);
        for (i = 1; i < 8; i = i + 1)
            assert (mask[W*i +: W] == {{W-1{1'b0}}, 1'b1} << ((g >> (64 - B*i)) & (W-1)));
    end

    // What may come: a history has each.
    always @* begin
        cover (found);
        cover (!found);
        cover (block == 0);
        cover (&block);
        cover (g == 0);
        cover (&g);
    end
endmodule
