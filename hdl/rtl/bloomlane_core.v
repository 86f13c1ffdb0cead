// One operation on one block: query, insert, delete or pass.
//
//   query   after = block; result 1 when every bit of mask is set, else 0
//   insert  after = block merged with mask (a bit that was set already marks its column in lane 0);
//           result as of the query just before
//   delete  absent (0): nothing changes. Otherwise the mask's bits in columns that lane 0 does not
//           mark are cleared: deleted (2) when there were any, else retained (1)
//   pass    after = block, result 0
//
// The mask may be any pattern. Its lane 0 takes part in a query, is OR-ed in by an insert and is
// ignored by a delete; an empty mask is present, and its delete is retained.
//
// Parameters
//   W  bits of a lane: 32 (a block of 256 bits) or 64 (512)
// Latency: combinational; bloomlane_pipe is the same in 1 to 4 clocks
// Source: Rothenberg, Macapuna, Verdi, Magalhães, "The Deletable Bloom Filter: A New Member of the
//   Bloom Family", IEEE Communications Letters 2010; QueryMask, InsertMask and DeleteMask of package
//   fallback are the definition
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_core #(
    parameter W = 32
) (
    input  wire [1:0]                    op,     // BLOOMLANE_QUERY, _INSERT, _DELETE or _PASS
    input  wire [`BLOOMLANE_LANES*W-1:0] block,  // lane i at [W*i +: W]
    input  wire [`BLOOMLANE_LANES*W-1:0] mask,
    output wire [`BLOOMLANE_LANES*W-1:0] after,
    output wire [1:0]                    result
);
    localparam BITS = `BLOOMLANE_LANES * W;

    wire inserting = op == `BLOOMLANE_INSERT;
    wire deleting  = op == `BLOOMLANE_DELETE;

    wire            present;
    wire [BITS-1:0] inserted;
    wire [BITS-1:0] data    = {mask[BITS-1:W], {W{1'b0}}};
    wire [BITS-1:0] wanted  = deleting ? data : mask;
    wire [BITS-1:0] free    = data & ~{`BLOOMLANE_LANES{block[W-1:0]}}; // what a delete may clear
    wire [BITS-1:0] cleared = block & ~free;

    bloomlane_query #(.W(W)) query_inst (.block(block), .mask(wanted), .present(present));
    bloomlane_merge #(.W(W)) merge_inst (.x(block), .y(mask), .merged(inserted));

    assign after = inserting ? inserted : deleting && present ? cleared : block;

    assign result = op == `BLOOMLANE_PASS ? 2'd0 :
                    !present              ? `BLOOMLANE_ABSENT :
                    deleting && |free     ? `BLOOMLANE_DELETED : 2'd1;
endmodule

`default_nettype wire
