// bloomlane_match is bloomlane_query for every port, on the mask as last written or that of the positions
// as last written, gated by bloomlane_fill, COUNT + 1 clocks later, with several tables COUNT + 2: unbounded,
// by induction, with ports written at any time. With several tables one is followed, which may be any, and
// what headers of the others have is left open.
`include "bloomlane_params.vh"

module match #(
    parameter W = 32, parameter PORTS = 2, parameter COUNT = 2, parameter POSITIONS = 1,
    parameter LOG2_TABLES = 0,
    parameter KEY = POSITIONS ? 7*$clog2(W) : 8*W // bits that a port stores
) (
    input                                      clk, rst, write, write_enable, in_valid,
    input [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] write_port,
    input [(LOG2_TABLES > 0 ? LOG2_TABLES : 1)-1:0] write_table, in_table,
    input [KEY-1:0]                            write_key,
    input [$clog2(8*W+1)-1:0]                  fill_limit,
    input [8*W-1:0]                            in_header
);
    wire             out_valid, out_overfull;
    wire [PORTS-1:0] out_ports;
    bloomlane_match #(.W(W), .PORTS(PORTS), .COUNT(COUNT), .POSITIONS(POSITIONS), .LOG2_TABLES(LOG2_TABLES)) dut (
        .clk(clk), .rst(rst), .write(write), .write_table(write_table), .write_port(write_port), .write_enable(write_enable),
        .write_key(write_key), .fill_limit(fill_limit), .in_valid(in_valid), .in_table(in_table), .in_header(in_header),
        .out_valid(out_valid), .out_ports(out_ports), .out_overfull(out_overfull)
    );

    // The header that the ports match, and whether it asks the table that is followed.
    (* anyconst *) reg [(LOG2_TABLES > 0 ? LOG2_TABLES : 1)-1:0] which;
    wire           writes = write && (LOG2_TABLES == 0 || write_table == which);
    wire           header_valid, asks;
    wire [8*W-1:0] header;
    generate
        if (LOG2_TABLES > 0) begin : read
            reg           valid_reg = 0, asks_reg;
            reg [8*W-1:0] header_reg;
            always @(posedge clk) begin
                valid_reg  <= in_valid && !rst;
                asks_reg   <= in_table == which;
                header_reg <= in_header;
            end
            assign {header_valid, asks, header} = {valid_reg, asks_reg, header_reg};
        end else begin : read
            assign {header_valid, asks, header} = {in_valid, 1'b1, in_header};
        end
    endgenerate

    wire overfull;
    bloomlane_fill #(.BITS(8*W), .LATENCY(COUNT)) fill (clk, 1'b1, header, fill_limit, overfull);

    reg started = 0;
    always @(posedge clk) if (rst) started <= 1;
    initial assume (rst);

    // What the later clocks make of the fill limit, the ports aside.
    reg [COUNT-1:0] valid = 0;
    reg [COUNT:0]   asked;
    reg             v_out = 0, o_out = 0;
    always @(posedge clk) begin
        valid <= rst ? 0 : {valid, header_valid};
        asked <= {asked, asks};
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

    wire [2:0]       enables, stored_enables; // for the header, and as last written
    wire [3*KEY-1:0] keys, stored_keys;
    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            reg [KEY-1:0]  key, read_key;
            reg            enable = 0, read_enable;
            wire [KEY-1:0] key_asked    = LOG2_TABLES > 0 ? read_key : key;
            wire           enable_asked = LOG2_TABLES > 0 ? read_enable : enable;
            always @(posedge clk) begin
                read_key    <= key;
                read_enable <= enable;
                if (writes && write_port == p) key <= write_key;
                if (rst) enable <= 0;
`ifdef BUG_ENABLE // a port that was taken out still matches
                else if (writes && write_port == p) enable <= 1;
`elsif BUG_TABLE // a write to any table
                else if (write && write_port == p) enable <= write_enable;
`else
                else if (writes && write_port == p) enable <= write_enable;
`endif
            end

            assign enables[p] = enable_asked;
            assign keys[p*KEY +: KEY] = key_asked;
            assign stored_enables[p] = enable;
            assign stored_keys[p*KEY +: KEY] = key;

            wire [8*W-1:0] mask;
            wire           present;
            if (POSITIONS) begin : decode
                bloomlane_mask #(.W(W)) decode (key_asked, mask);
            end else begin : decode
                assign mask = key_asked;
            end
            bloomlane_query #(.W(W)) query (header, mask, present);

            reg [COUNT-1:0] m;
            reg             m_out;
            always @(posedge clk) begin
                m <= {m, enable_asked && present};
                m_out <= m[COUNT-1] && valid[COUNT-1] && !overfull && !rst;
            end
            always @* if (started && v_out && asked[COUNT]) assert (out_ports[p] == m_out);
        end
    endgenerate

    // The invariant: the ports hold what was written.
    (* hierconn *) wire [KEY-1:0] \dut.port[0].key_reg ;
    (* hierconn *) wire           \dut.port[0].enable_reg ;
    (* hierconn *) wire [KEY-1:0] \dut.port[1].key_reg ;
    (* hierconn *) wire           \dut.port[1].enable_reg ;
    (* hierconn *) wire [KEY-1:0] \dut.port[2].key_reg ;
    (* hierconn *) wire           \dut.port[2].enable_reg ;
    (* hierconn *) wire [KEY-1:0] \dut.port[0].keys.memory[0] , \dut.port[0].keys.memory[1] ;
    (* hierconn *) wire [KEY-1:0] \dut.port[1].keys.memory[0] , \dut.port[1].keys.memory[1] ;
    (* hierconn *) wire [1:0]     \dut.port[0].keys.enables_reg , \dut.port[1].keys.enables_reg ;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : invariant
            wire           enabled = p == 0 ? \dut.port[0].enable_reg : p == 1 ? \dut.port[1].enable_reg : \dut.port[2].enable_reg ;
            wire [KEY-1:0] key     = p == 0 ? \dut.port[0].key_reg : p == 1 ? \dut.port[1].key_reg : \dut.port[2].key_reg ;
            always @* if (started && (LOG2_TABLES == 0 || header_valid && asks)) begin
                assert (enabled == enables[p]);
                if (enabled) assert (key == keys[p*KEY +: KEY]);
            end
            if (LOG2_TABLES > 0) begin : stored // of one or two ports, in two tables
                wire [2*KEY-1:0] memory = p == 0 ? {\dut.port[0].keys.memory[1] , \dut.port[0].keys.memory[0] } :
                                                   {\dut.port[1].keys.memory[1] , \dut.port[1].keys.memory[0] };
                wire [1:0]       of     = p == 0 ? \dut.port[0].keys.enables_reg : \dut.port[1].keys.enables_reg ;
                always @* if (started) begin
                    assert (of[which] == stored_enables[p]);
                    if (stored_enables[p]) assert (memory[KEY*which +: KEY] == stored_keys[p*KEY +: KEY]);
                end
            end
        end
    endgenerate
endmodule
