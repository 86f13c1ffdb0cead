// An example: a service, such as a firewall, in front of which packets delete it from their header.
//
// Packets are Ethernet frames, 64 bytes a beat, in which "packets inpacket" put a header of 256 bits:
// EtherType 0x88B5 at bytes 12 and 13, version and kind at 14, the table at 15, the field at 18 to
// 49, all in the first beat. The service holds its stored positions in each table, and looks up those
// of the packet's. m_axis_serve says on a packet's last beat that the packet is to be served: its
// header had the service, which is deleted from there now, or retained. All other packets, and those
// of tables that were not written since the reset, pass. tuser is a MAC's, such as its bad-frame
// flag, and goes through.
//
// The words to write come from inpacket: Element.Positions.
//
// Parameters
//   TABLES  tables of the control plane, 2 to 256
// Latency: that of bloomlane_inline
`include "bloomlane_params.vh"
`default_nettype none

module example_service #(
    parameter TABLES = 8
) (
    input  wire                      clk,
    input  wire                      rst,

    // The service's stored positions, one table a clock
    input  wire                      write,
    input  wire [$clog2(TABLES)-1:0] write_table,
    input  wire [34:0]               write_positions,

    // The most ones that a header may have: a level
    input  wire [8:0]                fill_limit,

    input  wire [511:0]              s_axis_tdata,
    input  wire [63:0]               s_axis_tkeep,
    input  wire                      s_axis_tvalid,
    output wire                      s_axis_tready,
    input  wire                      s_axis_tlast,
    input  wire                      s_axis_tuser,

    output wire [511:0]              m_axis_tdata,
    output wire [63:0]               m_axis_tkeep,
    output wire                      m_axis_tvalid,
    input  wire                      m_axis_tready,
    output wire                      m_axis_tlast,
    output wire                      m_axis_tuser,
    output wire                      m_axis_serve
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(TABLES >= 2 && TABLES <= 256)) begin : refused_TABLES
            TABLES_must_be_2_to_256 refused ();
        end
    endgenerate

    localparam SELECT = $clog2(TABLES);

    // Byte n of a beat is s_axis_tdata[8*n +: 8]. The engine samples its side-band word on the first
    // beat of a packet, which is where these bytes are what their names say.
    wire [15:0] ether_type = {s_axis_tdata[8*12 +: 8], s_axis_tdata[8*13 +: 8]};
    wire [7:0]  kind       = s_axis_tdata[8*14 +: 8];
    wire [7:0]  table_byte = s_axis_tdata[8*15 +: 8];

    reg [34:0]       positions_reg [0:TABLES-1];
    reg [TABLES-1:0] written_reg;

    always @(posedge clk) begin
        if (write) begin
            positions_reg[write_table] <= write_positions;
            written_reg[write_table]   <= 1'b1;
        end
        if (rst)
            written_reg <= {TABLES{1'b0}};
    end

    wire [SELECT-1:0] select    = table_byte[SELECT-1:0];
    wire              in_range  = {24'd0, table_byte} < TABLES;
    wire              concerned = ether_type == 16'h88b5 && kind == 8'h10 && in_range && written_reg[select];
    wire [1:0]        op        = concerned ? `BLOOMLANE_DELETE : `BLOOMLANE_PASS;
    wire [4:0]        flags;
    wire              no_tid;
    wire              no_tdest;

    bloomlane_inline #(.DATA_BYTES(64), .W(32), .OFFSET(18), .USER_WIDTH(1)) engine (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (s_axis_tdata),
        .s_axis_tkeep (s_axis_tkeep),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .s_axis_tlast (s_axis_tlast),
        .s_axis_tid   (1'b0),
        .s_axis_tdest (1'b0),
        .s_axis_tuser ({positions_reg[select], 1'b0, op, s_axis_tuser}),
        .m_axis_tdata (m_axis_tdata),
        .m_axis_tkeep (m_axis_tkeep),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tlast (m_axis_tlast),
        .m_axis_tid   (no_tid),
        .m_axis_tdest (no_tdest),
        .m_axis_tuser ({flags, m_axis_tuser}),
        .program_valid(1'b0),
        .program_op   (`BLOOMLANE_PASS),
        .program_mask (256'd0),
        .fill_limit   (fill_limit)
    );

    // Applied, and not absent.
    assign m_axis_serve = flags[2] && flags[1:0] != `BLOOMLANE_ABSENT;

    wire unused = &{1'b0, flags[4:3], no_tid, no_tdest};
endmodule

`default_nettype wire
