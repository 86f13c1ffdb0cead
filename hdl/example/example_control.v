// An example: an in-line engine and a match engine that a host programs, and whose packets it counts.
//
// AXI4-Lite has a clock of its own. The map of its registers is hdl/registers.md: the windows are those of the
// programming, of the counters of packets, and of the headers that named a port. Each packet takes the programmed
// element, at the place of the register PLACE.
//
// In Go, inpacket.Device drives it.
//
// Parameters
//   W           bits of a lane: 32, 64
//   DATA_BYTES  bytes of a beat
//   OFFSET      byte of a packet where the field starts; in a packet of place 1 it starts 4 bytes behind
//   PORTS       ports of the match engine, at least 1
//   ASYNC       0: clk is s_axi_aclk; 1: it is of any rate and phase
//   FIRST       what the counters count from, 0 or less
`include "bloomlane_params.vh"
`default_nettype none

module example_control #(
    parameter W          = 32,
    parameter DATA_BYTES = 8,
    parameter OFFSET     = 18,
    parameter PORTS      = 6,
    parameter ASYNC      = 1,
    parameter FIRST      = 0
) (
    input  wire                    s_axi_aclk,
    input  wire                    s_axi_aresetn,
    input  wire [15:0]             s_axi_awaddr,
    input  wire                    s_axi_awvalid,
    output wire                    s_axi_awready,
    input  wire [31:0]             s_axi_wdata,
    input  wire [3:0]              s_axi_wstrb,
    input  wire                    s_axi_wvalid,
    output wire                    s_axi_wready,
    output wire [1:0]              s_axi_bresp,
    output wire                    s_axi_bvalid,
    input  wire                    s_axi_bready,
    input  wire [15:0]             s_axi_araddr,
    input  wire                    s_axi_arvalid,
    output wire                    s_axi_arready,
    output wire [31:0]             s_axi_rdata,
    output wire [1:0]              s_axi_rresp,
    output wire                    s_axi_rvalid,
    input  wire                    s_axi_rready,

    input  wire                    clk,
    input  wire                    rst,

    input  wire [8*DATA_BYTES-1:0] s_axis_tdata,
    input  wire [DATA_BYTES-1:0]   s_axis_tkeep,
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire                    s_axis_tlast,
    input  wire                    s_axis_tuser,
    output wire [8*DATA_BYTES-1:0] m_axis_tdata,
    output wire [DATA_BYTES-1:0]   m_axis_tkeep,
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire                    m_axis_tlast,
    output wire [5:0]              m_axis_tuser,

    input  wire                    in_valid,
    input  wire [`BLOOMLANE_LANES*W-1:0] in_header,
    output wire                    out_valid,
    output wire [PORTS-1:0]        out_ports,
    output wire                    out_overfull,

    output wire                    key_write,
    output wire [3:0]              key_word,
    output wire [31:0]             key_data
);
    localparam POSITION_BITS = `BLOOMLANE_DATA_LANES * $clog2(W);
    localparam SELECT        = PORTS > 1 ? $clog2(PORTS) : 1;

    wire                          bus_valid, bus_write, bus_ready, bus_error;
    wire [15:0]                   bus_address;
    wire [3:0]                    bus_strobe;
    wire [31:0]                   bus_data, bus_answer;
    wire [2:0]                    valid, ready, error;
    wire [95:0]                   answer;

    wire                          program_valid, port_write, port_enable, bank, no_tid, no_tdest;
    wire [1:0]                    program_op, op;
    wire [`BLOOMLANE_LANES*W-1:0] program_mask;
    wire [2:0]                    place;
    wire [$clog2(`BLOOMLANE_LANES*W+1)-1:0] fill_limit;
    wire [0:0]                    port_table;
    wire [SELECT-1:0]             port_number;
    wire [POSITION_BITS-1:0]      port_key;

    bloomlane_axil #(.ASYNC(ASYNC)) axil (
        .s_axi_aclk(s_axi_aclk), .s_axi_aresetn(s_axi_aresetn),
        .s_axi_awaddr(s_axi_awaddr), .s_axi_awvalid(s_axi_awvalid), .s_axi_awready(s_axi_awready),
        .s_axi_wdata(s_axi_wdata), .s_axi_wstrb(s_axi_wstrb), .s_axi_wvalid(s_axi_wvalid), .s_axi_wready(s_axi_wready),
        .s_axi_bresp(s_axi_bresp), .s_axi_bvalid(s_axi_bvalid), .s_axi_bready(s_axi_bready),
        .s_axi_araddr(s_axi_araddr), .s_axi_arvalid(s_axi_arvalid), .s_axi_arready(s_axi_arready),
        .s_axi_rdata(s_axi_rdata), .s_axi_rresp(s_axi_rresp), .s_axi_rvalid(s_axi_rvalid), .s_axi_rready(s_axi_rready),
        .clk(clk), .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address), .bus_strobe(bus_strobe),
        .bus_data(bus_data), .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error)
    );

    bloomlane_bus #(.TARGETS(3)) bus (
        .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address),
        .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error),
        .target_valid(valid), .target_ready(ready), .target_answer(answer), .target_error(error)
    );

    bloomlane_control #(.W(W), .PORTS(PORTS), .POSITIONS(1), .LOG2_TABLES(0), .KEY_WORDS(4)) control (
        .clk(clk), .rst(rst),
        .bus_valid(valid[0]), .bus_write(bus_write), .bus_address(bus_address), .bus_strobe(bus_strobe),
        .bus_data(bus_data), .bus_ready(ready[0]), .bus_answer(answer[31:0]), .bus_error(error[0]),
        .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask), .op(op), .place(place),
        .fill_limit(fill_limit), .port_write(port_write), .port_table(port_table), .port_number(port_number),
        .port_enable(port_enable), .port_key(port_key), .bank(bank),
        .key_write(key_write), .key_word(key_word), .key_data(key_data)
    );

    bloomlane_inline #(.DATA_BYTES(DATA_BYTES), .W(W), .PLACES(2), .OFFSET(OFFSET), .OFFSET_1(OFFSET + 4)) engine (
        .clk(clk), .rst(rst), .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tid(1'b0), .s_axis_tdest(1'b0),
        .s_axis_tuser({place, {POSITION_BITS{1'b0}}, 1'b1, `BLOOMLANE_PASS, s_axis_tuser}),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tid(no_tid), .m_axis_tdest(no_tdest),
        .m_axis_tuser(m_axis_tuser),
        .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask), .fill_limit(fill_limit)
    );

    bloomlane_count #(.DATA_BYTES(DATA_BYTES), .LOG2_DEPTH(5), .FIRST(FIRST)) packets (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_op(op),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast),
        .m_axis_tkeep(m_axis_tkeep), .m_axis_flags(m_axis_tuser[5:1]),
        .bus_valid(valid[1]), .bus_write(bus_write), .bus_address(bus_address),
        .bus_ready(ready[1]), .bus_answer(answer[63:32]), .bus_error(error[1])
    );

    bloomlane_match #(.W(W), .PORTS(PORTS), .COUNT(3), .POSITIONS(1), .LOG2_TABLES(1)) match (
        .clk(clk), .rst(rst),
        .write(port_write), .write_table(port_table), .write_port(port_number), .write_enable(port_enable),
        .write_key(port_key), .fill_limit(fill_limit),
        .in_valid(in_valid), .in_table(bank), .in_header(in_header),
        .out_valid(out_valid), .out_ports(out_ports), .out_overfull(out_overfull)
    );

    bloomlane_counters #(.COUNTERS(PORTS), .ADD(1), .FIRST(FIRST)) headers (
        .clk(clk), .rst(rst), .add(out_ports),
        .bus_valid(valid[2]), .bus_write(bus_write), .bus_address(bus_address),
        .bus_ready(ready[2]), .bus_answer(answer[95:64]), .bus_error(error[2])
    );

    wire unused = &{1'b0, no_tid, no_tdest};
endmodule

`default_nettype wire
