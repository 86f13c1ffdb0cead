// A shell is wires around shell_engine, which is of any behaviour here: received packets, with the side band that they have
// in this shell, come to it and leave as it gives them; AXI4-Lite reaches it, with the lower 16 bits of an address; each
// clock and reset is its own; and what comes from the host goes to the wire. All cases.
module shell_engine #(parameter OFFSET = 18, USER_WIDTH = 1, ASYNC = 1, WAITS = 1) (
    input s_axi_aclk, s_axi_aresetn, s_axi_awvalid, s_axi_wvalid, s_axi_bready, s_axi_arvalid, s_axi_rready, clk, rst,
    input [15:0] s_axi_awaddr, s_axi_araddr, input [31:0] s_axi_wdata, input [3:0] s_axi_wstrb,
    output s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, output [1:0] s_axi_bresp, s_axi_rresp,
    output [31:0] s_axi_rdata,
    input s_axis_tvalid, s_axis_tlast, m_axis_tready, input [511:0] s_axis_tdata, input [63:0] s_axis_tkeep,
    input [USER_WIDTH-1:0] s_axis_tuser, output s_axis_tready, m_axis_tvalid, m_axis_tlast, output [511:0] m_axis_tdata,
    output [63:0] m_axis_tkeep, output [USER_WIDTH-1:0] m_axis_tuser
);
    (* anyseq *) reg [40:0]           any_axi;
    (* anyseq *) reg [578:0]          any_beat;
    (* anyseq *) reg [USER_WIDTH-1:0] any_user;
    assign {s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, s_axi_bresp, s_axi_rresp,
            s_axi_rdata} = any_axi;
    assign {s_axis_tready, m_axis_tvalid, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = any_beat;
    assign m_axis_tuser = any_user;
    wire [74:0]  axi = {s_axi_aclk, s_axi_aresetn, s_axi_awaddr, s_axi_awvalid, s_axi_wdata, s_axi_wstrb, s_axi_wvalid,
                        s_axi_bready, s_axi_araddr, s_axi_arvalid, s_axi_rready};
    wire [580:0] beat = {clk, rst, m_axis_tready, s_axis_tvalid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    wire         waits = WAITS != 0;
endmodule

module shell_reset #(parameter LENGTH = 16) (input clk, rstn, output rst);
    (* anyseq *) reg any;
    assign rst = any;
    wire [1:0] asked = {clk, rstn};
endmodule

module shell_ports #(parameter SHELL = 0, INTERFACE = 0) ( // 0: OpenNIC's at 250 MHz, 1: at 322 MHz, 2: Corundum's
    input axil_clk, axis_clk, rstn, awvalid, wvalid, bready, arvalid, rready, input [31:0] awaddr, araddr, wdata,
    input [3:0] wstrb, input rx_tvalid, rx_tlast, host_tready, tx_tvalid, tx_tlast, wire_tready,
    input [511:0] rx_tdata, tx_tdata, input [63:0] rx_tkeep, tx_tkeep, input [96:0] rx_tuser, input [47:0] tx_tuser
);
    localparam USER = SHELL == 0 ? 32 : SHELL == 1 ? 1 : 97; // bits of the side band that the engine has

    wire         awready, wready, bvalid, arready, rvalid, rx_tready, host_tvalid, host_tlast, tx_tready, wire_tvalid;
    wire         wire_tlast, done;
    wire [1:0]   bresp, rresp;
    wire [31:0]  rdata;
    wire [511:0] host_tdata, wire_tdata;
    wire [63:0]  host_tkeep, wire_tkeep;
    wire [96:0]  host_tuser;
    wire [47:0]  wire_tuser;
    (* hierconn *) wire [40:0]     \box.dut.receive.any_axi ;
    (* hierconn *) wire [578:0]    \box.dut.receive.any_beat ;
    (* hierconn *) wire [USER-1:0] \box.dut.receive.any_user , \box.dut.receive.s_axis_tuser ;
    (* hierconn *) wire [74:0]     \box.dut.receive.axi ;
    (* hierconn *) wire [580:0]    \box.dut.receive.beat ;
    (* hierconn *) wire [1:0]      \box.dut.axil_reset.asked , \box.dut.axis_reset.asked ;
    (* hierconn *) wire            \box.dut.axil_reset.any , \box.dut.axis_reset.any , \box.dut.receive.waits ;

    generate
        if (SHELL == 0) begin : box
            shell_opennic_250 #(.INTERFACE(INTERFACE)) dut (
                .s_axil_awvalid(awvalid), .s_axil_awaddr(awaddr), .s_axil_awready(awready), .s_axil_wvalid(wvalid),
                .s_axil_wdata(wdata), .s_axil_wready(wready), .s_axil_bvalid(bvalid), .s_axil_bresp(bresp),
                .s_axil_bready(bready), .s_axil_arvalid(arvalid), .s_axil_araddr(araddr), .s_axil_arready(arready),
                .s_axil_rvalid(rvalid), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rready(rready),
                .mod_rstn(rstn), .mod_rst_done(done), .axil_aclk(axil_clk), .axis_aclk(axis_clk),
                .s_axis_adap_rx_250mhz_tvalid(rx_tvalid), .s_axis_adap_rx_250mhz_tdata(rx_tdata),
                .s_axis_adap_rx_250mhz_tkeep(rx_tkeep), .s_axis_adap_rx_250mhz_tlast(rx_tlast),
                .s_axis_adap_rx_250mhz_tuser_size(rx_tuser[15:0]), .s_axis_adap_rx_250mhz_tuser_src(rx_tuser[31:16]),
                .s_axis_adap_rx_250mhz_tuser_dst(rx_tuser[47:32]), .s_axis_adap_rx_250mhz_tready(rx_tready),
                .m_axis_qdma_c2h_tvalid(host_tvalid), .m_axis_qdma_c2h_tdata(host_tdata),
                .m_axis_qdma_c2h_tkeep(host_tkeep), .m_axis_qdma_c2h_tlast(host_tlast),
                .m_axis_qdma_c2h_tuser_size(host_tuser[15:0]), .m_axis_qdma_c2h_tuser_src(host_tuser[31:16]),
                .m_axis_qdma_c2h_tuser_dst(host_tuser[47:32]), .m_axis_qdma_c2h_tready(host_tready),
                .s_axis_qdma_h2c_tvalid(tx_tvalid), .s_axis_qdma_h2c_tdata(tx_tdata), .s_axis_qdma_h2c_tkeep(tx_tkeep),
                .s_axis_qdma_h2c_tlast(tx_tlast), .s_axis_qdma_h2c_tuser_size(tx_tuser[15:0]),
                .s_axis_qdma_h2c_tuser_src(tx_tuser[31:16]), .s_axis_qdma_h2c_tuser_dst(tx_tuser[47:32]),
                .s_axis_qdma_h2c_tready(tx_tready),
                .m_axis_adap_tx_250mhz_tvalid(wire_tvalid), .m_axis_adap_tx_250mhz_tdata(wire_tdata),
                .m_axis_adap_tx_250mhz_tkeep(wire_tkeep), .m_axis_adap_tx_250mhz_tlast(wire_tlast),
                .m_axis_adap_tx_250mhz_tuser_size(wire_tuser[15:0]), .m_axis_adap_tx_250mhz_tuser_src(wire_tuser[31:16]),
                .m_axis_adap_tx_250mhz_tuser_dst(wire_tuser[47:32]), .m_axis_adap_tx_250mhz_tready(wire_tready)
            );
            always @* assert (host_tuser[47:32] == 1 << INTERFACE);
            always @* assert (wire_tuser == {16'd64 << INTERFACE, tx_tuser[31:0]});
            always @* assert (rx_tready == \box.dut.receive.any_beat [578]);
        end
        if (SHELL == 1) begin : box
            shell_opennic_322 dut (
                .s_axil_awvalid(awvalid), .s_axil_awaddr(awaddr), .s_axil_awready(awready), .s_axil_wvalid(wvalid),
                .s_axil_wdata(wdata), .s_axil_wready(wready), .s_axil_bvalid(bvalid), .s_axil_bresp(bresp),
                .s_axil_bready(bready), .s_axil_arvalid(arvalid), .s_axil_araddr(araddr), .s_axil_arready(arready),
                .s_axil_rvalid(rvalid), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rready(rready),
                .mod_rstn(rstn), .mod_rst_done(done), .axil_aclk(axil_clk), .cmac_clk(axis_clk),
                .s_axis_cmac_rx_tvalid(rx_tvalid), .s_axis_cmac_rx_tdata(rx_tdata), .s_axis_cmac_rx_tkeep(rx_tkeep),
                .s_axis_cmac_rx_tlast(rx_tlast), .s_axis_cmac_rx_tuser_err(rx_tuser[0]),
                .m_axis_adap_rx_322mhz_tvalid(host_tvalid), .m_axis_adap_rx_322mhz_tdata(host_tdata),
                .m_axis_adap_rx_322mhz_tkeep(host_tkeep), .m_axis_adap_rx_322mhz_tlast(host_tlast),
                .m_axis_adap_rx_322mhz_tuser_err(host_tuser[0]),
                .s_axis_adap_tx_322mhz_tvalid(tx_tvalid), .s_axis_adap_tx_322mhz_tdata(tx_tdata),
                .s_axis_adap_tx_322mhz_tkeep(tx_tkeep), .s_axis_adap_tx_322mhz_tlast(tx_tlast),
                .s_axis_adap_tx_322mhz_tuser_err(tx_tuser[0]), .s_axis_adap_tx_322mhz_tready(tx_tready),
                .m_axis_cmac_tx_tvalid(wire_tvalid), .m_axis_cmac_tx_tdata(wire_tdata), .m_axis_cmac_tx_tkeep(wire_tkeep),
                .m_axis_cmac_tx_tlast(wire_tlast), .m_axis_cmac_tx_tuser_err(wire_tuser[0]),
                .m_axis_cmac_tx_tready(wire_tready)
            );
            always @* assert (wire_tuser[0] == tx_tuser[0]);
        end
        if (SHELL == 2) begin : box
            shell_corundum #(.AXIL_APP_CTRL_ADDR_WIDTH(32)) dut (
                .clk(axil_clk), .rst(!rstn),
                .s_axil_app_ctrl_awaddr(awaddr), .s_axil_app_ctrl_awvalid(awvalid), .s_axil_app_ctrl_awready(awready),
                .s_axil_app_ctrl_wdata(wdata), .s_axil_app_ctrl_wstrb(wstrb), .s_axil_app_ctrl_wvalid(wvalid),
                .s_axil_app_ctrl_wready(wready), .s_axil_app_ctrl_bresp(bresp), .s_axil_app_ctrl_bvalid(bvalid),
                .s_axil_app_ctrl_bready(bready), .s_axil_app_ctrl_araddr(araddr), .s_axil_app_ctrl_arvalid(arvalid),
                .s_axil_app_ctrl_arready(arready), .s_axil_app_ctrl_rdata(rdata), .s_axil_app_ctrl_rresp(rresp),
                .s_axil_app_ctrl_rvalid(rvalid), .s_axil_app_ctrl_rready(rready),
                .s_axis_sync_rx_tvalid(rx_tvalid), .s_axis_sync_rx_tdata(rx_tdata), .s_axis_sync_rx_tkeep(rx_tkeep),
                .s_axis_sync_rx_tlast(rx_tlast), .s_axis_sync_rx_tuser(rx_tuser), .s_axis_sync_rx_tready(rx_tready),
                .m_axis_sync_rx_tvalid(host_tvalid), .m_axis_sync_rx_tdata(host_tdata), .m_axis_sync_rx_tkeep(host_tkeep),
                .m_axis_sync_rx_tlast(host_tlast), .m_axis_sync_rx_tuser(host_tuser), .m_axis_sync_rx_tready(host_tready)
            );
            always @* assert (rx_tready == \box.dut.receive.any_beat [578]);
        end
    endgenerate

    wire       axil_rst   = SHELL == 2 ? !rstn : \box.dut.axil_reset.any ;
    wire       axis_rst   = SHELL == 2 ? !rstn : \box.dut.axis_reset.any ;
    wire       stream_clk = SHELL == 2 ? axil_clk : axis_clk;
    wire       takes      = SHELL == 1 || host_tready;
`ifdef BUG_STROBE // a byte of a word may be written alone
    wire [3:0] strobe = wstrb;
`else
    wire [3:0] strobe = SHELL == 2 ? wstrb : 4'd15;
`endif

`ifdef BUG_ADDRESS // addresses are of words
    wire [15:0] write_at = awaddr >> 2;
`else
    wire [15:0] write_at = awaddr;
`endif

    always @* begin
        assert (\box.dut.receive.axi == {axil_clk, !axil_rst, write_at, awvalid, wdata, strobe, wvalid, bready,
            araddr[15:0], arvalid, rready});
        assert ({awready, wready, bvalid, arready, rvalid, bresp, rresp, rdata} == \box.dut.receive.any_axi );
        assert (\box.dut.receive.beat == {stream_clk, axis_rst, takes, rx_tvalid, rx_tlast, rx_tkeep, rx_tdata});
        assert (\box.dut.receive.s_axis_tuser == rx_tuser[USER-1:0]);
        assert ({host_tvalid, host_tlast, host_tkeep, host_tdata} == \box.dut.receive.any_beat [577:0]);
        assert (host_tuser[USER-1:0] == \box.dut.receive.any_user );
        assert (\box.dut.receive.waits == (SHELL != 1));
    end

    generate
        if (SHELL != 2) always @* begin
            assert (\box.dut.axil_reset.asked == {axil_clk, rstn} && \box.dut.axis_reset.asked == {axis_clk, rstn});
            assert (done == !axil_rst);
`ifdef BUG_WIRE // packets from the host do not wait
            assert (wire_tvalid == tx_tvalid && tx_tready);
`else
            assert (wire_tvalid == tx_tvalid && tx_tready == wire_tready);
`endif
            assert ({wire_tlast, wire_tkeep, wire_tdata} == {tx_tlast, tx_tkeep, tx_tdata});
        end
    endgenerate
endmodule
