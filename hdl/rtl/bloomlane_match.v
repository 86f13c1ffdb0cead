// Which ports a packet header names: match every port's element in one go, a header a clock.
//
// A port is in out_ports when it is enabled and the header has every bit of its key. A header
// with more than fill_limit ones (of all 8*W bits) names no port and sets out_overfull: too full a
// header would match everything. After reset no port is enabled. A write takes effect for the
// headers that come in after its clock.
//
// A port's element is stored positions, which cost 7*B flip-flops, B = log2 W, and seven W:1
// multiplexers, or a mask, for link identifiers of any pattern, with 8*W flip-flops and a comparison
// of 8*W bits.
//
// With several tables a port has an element in each, and a header asks those of in_table. The elements are
// then in memories, and only which of them are enabled in flip-flops.
//
// Parameters
//   W            bits of a lane: 32 (a header of 256 bits) or 64 (512)
//   PORTS        number of ports, at least 1
//   COUNT        clocks that the count of ones takes, 2 to 4. From 3 on a match takes two of them, with
//                seven flip-flops a port in between (eight for masks): the first finds the lanes that
//                have the key, the second whether all do
//   POSITIONS    1: write_key is stored positions, lane i at [B*(7-i) +: B]
//                0: write_key is a mask of any pattern, lane i at [W*i +: W]
//   LOG2_TABLES  log2 of the number of tables, 0 to 8; 0: write_table and in_table are ignored
// Latency: COUNT + 1 clocks, with several tables one more; one header a clock. in_header should come out
//   of registers
// Source: LIPSIN (Jokela, Zahemszky, Rothenberg, Arianfar, Nikander, SIGCOMM 2009), Algorithm 1,
//   the d tables and the fill limit
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_match #(
    parameter W           = 32,
    parameter PORTS       = 16,
    parameter COUNT       = 3,
    parameter POSITIONS   = 1,
    parameter LOG2_TABLES = 0
) (
    input  wire clk,
    input  wire rst,

    // Programming: one port of one table a clock
    input  wire                                           write,
    input  wire [(LOG2_TABLES > 0 ? LOG2_TABLES : 1)-1:0] write_table,
    input  wire [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0]     write_port,
    input  wire                                           write_enable, // 0 takes the port out
    input  wire [(POSITIONS != 0 ? `BLOOMLANE_DATA_LANES*$clog2(W) : `BLOOMLANE_LANES*W)-1:0] write_key,

    // The most ones that a header may have: a level
    input  wire [$clog2(`BLOOMLANE_LANES*W+1)-1:0] fill_limit,

    input  wire                                           in_valid,
    input  wire [(LOG2_TABLES > 0 ? LOG2_TABLES : 1)-1:0] in_table,
    input  wire [`BLOOMLANE_LANES*W-1:0]                  in_header, // lane i at [W*i +: W]

    output wire             out_valid,
    output wire [PORTS-1:0] out_ports,   // zero unless out_valid
    output wire             out_overfull // likewise
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(PORTS >= 1)) begin : refused_PORTS
            PORTS_must_be_1_or_more refused ();
        end
        if (!(COUNT >= 2 && COUNT <= 4)) begin : refused_COUNT
            COUNT_must_be_2_to_4 refused ();
        end
        if (!(LOG2_TABLES >= 0 && LOG2_TABLES <= 8)) begin : refused_LOG2_TABLES
            LOG2_TABLES_must_be_0_to_8 refused ();
        end
    endgenerate

    localparam BITS   = `BLOOMLANE_LANES * W;
    localparam KEY    = POSITIONS != 0 ? `BLOOMLANE_DATA_LANES*$clog2(W) : BITS;
    localparam SELECT = PORTS > 1 ? $clog2(PORTS) : 1;
    localparam TABLES = 1 << LOG2_TABLES;
    localparam READ   = TABLES > 1 ? 1 : 0; // the clocks in which a table's elements are read
    localparam SPLIT  = COUNT >= 3 ? 1 : 0; // a register between a match's lanes and their AND
    localparam WAIT   = COUNT - SPLIT;      // clocks from the AND to the last

    // The clocks of a match. Then wait for the count of ones. Last clock: gate.
    reg [WAIT*PORTS-1:0] waiting_reg; // the last PORTS bits are the oldest
    reg [READ+COUNT-1:0] valid_reg;
    reg [PORTS-1:0]      ports_reg;
    reg                  out_valid_reg, overfull_reg;

    wire [BITS-1:0]  header; // of which the ports have the elements
    wire [PORTS-1:0] matched;
    wire             overfull;
    wire             gated_valid = valid_reg[READ+COUNT-1];

    bloomlane_cut #(.BITS(BITS), .CUT(READ)) header_cut (.clk(clk), .advance(1'b1), .in(in_header), .out(header));

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            localparam [SELECT-1:0] NUMBER = p;

            reg [KEY-1:0]               key_reg;
            reg                         enable_reg;
            wire                        written = write && write_port == NUMBER;
            wire [`BLOOMLANE_LANES-1:0] hit, hit_then;
            wire                        enable_then;

            if (TABLES > 1) begin : keys
                reg [KEY-1:0]    memory [0:TABLES-1];
                reg [TABLES-1:0] enables_reg;

                always @(posedge clk) begin
                    if (written) begin
                        memory[write_table]      <= write_key;
                        enables_reg[write_table] <= write_enable;
                    end
                    if (rst) enables_reg <= {TABLES{1'b0}};
                    key_reg    <= memory[in_table];
                    enable_reg <= enables_reg[in_table];
                end
            end else begin : keys
                always @(posedge clk) begin
                    if (written) begin
                        key_reg    <= write_key;
                        enable_reg <= write_enable;
                    end
                    if (rst) enable_reg <= 1'b0;
                end
            end

            bloomlane_hit #(.W(W), .POSITIONS(POSITIONS)) hit_inst (.block(header), .key(key_reg), .hit(hit));

            bloomlane_cut #(.BITS(`BLOOMLANE_LANES + 1), .CUT(SPLIT)) hit_cut (
                .clk(clk), .advance(1'b1), .in({enable_reg, hit}), .out({enable_then, hit_then})
            );

            assign matched[p] = enable_then && &hit_then;
        end

        if (TABLES == 1) begin : single
            wire unused = &{1'b0, write_table, in_table};
        end
    endgenerate

    bloomlane_fill #(.BITS(BITS), .LATENCY(COUNT)) fill_inst (
        .clk(clk), .advance(1'b1), .bits(header), .limit(fill_limit), .overfull(overfull)
    );

    always @(posedge clk) begin
        waiting_reg   <= {waiting_reg[(WAIT-1)*PORTS-1:0], matched};
        ports_reg     <= waiting_reg[(WAIT-1)*PORTS +: PORTS] & {PORTS{gated_valid && !overfull}};
        overfull_reg  <= gated_valid && overfull;
        valid_reg     <= {valid_reg[READ+COUNT-2:0], in_valid};
        out_valid_reg <= gated_valid;
        if (rst) begin
            valid_reg     <= {READ+COUNT{1'b0}};
            out_valid_reg <= 1'b0;
            ports_reg     <= {PORTS{1'b0}};
            overfull_reg  <= 1'b0;
        end
    end

`ifdef BLOOMLANE_CHECK
    always @(posedge clk)
        if (write && {{32-SELECT{1'b0}}, write_port} >= PORTS) begin
            $display("%m: write_port is %0d, and there are %0d ports", write_port, PORTS);
            $stop;
        end
`endif

    assign out_valid    = out_valid_reg;
    assign out_ports    = ports_reg;
    assign out_overfull = overfull_reg;
endmodule

`default_nettype wire
