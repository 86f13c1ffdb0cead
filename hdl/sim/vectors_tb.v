// Holds the combinational modules against vectors in a plain simulator:
//
//   iverilog -g2001 -P vectors_tb.W=32 -P vectors_tb.COUNT=1000 -I hdl/rtl -y hdl/rtl \
//       -o vectors_tb hdl/sim/vectors_tb.v
//   ./vectors_tb +vectors=FILE
//
// FILE is in the format of $readmemh, a vector a line: four hex digits of op, result, 0, 0, then
// block, mask and after, lane 7 first. op is 0 query, 1 insert, 2 delete, 3 merge (mask is the other
// block, the result 0) or 4 match; the result is that of bloomlane_core.
//
// Prints "PASS COUNT", or a line for each that differs, and "FAIL N" for N of them.
//
// Parameters
//   W      bits of a lane: 32 (a block of 256 bits) or 64 (512)
//   COUNT  lines of the file
`include "bloomlane_params.vh"
`default_nettype none

module vectors_tb;
    parameter W = 32;
    parameter COUNT = 1;
    localparam BITS = `BLOOMLANE_LANES * W;
    localparam SIZE = 16 + 3 * BITS;

    reg [SIZE-1:0] vectors [0:COUNT-1];
    reg [SIZE-1:0] vector;
    reg [8*256-1:0] file;
    integer i, failed;

    wire [3:0]      op     = vector[SIZE-1 -: 4];
    wire [3:0]      result = vector[SIZE-5 -: 4];
    wire [BITS-1:0] block  = vector[2*BITS +: BITS];
    wire [BITS-1:0] mask   = vector[BITS +: BITS];
    wire [BITS-1:0] after  = vector[0 +: BITS];

    wire [BITS-1:0] core_after, merged;
    wire [1:0]      core_result;

    bloomlane_core #(.W(W)) core (
        .op(op == 4 ? `BLOOMLANE_QUERY : op[1:0]), .block(block), .mask(mask),
        .after(core_after), .result(core_result)
    );
    bloomlane_merge #(.W(W)) merge (.x(block), .y(mask), .merged(merged));

    wire [BITS-1:0] got_after  = op == 3 ? merged : core_after;
    wire [3:0]      got_result = op == 3 ? 4'd0 : {2'd0, core_result};

    initial begin
        if (!$value$plusargs("vectors=%s", file)) begin
            $display("FAIL: no +vectors=FILE");
            $finish;
        end
        $readmemh(file, vectors);
        failed = 0;
        for (i = 0; i < COUNT; i = i + 1) begin
            vector = vectors[i];
            #1 if (got_after !== after || got_result !== result) begin
                $display("vector %0d: op %0d: after %h, want %h; result %0d, want %0d",
                         i, op, got_after, after, got_result, result);
                failed = failed + 1;
            end
        end
        if (failed == 0)
            $display("PASS %0d", COUNT);
        else
            $display("FAIL %0d", failed);
        $finish;
    end
endmodule

`default_nettype wire
