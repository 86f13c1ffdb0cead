// Runs operations from a file, {first, op, cells} in a line, each on the block that the one ahead left or, first, on the
// empty one, and prints what each makes of it: the result and the block. +operations=FILE, and COUNT of them.
`default_nettype none

module letter_tb #(
    parameter M     = 240,
    parameter K     = 5,
    parameter R     = 24,
    parameter COUNT = 1
);
    localparam CELLS = K * $clog2(M - R);

    reg  [CELLS+2:0] operations [0:COUNT-1];
    reg  [CELLS+2:0] operation;
    reg  [M-1:0]     block;
    wire [M-1:0]     after;
    wire [1:0]       result;
    reg  [1023:0]    file;
    integer          n;

    letter_core #(.M(M), .K(K), .R(R)) dut (
        .op    (operation[CELLS +: 2]),
        .block (block),
        .cells (operation[CELLS-1:0]),
        .after (after),
        .result(result)
    );

    initial begin
        if (!$value$plusargs("operations=%s", file)) $finish;
        $readmemh(file, operations);
        for (n = 0; n < COUNT; n = n + 1) begin
            operation = operations[n];
            block     = operation[CELLS+2] ? {M{1'b0}} : after;
            #1 $display("%0d %b", result, after);
        end
        $finish;
    end
endmodule

`default_nettype wire
