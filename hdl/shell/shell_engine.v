// What the shells have in common: an in-line engine of beats of 64 bytes and blocks of 256 bits, whose element a host
// programs, and whose packets it counts.
//
// The map of the registers is hdl/registers.md: the windows are those of the programming and of the counters of
// packets. Each packet takes the programmed element, which passes all until one is written.
//
// Parameters
//   OFFSET      byte of a packet where the field starts
//   USER_WIDTH  bits of tuser, which leave with the beat that they came with
//   ASYNC       0: clk is s_axi_aclk; 1: it is of any rate and phase
//   WAITS       1: the source waits for s_axis_tready; 0: it cannot, and then m_axis_tready must be high
// Latency: 11 clocks from the field's last beat in to the packet's first beat out
`include "bloomlane_params.vh"
`default_nettype none

module shell_engine #(
    parameter OFFSET     = 18,
    parameter USER_WIDTH = 1,
    parameter ASYNC      = 1,
    parameter WAITS      = 1
) (
    input  wire                  s_axi_aclk,
    input  wire                  s_axi_aresetn,
    input  wire [15:0]           s_axi_awaddr,
    input  wire                  s_axi_awvalid,
    output wire                  s_axi_awready,
    input  wire [31:0]           s_axi_wdata,
    input  wire [3:0]            s_axi_wstrb,
    input  wire                  s_axi_wvalid,
    output wire                  s_axi_wready,
    output wire [1:0]            s_axi_bresp,
    output wire                  s_axi_bvalid,
    input  wire                  s_axi_bready,
    input  wire [15:0]           s_axi_araddr,
    input  wire                  s_axi_arvalid,
    output wire                  s_axi_arready,
    output wire [31:0]           s_axi_rdata,
    output wire [1:0]            s_axi_rresp,
    output wire                  s_axi_rvalid,
    input  wire                  s_axi_rready,

    input  wire                  clk,
    input  wire                  rst,

    input  wire [511:0]          s_axis_tdata,
    input  wire [63:0]           s_axis_tkeep,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    input  wire                  s_axis_tlast,
    input  wire [USER_WIDTH-1:0] s_axis_tuser,

    output wire [511:0]          m_axis_tdata,
    output wire [63:0]           m_axis_tkeep,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire                  m_axis_tlast,
    output wire [USER_WIDTH-1:0] m_axis_tuser
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(WAITS == 0 || WAITS == 1)) begin : refused_WAITS
            WAITS_must_be_0_or_1 refused ();
        end
    endgenerate

    wire         bus_valid, bus_write, bus_ready, bus_error;
    wire [15:0]  bus_address;
    wire [3:0]   bus_strobe;
    wire [31:0]  bus_data, bus_answer;
    wire [1:0]   valid, ready, error;
    wire [63:0]  answer;

    wire         program_valid;
    wire [1:0]   program_op, op;
    wire [255:0] program_mask;
    wire [8:0]   fill_limit;
    wire [4:0]   flags;

    // Packets are let in from the first on that begins behind a reset, when the engine is ready: it then stays so, if nobody
    // waits. What is left of a packet that a reset has cut, the engine and the counters do not see.
    reg  inside_reg = 1'b0; // what no reset changes
    reg  open_reg;
    wire engine_ready;
    wire take        = s_axis_tvalid && (WAITS == 0 || s_axis_tready);
    wire inside_next = take ? !s_axis_tlast : inside_reg;
    wire in_valid    = s_axis_tvalid && open_reg;

    assign s_axis_tready = open_reg ? engine_ready : inside_reg;

    always @(posedge clk) begin
        inside_reg <= inside_next;
        open_reg   <= !rst && (open_reg || engine_ready && !inside_next);
    end

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

    bloomlane_bus #(.TARGETS(2)) bus (
        .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address),
        .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error),
        .target_valid(valid), .target_ready(ready), .target_answer(answer), .target_error(error)
    );

    // What a match engine and a table would take, and where a field is: there is one place.
    wire        port_write, port_enable, bank, key_write;
    wire [0:0]  port_table, port_number;
    wire [34:0] port_key;
    wire [3:0]  key_word;
    wire [31:0] key_data;
    wire [2:0]  place;

    bloomlane_control #(.W(32), .PORTS(1), .KEY_WORDS(0)) control (
        .clk(clk), .rst(rst),
        .bus_valid(valid[0]), .bus_write(bus_write), .bus_address(bus_address), .bus_strobe(bus_strobe),
        .bus_data(bus_data), .bus_ready(ready[0]), .bus_answer(answer[31:0]), .bus_error(error[0]),
        .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask), .op(op), .place(place),
        .fill_limit(fill_limit), .port_write(port_write), .port_table(port_table), .port_number(port_number),
        .port_enable(port_enable), .port_key(port_key), .bank(bank),
        .key_write(key_write), .key_word(key_word), .key_data(key_data)
    );

    wire no_tid, no_tdest;

    bloomlane_inline #(.DATA_BYTES(64), .W(32), .OFFSET(OFFSET), .USER_WIDTH(USER_WIDTH)) engine (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(in_valid),
        .s_axis_tready(engine_ready), .s_axis_tlast(s_axis_tlast), .s_axis_tid(1'b0), .s_axis_tdest(1'b0),
        .s_axis_tuser({35'd0, 1'b1, `BLOOMLANE_PASS, s_axis_tuser}), // the programmed element
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tid(no_tid), .m_axis_tdest(no_tdest),
        .m_axis_tuser({flags, m_axis_tuser}),
        .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask), .fill_limit(fill_limit)
    );

    bloomlane_count #(.DATA_BYTES(64), .LOG2_DEPTH(5)) packets (
        .clk(clk), .rst(rst),
        .s_axis_tvalid(in_valid), .s_axis_tready(engine_ready), .s_axis_tlast(s_axis_tlast), .s_axis_op(op),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast),
        .m_axis_tkeep(m_axis_tkeep), .m_axis_flags(flags),
        .bus_valid(valid[1]), .bus_write(bus_write), .bus_address(bus_address),
        .bus_ready(ready[1]), .bus_answer(answer[63:32]), .bus_error(error[1])
    );

    wire unused = &{1'b0, port_write, port_enable, bank, key_write, port_table, port_number, port_key, key_word,
                    key_data, place, no_tid, no_tdest};
endmodule

`default_nettype wire
