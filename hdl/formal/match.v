// bloomlane_match is bloomlane_query for every port, on the mask as last written or that of the positions
// as last written, gated by bloomlane_fill, COUNT + 1 clocks later: unbounded, by induction, with ports
// written at any time.
`include "bloomlane_params.vh"

module match #(
    parameter W = 32, parameter PORTS = 2, parameter COUNT = 2, parameter POSITIONS = 1,
    parameter KEY = POSITIONS ? 7*$clog2(W) : 8*W // bits that a port stores
) (
    input                                      clk, rst, write, write_enable, in_valid,
    input [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] write_port,
    input [KEY-1:0]                            write_key,
    input [$clog2(8*W+1)-1:0]                  fill_limit,
    input [8*W-1:0]                            in_header
);
    wire             out_valid, out_overfull;
    wire [PORTS-1:0] out_ports;
    bloomlane_match #(.W(W), .PORTS(PORTS), .COUNT(COUNT), .POSITIONS(POSITIONS)) dut (
        .clk(clk), .rst(rst), .write(write), .write_port(write_port), .write_enable(write_enable),
        .write_key(write_key), .fill_limit(fill_limit), .in_valid(in_valid), .in_header(in_header),
        .out_valid(out_valid), .out_ports(out_ports), .out_overfull(out_overfull)
    );

    wire overfull;
    bloomlane_fill #(.BITS(8*W), .LATENCY(COUNT)) fill (clk, 1'b1, in_header, fill_limit, overfull);

    reg started = 0;
    always @(posedge clk) if (rst) started <= 1;
    initial assume (rst);

    // What the later clocks make of the fill limit, the ports aside.
    reg [COUNT-1:0] valid = 0;
    reg             v_out = 0, o_out = 0;
    always @(posedge clk) begin
        valid <= rst ? 0 : {valid, in_valid};
        v_out <= valid[COUNT-1] && !rst;
`ifdef BUG_OVERFULL // a full header passes
        o_out <= 0;
`else
        o_out <= overfull && valid[COUNT-1] && !rst;
`endif
    end
    always @* if (started) begin
        assert (out_valid == v_out);
        assert (out_overfull == o_out);
        if (!out_valid) assert (out_ports == 0);
    end

    wire [2:0]         enables;
    wire [3*KEY-1:0] keys;
    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            reg [KEY-1:0] key;
            reg           enable = 0;
            always @(posedge clk) begin
                if (write && write_port == p) key <= write_key;
                if (rst) enable <= 0;
`ifdef BUG_ENABLE // a port that was taken out still matches
                else if (write && write_port == p) enable <= 1;
`else
                else if (write && write_port == p) enable <= write_enable;
`endif
            end

            assign enables[p] = enable;
            assign keys[p*KEY +: KEY] = key;

            wire [8*W-1:0] mask;
            wire           present;
            if (POSITIONS) begin : decode
                bloomlane_mask #(.W(W)) decode (key, mask);
            end else begin : decode
                assign mask = key;
            end
            bloomlane_query #(.W(W)) query (in_header, mask, present);

            reg [COUNT-1:0] m;
            reg             m_out;
            always @(posedge clk) begin
                m <= {m, enable && present};
                m_out <= m[COUNT-1] && valid[COUNT-1] && !overfull && !rst;
            end
            always @* if (started && v_out) assert (out_ports[p] == m_out);
        end
    endgenerate

    // The invariant: the ports hold what was written.
    (* hierconn *) wire [KEY-1:0] \dut.port[0].key_reg ;
    (* hierconn *) wire           \dut.port[0].enable_reg ;
    (* hierconn *) wire [KEY-1:0] \dut.port[1].key_reg ;
    (* hierconn *) wire           \dut.port[1].enable_reg ;
    (* hierconn *) wire [KEY-1:0] \dut.port[2].key_reg ;
    (* hierconn *) wire           \dut.port[2].enable_reg ;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : invariant
            wire           enabled = p == 0 ? \dut.port[0].enable_reg : p == 1 ? \dut.port[1].enable_reg : \dut.port[2].enable_reg ;
            wire [KEY-1:0] key     = p == 0 ? \dut.port[0].key_reg : p == 1 ? \dut.port[1].key_reg : \dut.port[2].key_reg ;
            always @* if (started) begin
                assert (enabled == enables[p]);
                if (enabled) assert (key == keys[p*KEY +: KEY]);
            end
        end
    endgenerate
endmodule
