// The letter's operations, a cell after the other as its section III has them, are those of letter_core; and no member is
// lost: two members of a block are safe when both are found and each cell that they share is in a region with a collision.
// That is members.v's induction, in regions.
`include "bloomlane_params.vh"

module letter #(
    parameter M = 240,
    parameter K = 5,
    parameter R = 24
) (
    input [1:0]               op,
    input [M-1:0]             block,
    input [K*$clog2(M-R)-1:0] a, b, c
);
    localparam CELLS  = M - R;
    localparam REGION = (CELLS + R - 1) / R;
    localparam C      = $clog2(CELLS);

    wire [M-1:0] good_after, inserted, deleted;
    wire [1:0]   good_result, insert_result, delete_result;
    reg  [M-1:0] after, defined;
    reg          found, cleared;
    reg  [1:0]   result;
    integer      i;

    letter_core #(.M(M), .K(K), .R(R)) any_op (
        .op(op), .block(block), .cells(c), .after(good_after), .result(good_result)
    );
    letter_core #(.M(M), .K(K), .R(R)) insert_c (
        .op(`BLOOMLANE_INSERT), .block(block), .cells(c), .after(inserted), .result(insert_result)
    );
    letter_core #(.M(M), .K(K), .R(R)) delete_c (
        .op(`BLOOMLANE_DELETE), .block(block), .cells(c), .after(deleted), .result(delete_result)
    );

    // The cell of an element, as a bit of a block.
    function integer cell_of(input [K*C-1:0] cells, input integer n);
        cell_of = R + cells[C*n +: C];
    endfunction

    function integer region_of(input [K*C-1:0] cells, input integer n);
        region_of = cells[C*n +: C] / REGION;
    endfunction

    function element(input [K*C-1:0] cells);
        integer n;
        begin
            element = 1'b1;
            for (n = 0; n < K; n = n + 1) element = element && cells[C*n +: C] < CELLS;
        end
    endfunction

    function present(input [M-1:0] s, input [K*C-1:0] x);
        integer n;
        begin
            present = 1'b1;
            for (n = 0; n < K; n = n + 1) present = present && s[cell_of(x, n)];
        end
    endfunction

    function safe(input [M-1:0] s, input [K*C-1:0] x, input [K*C-1:0] y);
        integer n, o;
        begin
            safe = present(s, x) && present(s, y);
            for (n = 0; n < K; n = n + 1)
                for (o = 0; o < K; o = o + 1)
                    safe = safe && (cell_of(x, n) != cell_of(y, o) || s[region_of(x, n)]);
        end
    endfunction

    always @* begin
        defined = block;
        cleared = 1'b0;
        found   = present(block, c);
        for (i = 0; i < K; i = i + 1)
            if (op == `BLOOMLANE_INSERT) begin
                if (defined[cell_of(c, i)]) defined[region_of(c, i)] = 1'b1;
                defined[cell_of(c, i)] = 1'b1;
            end else if (op == `BLOOMLANE_DELETE && found && !block[region_of(c, i)]) begin
                defined[cell_of(c, i)] = 1'b0;
                cleared                = 1'b1;
            end
        result = good_result;
        after  = good_after;
`ifdef BUG_TWICE // a cell that an element has twice is no collision
        if (op == `BLOOMLANE_INSERT && cell_of(c, 0) == cell_of(c, 1) && !block[cell_of(c, 0)])
            after[region_of(c, 0)] = block[region_of(c, 0)];
`endif
`ifdef BUG_PARTIAL // delete clears what it finds of an absent element
        if (op == `BLOOMLANE_DELETE && !block[region_of(c, 0)]) after[cell_of(c, 0)] = 1'b0;
`endif
`ifdef BUG_STATUS // what is retained is reported as deleted
        if (op == `BLOOMLANE_DELETE && found) result = `BLOOMLANE_DELETED;
`endif
        assume (element(a) && element(b) && element(c));
        assert (after == defined);
        assert (result == (op == `BLOOMLANE_PASS ? 2'd0 : !found ? `BLOOMLANE_ABSENT :
                           op == `BLOOMLANE_DELETE ? (cleared ? `BLOOMLANE_DELETED : `BLOOMLANE_RETAINED) : 2'd1));
        if (present(block, a)) assert (safe(inserted, a, c));
        if (safe(block, a, c)) assert (present(deleted, a));
        if (safe(block, a, b)) begin
            assert (safe(inserted, a, b));
            if (safe(block, a, c) && safe(block, b, c)) assert (safe(deleted, a, b));
        end
    end

    // What may come: a history has each.
    always @* begin
        cover (op == `BLOOMLANE_QUERY);
        cover (op == `BLOOMLANE_INSERT);
        cover (op == `BLOOMLANE_DELETE);
        cover (op == `BLOOMLANE_PASS);
        cover (a == b && a == c);
        cover (a != b && b != c && safe(block, a, b));
        cover (cell_of(c, 0) == cell_of(c, 1));
        cover (block == 0);
    end
endmodule
