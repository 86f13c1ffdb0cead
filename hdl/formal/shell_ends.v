// The reset of shell_reset: once rstn, seen by a synchronizer of two registers, is low, rst is high; it falls when that was
// high for LENGTH clocks, and not before. So it is no shorter than LENGTH, however short rstn is. Unbounded, by induction,
// from the first clock on.
module shell_ends #(parameter LENGTH = 16) (input clk, rstn);
    wire rst;
    shell_reset #(.LENGTH(LENGTH)) dut (.clk(clk), .rstn(rstn), .rst(rst));

    (* hierconn, init = 2'd0 *) wire [1:0] \dut.rstn_reg ;
    (* hierconn, init = 8'd0 *) wire [7:0] \dut.count_reg ;

    reg [1:0] seen = 0;
    reg [7:0] high = 0; // clocks that it was high, up to LENGTH
    always @(posedge clk) begin
        seen <= {seen[0], rstn};
        high <= !seen[1] ? 0 : high + (high != LENGTH);
    end

    always @* begin
`ifdef BUG_SHORT // a clock less
        assert (rst == (high < LENGTH - 1));
`else
        assert (rst == (high < LENGTH));
`endif
        assert (\dut.rstn_reg == seen && \dut.count_reg == high && high <= LENGTH);
    end
endmodule
