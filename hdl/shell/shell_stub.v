// What is around the shells, for tests: a box of OpenNIC or the application block of Corundum, with the ports that these
// have, in the clock of AXI-Lite. It has none of their logic.
//
// Parameters
//   SHELL  0: OpenNIC's box of 250 MHz; 1: that of 322 MHz, whose received packets cannot wait; 2: Corundum's block
`default_nettype none

module shell_stub #(
    parameter SHELL = 0
) (
    input  wire         s_axi_aclk,
    input  wire         s_axi_aresetn,
    input  wire [15:0]  s_axi_awaddr,
    input  wire         s_axi_awvalid,
    output wire         s_axi_awready,
    input  wire [31:0]  s_axi_wdata,
    input  wire [3:0]   s_axi_wstrb,
    input  wire         s_axi_wvalid,
    output wire         s_axi_wready,
    output wire [1:0]   s_axi_bresp,
    output wire         s_axi_bvalid,
    input  wire         s_axi_bready,
    input  wire [15:0]  s_axi_araddr,
    input  wire         s_axi_arvalid,
    output wire         s_axi_arready,
    output wire [31:0]  s_axi_rdata,
    output wire [1:0]   s_axi_rresp,
    output wire         s_axi_rvalid,
    input  wire         s_axi_rready,

    output wire         done,        // the reset is over

    // Packets from the wire, and to the host.
    input  wire [511:0] rx_tdata,
    input  wire [63:0]  rx_tkeep,
    input  wire         rx_tvalid,
    output wire         rx_tready,
    input  wire         rx_tlast,
    input  wire [96:0]  rx_tuser,
    output wire [511:0] host_tdata,
    output wire [63:0]  host_tkeep,
    output wire         host_tvalid,
    input  wire         host_tready,
    output wire         host_tlast,
    output wire [96:0]  host_tuser,

    // Packets from the host, and to the wire.
    input  wire [511:0] tx_tdata,
    input  wire [63:0]  tx_tkeep,
    input  wire         tx_tvalid,
    output wire         tx_tready,
    input  wire         tx_tlast,
    input  wire [47:0]  tx_tuser,
    output wire [511:0] wire_tdata,
    output wire [63:0]  wire_tkeep,
    output wire         wire_tvalid,
    input  wire         wire_tready,
    output wire         wire_tlast,
    output wire [47:0]  wire_tuser
);
    generate
        if (SHELL == 0) begin : opennic_250
            shell_opennic_250 shell (
                .s_axil_awvalid(s_axi_awvalid), .s_axil_awaddr({16'h00b0, s_axi_awaddr}), .s_axil_awready(s_axi_awready),
                .s_axil_wvalid(s_axi_wvalid), .s_axil_wdata(s_axi_wdata), .s_axil_wready(s_axi_wready),
                .s_axil_bvalid(s_axi_bvalid), .s_axil_bresp(s_axi_bresp), .s_axil_bready(s_axi_bready),
                .s_axil_arvalid(s_axi_arvalid), .s_axil_araddr({16'h00b0, s_axi_araddr}), .s_axil_arready(s_axi_arready),
                .s_axil_rvalid(s_axi_rvalid), .s_axil_rdata(s_axi_rdata), .s_axil_rresp(s_axi_rresp),
                .s_axil_rready(s_axi_rready),
                .mod_rstn(s_axi_aresetn), .mod_rst_done(done), .axil_aclk(s_axi_aclk),
                .axis_aclk(s_axi_aclk),
                .s_axis_adap_rx_250mhz_tvalid(rx_tvalid), .s_axis_adap_rx_250mhz_tdata(rx_tdata), .s_axis_adap_rx_250mhz_tkeep(rx_tkeep), .s_axis_adap_rx_250mhz_tlast(rx_tlast),
                .s_axis_adap_rx_250mhz_tuser_size(rx_tuser[15:0]), .s_axis_adap_rx_250mhz_tuser_src(rx_tuser[31:16]), .s_axis_adap_rx_250mhz_tuser_dst(rx_tuser[47:32]), .s_axis_adap_rx_250mhz_tready(rx_tready),
                .m_axis_qdma_c2h_tvalid(host_tvalid), .m_axis_qdma_c2h_tdata(host_tdata), .m_axis_qdma_c2h_tkeep(host_tkeep), .m_axis_qdma_c2h_tlast(host_tlast),
                .m_axis_qdma_c2h_tuser_size(host_tuser[15:0]), .m_axis_qdma_c2h_tuser_src(host_tuser[31:16]), .m_axis_qdma_c2h_tuser_dst(host_tuser[47:32]), .m_axis_qdma_c2h_tready(host_tready),
                .s_axis_qdma_h2c_tvalid(tx_tvalid), .s_axis_qdma_h2c_tdata(tx_tdata), .s_axis_qdma_h2c_tkeep(tx_tkeep), .s_axis_qdma_h2c_tlast(tx_tlast),
                .s_axis_qdma_h2c_tuser_size(tx_tuser[15:0]), .s_axis_qdma_h2c_tuser_src(tx_tuser[31:16]), .s_axis_qdma_h2c_tuser_dst(tx_tuser[47:32]), .s_axis_qdma_h2c_tready(tx_tready),
                .m_axis_adap_tx_250mhz_tvalid(wire_tvalid), .m_axis_adap_tx_250mhz_tdata(wire_tdata), .m_axis_adap_tx_250mhz_tkeep(wire_tkeep), .m_axis_adap_tx_250mhz_tlast(wire_tlast),
                .m_axis_adap_tx_250mhz_tuser_size(wire_tuser[15:0]), .m_axis_adap_tx_250mhz_tuser_src(wire_tuser[31:16]), .m_axis_adap_tx_250mhz_tuser_dst(wire_tuser[47:32]), .m_axis_adap_tx_250mhz_tready(wire_tready)
            );
            assign host_tuser[96:48] = 49'd0;
        end else if (SHELL == 1) begin : opennic_322
            shell_opennic_322 shell (
                .s_axil_awvalid(s_axi_awvalid), .s_axil_awaddr({16'h00b0, s_axi_awaddr}), .s_axil_awready(s_axi_awready),
                .s_axil_wvalid(s_axi_wvalid), .s_axil_wdata(s_axi_wdata), .s_axil_wready(s_axi_wready),
                .s_axil_bvalid(s_axi_bvalid), .s_axil_bresp(s_axi_bresp), .s_axil_bready(s_axi_bready),
                .s_axil_arvalid(s_axi_arvalid), .s_axil_araddr({16'h00b0, s_axi_araddr}), .s_axil_arready(s_axi_arready),
                .s_axil_rvalid(s_axi_rvalid), .s_axil_rdata(s_axi_rdata), .s_axil_rresp(s_axi_rresp),
                .s_axil_rready(s_axi_rready),
                .mod_rstn(s_axi_aresetn), .mod_rst_done(done), .axil_aclk(s_axi_aclk),
                .cmac_clk(s_axi_aclk),
                .s_axis_cmac_rx_tvalid(rx_tvalid), .s_axis_cmac_rx_tdata(rx_tdata), .s_axis_cmac_rx_tkeep(rx_tkeep), .s_axis_cmac_rx_tlast(rx_tlast),
                .s_axis_cmac_rx_tuser_err(rx_tuser[0]),
                .m_axis_adap_rx_322mhz_tvalid(host_tvalid), .m_axis_adap_rx_322mhz_tdata(host_tdata), .m_axis_adap_rx_322mhz_tkeep(host_tkeep), .m_axis_adap_rx_322mhz_tlast(host_tlast),
                .m_axis_adap_rx_322mhz_tuser_err(host_tuser[0]),
                .s_axis_adap_tx_322mhz_tvalid(tx_tvalid), .s_axis_adap_tx_322mhz_tdata(tx_tdata), .s_axis_adap_tx_322mhz_tkeep(tx_tkeep), .s_axis_adap_tx_322mhz_tlast(tx_tlast),
                .s_axis_adap_tx_322mhz_tuser_err(tx_tuser[0]), .s_axis_adap_tx_322mhz_tready(tx_tready),
                .m_axis_cmac_tx_tvalid(wire_tvalid), .m_axis_cmac_tx_tdata(wire_tdata), .m_axis_cmac_tx_tkeep(wire_tkeep), .m_axis_cmac_tx_tlast(wire_tlast),
                .m_axis_cmac_tx_tuser_err(wire_tuser[0]), .m_axis_cmac_tx_tready(wire_tready)
            );
            assign rx_tready        = 1'b1;
            assign host_tuser[96:1] = 96'd0;
            assign wire_tuser[47:1] = 47'd0;
        end else begin : corundum
            shell_corundum shell (
                .clk(s_axi_aclk), .rst(!s_axi_aresetn),
                .s_axil_app_ctrl_awaddr(s_axi_awaddr), .s_axil_app_ctrl_awprot(3'd0),
                .s_axil_app_ctrl_awvalid(s_axi_awvalid), .s_axil_app_ctrl_awready(s_axi_awready),
                .s_axil_app_ctrl_wdata(s_axi_wdata), .s_axil_app_ctrl_wstrb(s_axi_wstrb),
                .s_axil_app_ctrl_wvalid(s_axi_wvalid), .s_axil_app_ctrl_wready(s_axi_wready),
                .s_axil_app_ctrl_bresp(s_axi_bresp), .s_axil_app_ctrl_bvalid(s_axi_bvalid),
                .s_axil_app_ctrl_bready(s_axi_bready),
                .s_axil_app_ctrl_araddr(s_axi_araddr), .s_axil_app_ctrl_arprot(3'd0),
                .s_axil_app_ctrl_arvalid(s_axi_arvalid), .s_axil_app_ctrl_arready(s_axi_arready),
                .s_axil_app_ctrl_rdata(s_axi_rdata), .s_axil_app_ctrl_rresp(s_axi_rresp),
                .s_axil_app_ctrl_rvalid(s_axi_rvalid), .s_axil_app_ctrl_rready(s_axi_rready),
                .s_axis_sync_rx_tvalid(rx_tvalid), .s_axis_sync_rx_tdata(rx_tdata), .s_axis_sync_rx_tkeep(rx_tkeep), .s_axis_sync_rx_tlast(rx_tlast),
                .s_axis_sync_rx_tuser(rx_tuser), .s_axis_sync_rx_tready(rx_tready),
                .m_axis_sync_rx_tvalid(host_tvalid), .m_axis_sync_rx_tdata(host_tdata), .m_axis_sync_rx_tkeep(host_tkeep), .m_axis_sync_rx_tlast(host_tlast),
                .m_axis_sync_rx_tuser(host_tuser), .m_axis_sync_rx_tready(host_tready)
            );
            assign done        = s_axi_aresetn;
            assign tx_tready   = wire_tready; // the block's own wires
            assign wire_tdata  = tx_tdata;
            assign wire_tkeep  = tx_tkeep;
            assign wire_tvalid = tx_tvalid;
            assign wire_tlast  = tx_tlast;
            assign wire_tuser  = tx_tuser;
        end
    endgenerate

    wire unused = &{1'b0, s_axi_wstrb, rx_tuser, tx_tuser, host_tready};
endmodule

`default_nettype wire
