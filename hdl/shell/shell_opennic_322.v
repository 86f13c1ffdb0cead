// A plugin for OpenNIC's user box of 322 MHz, with one CMAC: an in-line engine in the way from the wire to the adapter,
// of which neither end can wait. The way to the wire is wires.
//
// The ports are those of the shell's p2p_322mhz with NUM_CMAC_PORT = 1; AXI-Lite addresses are taken modulo 64 KiB.
// tuser_err leaves with the beat that it came with. It was simulated with a stub of the box, and never
// with the shell nor on hardware.
//
// Parameters
//   OFFSET  byte of a packet where the field starts
// Source: github.com/Xilinx/open-nic-shell
`default_nettype none

module shell_opennic_322 #(
    parameter OFFSET = 18
) (
    input  wire         s_axil_awvalid,
    input  wire [31:0]  s_axil_awaddr,
    output wire         s_axil_awready,
    input  wire         s_axil_wvalid,
    input  wire [31:0]  s_axil_wdata,
    output wire         s_axil_wready,
    output wire         s_axil_bvalid,
    output wire [1:0]   s_axil_bresp,
    input  wire         s_axil_bready,
    input  wire         s_axil_arvalid,
    input  wire [31:0]  s_axil_araddr,
    output wire         s_axil_arready,
    output wire         s_axil_rvalid,
    output wire [31:0]  s_axil_rdata,
    output wire [1:0]   s_axil_rresp,
    input  wire         s_axil_rready,

    input  wire         s_axis_adap_tx_322mhz_tvalid,
    input  wire [511:0] s_axis_adap_tx_322mhz_tdata,
    input  wire [63:0]  s_axis_adap_tx_322mhz_tkeep,
    input  wire         s_axis_adap_tx_322mhz_tlast,
    input  wire         s_axis_adap_tx_322mhz_tuser_err,
    output wire         s_axis_adap_tx_322mhz_tready,

    output wire         m_axis_adap_rx_322mhz_tvalid,
    output wire [511:0] m_axis_adap_rx_322mhz_tdata,
    output wire [63:0]  m_axis_adap_rx_322mhz_tkeep,
    output wire         m_axis_adap_rx_322mhz_tlast,
    output wire         m_axis_adap_rx_322mhz_tuser_err,

    output wire         m_axis_cmac_tx_tvalid,
    output wire [511:0] m_axis_cmac_tx_tdata,
    output wire [63:0]  m_axis_cmac_tx_tkeep,
    output wire         m_axis_cmac_tx_tlast,
    output wire         m_axis_cmac_tx_tuser_err,
    input  wire         m_axis_cmac_tx_tready,

    input  wire         s_axis_cmac_rx_tvalid,
    input  wire [511:0] s_axis_cmac_rx_tdata,
    input  wire [63:0]  s_axis_cmac_rx_tkeep,
    input  wire         s_axis_cmac_rx_tlast,
    input  wire         s_axis_cmac_rx_tuser_err,

    input  wire         mod_rstn,     // of axil_aclk
    output wire         mod_rst_done,

    input  wire         axil_aclk,
    input  wire         cmac_clk
);
    wire axil_rst;
    wire rst;

    // The streams' clock is the faster one: its reset ends ahead of that of AXI-Lite, whose end the shell is told.
    shell_reset #(.LENGTH(64)) axil_reset (.clk(axil_aclk), .rstn(mod_rstn), .rst(axil_rst));
    shell_reset #(.LENGTH(16)) axis_reset (.clk(cmac_clk), .rstn(mod_rstn), .rst(rst));

    assign mod_rst_done = !axil_rst;

    wire always_ready; // from the engine's first packet on

    shell_engine #(.OFFSET(OFFSET), .USER_WIDTH(1), .WAITS(0)) receive (
        .s_axi_aclk(axil_aclk), .s_axi_aresetn(!axil_rst),
        .s_axi_awaddr(s_axil_awaddr[15:0]), .s_axi_awvalid(s_axil_awvalid), .s_axi_awready(s_axil_awready),
        .s_axi_wdata(s_axil_wdata), .s_axi_wstrb(4'hf), .s_axi_wvalid(s_axil_wvalid), .s_axi_wready(s_axil_wready),
        .s_axi_bresp(s_axil_bresp), .s_axi_bvalid(s_axil_bvalid), .s_axi_bready(s_axil_bready),
        .s_axi_araddr(s_axil_araddr[15:0]), .s_axi_arvalid(s_axil_arvalid), .s_axi_arready(s_axil_arready),
        .s_axi_rdata(s_axil_rdata), .s_axi_rresp(s_axil_rresp), .s_axi_rvalid(s_axil_rvalid),
        .s_axi_rready(s_axil_rready),
        .clk(cmac_clk), .rst(rst),
        .s_axis_tdata(s_axis_cmac_rx_tdata), .s_axis_tkeep(s_axis_cmac_rx_tkeep),
        .s_axis_tvalid(s_axis_cmac_rx_tvalid), .s_axis_tready(always_ready),
        .s_axis_tlast(s_axis_cmac_rx_tlast), .s_axis_tuser(s_axis_cmac_rx_tuser_err),
        .m_axis_tdata(m_axis_adap_rx_322mhz_tdata), .m_axis_tkeep(m_axis_adap_rx_322mhz_tkeep),
        .m_axis_tvalid(m_axis_adap_rx_322mhz_tvalid), .m_axis_tready(1'b1),
        .m_axis_tlast(m_axis_adap_rx_322mhz_tlast), .m_axis_tuser(m_axis_adap_rx_322mhz_tuser_err)
    );

    assign m_axis_cmac_tx_tvalid        = s_axis_adap_tx_322mhz_tvalid;
    assign m_axis_cmac_tx_tdata         = s_axis_adap_tx_322mhz_tdata;
    assign m_axis_cmac_tx_tkeep         = s_axis_adap_tx_322mhz_tkeep;
    assign m_axis_cmac_tx_tlast         = s_axis_adap_tx_322mhz_tlast;
    assign m_axis_cmac_tx_tuser_err     = s_axis_adap_tx_322mhz_tuser_err;
    assign s_axis_adap_tx_322mhz_tready = m_axis_cmac_tx_tready;

    wire unused = &{1'b0, s_axil_awaddr[31:16], s_axil_araddr[31:16], always_ready};
endmodule

`default_nettype wire
