// An example: the forwarding decision of a node, whose links a packet's header names (LIPSIN).
//
// It looks at the first beats of frames as example_service does, and says 5 clocks later which links
// get a copy. A match engine holds the links' stored positions in each table, and a packet asks those of
// its own. Frames without a header name no link.
//
// The words to write come from inpacket: PortWrites.
//
// Parameters
//   TABLES  tables of the control plane, 2 to 256
//   LINKS   links of the node, at least 2
// Latency: 5 clocks, one packet a clock
`default_nettype none

module example_node #(
    parameter TABLES = 8,
    parameter LINKS  = 4
) (
    input  wire                      clk,
    input  wire                      rst,

    // The stored positions of a link in a table, one a clock
    input  wire                      write,
    input  wire [$clog2(TABLES)-1:0] write_table,
    input  wire [$clog2(LINKS)-1:0]  write_link,
    input  wire                      write_enable,
    input  wire [34:0]               write_positions,

    // The most ones that a header may have: a level
    input  wire [8:0]                fill_limit,

    // The first beat of each packet
    input  wire                      in_valid,
    input  wire [511:0]              in_data,

    output wire                      out_valid,
    output wire [LINKS-1:0]          out_links,
    output wire                      out_overfull
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(TABLES >= 2 && TABLES <= 256)) begin : refused_TABLES
            TABLES_must_be_2_to_256 refused ();
        end
        if (!(LINKS >= 2)) begin : refused_LINKS
            LINKS_must_be_2_or_more refused ();
        end
    endgenerate

    localparam COUNT   = 3; // of bloomlane_match
    localparam LATENCY = COUNT + 2;
    localparam FIELD   = 18;
    localparam SELECT  = $clog2(TABLES);

    wire [15:0]  ether_type = {in_data[8*12 +: 8], in_data[8*13 +: 8]};
    wire [7:0]   kind       = in_data[8*14 +: 8];
    wire [7:0]   table_byte = in_data[8*15 +: 8];
    wire         in_range   = {24'd0, table_byte} < TABLES;
    wire         carries    = ether_type == 16'h88b5 && kind == 8'h10 && in_range;
    wire [255:0] header;
    wire         matched;

    genvar n;
    generate
        // The wire has lanes 0 to 7, each big-endian: undo the byte order.
        for (n = 0; n < 32; n = n + 1) begin : order
            assign header[32*(n/4) + 31 - 8*(n%4) -: 8] = in_data[8*(FIELD+n) +: 8];
        end
    endgenerate

    bloomlane_match #(.W(32), .PORTS(LINKS), .COUNT(COUNT), .POSITIONS(1), .LOG2_TABLES(SELECT)) match (
        .clk         (clk),
        .rst         (rst),
        .write       (write),
        .write_table (write_table),
        .write_port  (write_link),
        .write_enable(write_enable),
        .write_key   (write_positions),
        .fill_limit  (fill_limit),
        .in_valid    (in_valid && carries),
        .in_table    (table_byte[SELECT-1:0]),
        .in_header   (header),
        .out_valid   (matched),
        .out_ports   (out_links),
        .out_overfull(out_overfull)
    );

    reg [LATENCY-1:0] valid_reg;

    always @(posedge clk)
        valid_reg <= rst ? {LATENCY{1'b0}} : {valid_reg[LATENCY-2:0], in_valid};

    assign out_valid = valid_reg[LATENCY-1];

    wire unused = &{1'b0, matched, in_data[511:8*50], in_data[8*18-1:8*16], in_data[8*12-1:0]};
endmodule

`default_nettype wire
