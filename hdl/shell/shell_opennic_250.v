// A plugin for OpenNIC's user box of 250 MHz, with one interface and one QDMA: an in-line engine in the way from the
// wire to the host. The way from the host to the wire is wires.
//
// The ports are those of the shell's p2p_250mhz with NUM_INTF = 1 and NUM_QDMA = 1; AXI-Lite addresses are taken
// modulo 64 KiB. tuser_size and tuser_src leave as they came. It was simulated with a stub of the box, and
// never with the shell nor on hardware.
//
// Parameters
//   INTERFACE  the interface, from 0: the physical function and the CMAC that tuser_dst names
//   OFFSET     byte of a packet where the field starts
// Source: github.com/Xilinx/open-nic-shell
`default_nettype none

module shell_opennic_250 #(
    parameter INTERFACE = 0,
    parameter OFFSET    = 18
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

    input  wire         s_axis_qdma_h2c_tvalid,
    input  wire [511:0] s_axis_qdma_h2c_tdata,
    input  wire [63:0]  s_axis_qdma_h2c_tkeep,
    input  wire         s_axis_qdma_h2c_tlast,
    input  wire [15:0]  s_axis_qdma_h2c_tuser_size,
    input  wire [15:0]  s_axis_qdma_h2c_tuser_src,
    input  wire [15:0]  s_axis_qdma_h2c_tuser_dst,
    output wire         s_axis_qdma_h2c_tready,

    output wire         m_axis_qdma_c2h_tvalid,
    output wire [511:0] m_axis_qdma_c2h_tdata,
    output wire [63:0]  m_axis_qdma_c2h_tkeep,
    output wire         m_axis_qdma_c2h_tlast,
    output wire [15:0]  m_axis_qdma_c2h_tuser_size,
    output wire [15:0]  m_axis_qdma_c2h_tuser_src,
    output wire [15:0]  m_axis_qdma_c2h_tuser_dst,
    input  wire         m_axis_qdma_c2h_tready,

    output wire         m_axis_adap_tx_250mhz_tvalid,
    output wire [511:0] m_axis_adap_tx_250mhz_tdata,
    output wire [63:0]  m_axis_adap_tx_250mhz_tkeep,
    output wire         m_axis_adap_tx_250mhz_tlast,
    output wire [15:0]  m_axis_adap_tx_250mhz_tuser_size,
    output wire [15:0]  m_axis_adap_tx_250mhz_tuser_src,
    output wire [15:0]  m_axis_adap_tx_250mhz_tuser_dst,
    input  wire         m_axis_adap_tx_250mhz_tready,

    input  wire         s_axis_adap_rx_250mhz_tvalid,
    input  wire [511:0] s_axis_adap_rx_250mhz_tdata,
    input  wire [63:0]  s_axis_adap_rx_250mhz_tkeep,
    input  wire         s_axis_adap_rx_250mhz_tlast,
    input  wire [15:0]  s_axis_adap_rx_250mhz_tuser_size,
    input  wire [15:0]  s_axis_adap_rx_250mhz_tuser_src,
    input  wire [15:0]  s_axis_adap_rx_250mhz_tuser_dst,
    output wire         s_axis_adap_rx_250mhz_tready,

    input  wire         mod_rstn,     // of axil_aclk
    output wire         mod_rst_done,

    input  wire         axil_aclk,
    input  wire         axis_aclk
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(INTERFACE >= 0 && INTERFACE <= 5)) begin : refused_INTERFACE
            INTERFACE_must_be_0_to_5 refused ();
        end
    endgenerate

    wire axil_rst;
    wire rst;

    // The streams' clock is the faster one: its reset ends ahead of that of AXI-Lite, whose end the shell is told.
    shell_reset #(.LENGTH(64)) axil_reset (.clk(axil_aclk), .rstn(mod_rstn), .rst(axil_rst));
    shell_reset #(.LENGTH(16)) axis_reset (.clk(axis_aclk), .rstn(mod_rstn), .rst(rst));

    assign mod_rst_done = !axil_rst;

    shell_engine #(.OFFSET(OFFSET), .USER_WIDTH(32)) receive (
        .s_axi_aclk(axil_aclk), .s_axi_aresetn(!axil_rst),
        .s_axi_awaddr(s_axil_awaddr[15:0]), .s_axi_awvalid(s_axil_awvalid), .s_axi_awready(s_axil_awready),
        .s_axi_wdata(s_axil_wdata), .s_axi_wstrb(4'hf), .s_axi_wvalid(s_axil_wvalid), .s_axi_wready(s_axil_wready),
        .s_axi_bresp(s_axil_bresp), .s_axi_bvalid(s_axil_bvalid), .s_axi_bready(s_axil_bready),
        .s_axi_araddr(s_axil_araddr[15:0]), .s_axi_arvalid(s_axil_arvalid), .s_axi_arready(s_axil_arready),
        .s_axi_rdata(s_axil_rdata), .s_axi_rresp(s_axil_rresp), .s_axi_rvalid(s_axil_rvalid),
        .s_axi_rready(s_axil_rready),
        .clk(axis_aclk), .rst(rst),
        .s_axis_tdata(s_axis_adap_rx_250mhz_tdata), .s_axis_tkeep(s_axis_adap_rx_250mhz_tkeep),
        .s_axis_tvalid(s_axis_adap_rx_250mhz_tvalid), .s_axis_tready(s_axis_adap_rx_250mhz_tready),
        .s_axis_tlast(s_axis_adap_rx_250mhz_tlast),
        .s_axis_tuser({s_axis_adap_rx_250mhz_tuser_src, s_axis_adap_rx_250mhz_tuser_size}),
        .m_axis_tdata(m_axis_qdma_c2h_tdata), .m_axis_tkeep(m_axis_qdma_c2h_tkeep),
        .m_axis_tvalid(m_axis_qdma_c2h_tvalid), .m_axis_tready(m_axis_qdma_c2h_tready),
        .m_axis_tlast(m_axis_qdma_c2h_tlast),
        .m_axis_tuser({m_axis_qdma_c2h_tuser_src, m_axis_qdma_c2h_tuser_size})
    );

    assign m_axis_qdma_c2h_tuser_dst = 16'd1 << INTERFACE;

    assign m_axis_adap_tx_250mhz_tvalid     = s_axis_qdma_h2c_tvalid;
    assign m_axis_adap_tx_250mhz_tdata      = s_axis_qdma_h2c_tdata;
    assign m_axis_adap_tx_250mhz_tkeep      = s_axis_qdma_h2c_tkeep;
    assign m_axis_adap_tx_250mhz_tlast      = s_axis_qdma_h2c_tlast;
    assign m_axis_adap_tx_250mhz_tuser_size = s_axis_qdma_h2c_tuser_size;
    assign m_axis_adap_tx_250mhz_tuser_src  = s_axis_qdma_h2c_tuser_src;
    assign m_axis_adap_tx_250mhz_tuser_dst  = 16'd64 << INTERFACE;
    assign s_axis_qdma_h2c_tready           = m_axis_adap_tx_250mhz_tready;

    wire unused = &{1'b0, s_axil_awaddr[31:16], s_axil_araddr[31:16], s_axis_qdma_h2c_tuser_dst,
                    s_axis_adap_rx_250mhz_tuser_dst};
endmodule

`default_nettype wire
