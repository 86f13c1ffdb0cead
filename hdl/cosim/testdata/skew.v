// Wires to another clock, of which any half comes late: with the second falling edge of that clock.
module skew #(parameter BITS = 1) (input clk, input [BITS-1:0] in, output [BITS-1:0] out);
    reg [BITS-1:0] first, second, late;
    always @(negedge clk) begin
        first  <= in;
        second <= first;
        if (in == second) late <= {late[BITS-2:0], ~(late[BITS-1] ^ late[BITS-3])};
    end
    assign out = in & ~late | second & late;
endmodule
