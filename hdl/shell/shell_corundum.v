// An in-line engine for Corundum's application block, in the way of received packets of one port.
//
// It goes into mqnic_app_block, beside the parts of the template that stay: in place of the memory behind
// s_axil_app_ctrl, and of the lines that wire s_axis_sync_rx to m_axis_sync_rx. The ports have the block's names, and
// its widths with PORT_COUNT = 1, AXIS_SYNC_DATA_WIDTH = 512 and AXIL_APP_CTRL_DATA_WIDTH = 32; addresses are
// taken modulo 64 KiB. It was simulated with a stub of the block, and never with Corundum nor on hardware.
//
// Parameters
//   OFFSET                    byte of a packet where the field starts
//   AXIL_APP_CTRL_ADDR_WIDTH  as of the block, at least 16
//   AXIS_SYNC_RX_USER_WIDTH   as of the block: a time stamp, and the bad-frame flag at the bottom
// Source: github.com/corundum/corundum
`default_nettype none

module shell_corundum #(
    parameter OFFSET                   = 18,
    parameter AXIL_APP_CTRL_ADDR_WIDTH = 16,
    parameter AXIS_SYNC_RX_USER_WIDTH  = 97
) (
    input  wire                                clk,
    input  wire                                rst,

    input  wire [AXIL_APP_CTRL_ADDR_WIDTH-1:0] s_axil_app_ctrl_awaddr,
    input  wire [2:0]                          s_axil_app_ctrl_awprot,
    input  wire                                s_axil_app_ctrl_awvalid,
    output wire                                s_axil_app_ctrl_awready,
    input  wire [31:0]                         s_axil_app_ctrl_wdata,
    input  wire [3:0]                          s_axil_app_ctrl_wstrb,
    input  wire                                s_axil_app_ctrl_wvalid,
    output wire                                s_axil_app_ctrl_wready,
    output wire [1:0]                          s_axil_app_ctrl_bresp,
    output wire                                s_axil_app_ctrl_bvalid,
    input  wire                                s_axil_app_ctrl_bready,
    input  wire [AXIL_APP_CTRL_ADDR_WIDTH-1:0] s_axil_app_ctrl_araddr,
    input  wire [2:0]                          s_axil_app_ctrl_arprot,
    input  wire                                s_axil_app_ctrl_arvalid,
    output wire                                s_axil_app_ctrl_arready,
    output wire [31:0]                         s_axil_app_ctrl_rdata,
    output wire [1:0]                          s_axil_app_ctrl_rresp,
    output wire                                s_axil_app_ctrl_rvalid,
    input  wire                                s_axil_app_ctrl_rready,

    input  wire [511:0]                        s_axis_sync_rx_tdata,
    input  wire [63:0]                         s_axis_sync_rx_tkeep,
    input  wire                                s_axis_sync_rx_tvalid,
    output wire                                s_axis_sync_rx_tready,
    input  wire                                s_axis_sync_rx_tlast,
    input  wire [AXIS_SYNC_RX_USER_WIDTH-1:0]  s_axis_sync_rx_tuser,

    output wire [511:0]                        m_axis_sync_rx_tdata,
    output wire [63:0]                         m_axis_sync_rx_tkeep,
    output wire                                m_axis_sync_rx_tvalid,
    input  wire                                m_axis_sync_rx_tready,
    output wire                                m_axis_sync_rx_tlast,
    output wire [AXIS_SYNC_RX_USER_WIDTH-1:0]  m_axis_sync_rx_tuser
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(AXIL_APP_CTRL_ADDR_WIDTH >= 16)) begin : refused_AXIL_APP_CTRL_ADDR_WIDTH
            AXIL_APP_CTRL_ADDR_WIDTH_must_be_16_or_more refused ();
        end
    endgenerate

    shell_engine #(.OFFSET(OFFSET), .USER_WIDTH(AXIS_SYNC_RX_USER_WIDTH), .ASYNC(0)) receive (
        .s_axi_aclk(clk), .s_axi_aresetn(!rst),
        .s_axi_awaddr(s_axil_app_ctrl_awaddr[15:0]), .s_axi_awvalid(s_axil_app_ctrl_awvalid),
        .s_axi_awready(s_axil_app_ctrl_awready),
        .s_axi_wdata(s_axil_app_ctrl_wdata), .s_axi_wstrb(s_axil_app_ctrl_wstrb), .s_axi_wvalid(s_axil_app_ctrl_wvalid),
        .s_axi_wready(s_axil_app_ctrl_wready),
        .s_axi_bresp(s_axil_app_ctrl_bresp), .s_axi_bvalid(s_axil_app_ctrl_bvalid), .s_axi_bready(s_axil_app_ctrl_bready),
        .s_axi_araddr(s_axil_app_ctrl_araddr[15:0]), .s_axi_arvalid(s_axil_app_ctrl_arvalid),
        .s_axi_arready(s_axil_app_ctrl_arready),
        .s_axi_rdata(s_axil_app_ctrl_rdata), .s_axi_rresp(s_axil_app_ctrl_rresp), .s_axi_rvalid(s_axil_app_ctrl_rvalid),
        .s_axi_rready(s_axil_app_ctrl_rready),
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_sync_rx_tdata), .s_axis_tkeep(s_axis_sync_rx_tkeep), .s_axis_tvalid(s_axis_sync_rx_tvalid),
        .s_axis_tready(s_axis_sync_rx_tready), .s_axis_tlast(s_axis_sync_rx_tlast), .s_axis_tuser(s_axis_sync_rx_tuser),
        .m_axis_tdata(m_axis_sync_rx_tdata), .m_axis_tkeep(m_axis_sync_rx_tkeep), .m_axis_tvalid(m_axis_sync_rx_tvalid),
        .m_axis_tready(m_axis_sync_rx_tready), .m_axis_tlast(m_axis_sync_rx_tlast), .m_axis_tuser(m_axis_sync_rx_tuser)
    );

    wire unused = &{1'b0, s_axil_app_ctrl_awprot, s_axil_app_ctrl_arprot, s_axil_app_ctrl_awaddr, s_axil_app_ctrl_araddr};
endmodule

`default_nettype wire
