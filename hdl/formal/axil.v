// bloomlane_axil keeps the rules of AXI4-Lite (ARM IHI 0022, A3.2) and those of the register bus: a response, and a
// request of the bus, stand until they are taken; each request has one response, behind it and in order; each that is
// not refused runs once, as it was asked, and its response is the target's answer; and where a read and a write wait,
// neither has its turn twice. Unbounded, by induction, with resets of AXI at any time, and with ASYNC for two clocks
// of any rates and phases: a step is an edge of one of them, of both, or of none.
module axil #(parameter ASYNC = 0) (
    input         aclk, aresetn, clk,
    input [15:0]  awaddr, araddr,
    input [31:0]  wdata, bus_answer,
    input [3:0]   wstrb,
    input         awvalid, wvalid, arvalid, bready, rready, bus_ready, bus_error
);
    wire        awready, wready, arready, bvalid, rvalid, bus_valid, bus_write;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata, bus_data;
    wire [15:0] bus_address;
    wire [3:0]  bus_strobe;
    wire        bus_clk = ASYNC ? clk : aclk;

    bloomlane_axil #(.ASYNC(ASYNC)) dut (
        .s_axi_aclk(aclk), .s_axi_aresetn(aresetn),
        .s_axi_awaddr(awaddr), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_wdata(wdata), .s_axi_wstrb(wstrb), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
        .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
        .s_axi_araddr(araddr), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rvalid(rvalid), .s_axi_rready(rready),
        .clk(clk), .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address), .bus_strobe(bus_strobe),
        .bus_data(bus_data), .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error)
    );

    // flatten keeps what these say of first values, and not what the module does.
    (* hierconn, init = 1'b0 *) wire       \dut.request_reg , \dut.crossing.sent_reg , \dut.crossing.ran_reg ,
                                           \dut.crossing.valid_reg ;
    (* hierconn, init = 2'd0 *) wire [1:0] \dut.crossing.there_reg , \dut.crossing.back_reg ;
    (* hierconn *) wire        \dut.orphan_reg , \dut.refused_reg , \dut.write_reg , \dut.wrote_reg , \dut.error_reg ;
    (* hierconn *) wire [13:0] \dut.address_reg ;
    (* hierconn *) wire [31:0] \dut.data_reg , \dut.crossing.ran_answer_reg ;
    (* hierconn *) wire        \dut.crossing.ran_error_reg ;

    // ---- the master keeps what it offers

    reg        started = 0, after = 0; // an edge has been; no reset was at it
    reg        aw_waits = 0, w_waits = 0, ar_waits = 0;
    reg [15:0] aw_was, ar_was;
    reg [35:0] w_was;
    always @(posedge aclk) begin
        started  <= 1;
        after    <= aresetn;
        aw_waits <= aresetn && awvalid && !awready;
        w_waits  <= aresetn && wvalid && !wready;
        ar_waits <= aresetn && arvalid && !arready;
        {aw_was, ar_was, w_was} <= {awaddr, araddr, wstrb, wdata};
    end
    always @* begin
        if (!started) assume (!aresetn);
        if (aw_waits) assume (awvalid && awaddr == aw_was);
        if (w_waits) assume (wvalid && {wstrb, wdata} == w_was);
        if (ar_waits) assume (arvalid && araddr == ar_was);
    end

    // ---- the model: the request that is taken or was last, and how often one was sent and ran, by parity

    wire        take_write = started && awvalid && awready;
    wire        take_read  = started && arvalid && arready;
    wire        take       = take_write || take_read;
    reg         open = 0;        // it has no response yet
    reg         is_write, is_refused;
    reg [15:0]  address;
    reg [31:0]  data;
    reg         sent = 0;
    wire        write_now   = take ? take_write : is_write;
    wire [15:0] address_now = take ? (take_write ? awaddr : araddr) : address;
    wire [31:0] data_now    = take ? wdata : data;
`ifdef BUG_STROBE // strobes are not looked at
    wire        bad         = address_now[1:0] != 0;
`else
    wire        bad         = address_now[1:0] != 0 || take_write && wstrb != 15;
`endif
    wire        refused_now = take ? bad : is_refused;
    wire        sent_now    = sent ^ (take && !refused_now);
    wire        open_now    = open || take;
    wire        reply       = bvalid && bready || rvalid && rready;
    reg  [1:0]  reads, writes;   // that were taken while one of the others waited
    always @(posedge aclk) begin
        {is_write, is_refused, address, data, sent} <= {write_now, refused_now, address_now, data_now, sent_now};
`ifdef BUG_TWICE // a response stands once more
        open   <= open_now && aresetn;
`else
        open   <= open_now && !reply && aresetn;
`endif
        if (take_read) reads <= reads + (awvalid && wvalid);
        if (take_write || !(awvalid && wvalid)) reads <= 0;
        if (take_write) writes <= writes + arvalid;
        if (take_read || !arvalid) writes <= 0;
        if (!aresetn) {reads, writes} <= 0;
    end

    reg         ran = 0;
    reg  [31:0] ran_answer;
    reg         ran_error;
    wire        runs = bus_valid && bus_ready;
    reg         bus_waits = 0;   // a request stands
    reg  [52:0] bus_was;
    wire [52:0] bus_is = {bus_write, bus_address, bus_strobe, bus_data};
    always @(posedge bus_clk) begin
        if (runs) {ran, ran_answer, ran_error} <= {!ran, bus_answer, bus_error};
        bus_waits <= bus_valid && !bus_ready;
        bus_was   <= bus_is;
    end

    reg         b_waits = 0, r_waits = 0;
    reg  [1:0]  b_was;
    reg  [33:0] r_was;
    always @(posedge aclk) begin
`ifdef BUG_IMPATIENT // a response is given up before it is taken
        b_waits <= aresetn && bvalid;
`else
        b_waits <= aresetn && bvalid && !bready;
`endif
        r_waits <= aresetn && rvalid && !rready;
        {b_was, r_was} <= {bresp, rresp, rdata};
    end

    // ---- the rules

    always @* if (!started) begin // nothing happens ahead of the first edge, which is a reset
        assert (!\dut.request_reg && !sent && !ran && !open && !bus_waits && !b_waits && !r_waits);
        if (ASYNC) assert ({\dut.crossing.sent_reg , \dut.crossing.ran_reg , \dut.crossing.there_reg , \dut.crossing.back_reg ,
                            \dut.crossing.valid_reg } == 0);
    end

    always @* if (started) begin
        if (b_waits) assert (bvalid && bresp == b_was);
        if (r_waits) assert (rvalid && {rresp, rdata} == r_was);
        if (!after) assert (!awready && !arready && !bvalid && !rvalid);
        if (awready) assert (awvalid && wvalid && wready && !arready && !open);
        if (arready) assert (arvalid && !open);
        if (bvalid) assert (open && is_write && !rvalid && bresp == (is_refused || ran_error ? 2 : 0));
        if (rvalid) assert (open && !is_write && rdata == (is_refused ? 0 : ran_answer));
        if (rvalid) assert (rresp == (!is_refused && ran_error ? 2 : 0));
        if (bvalid || rvalid) assert (is_refused || sent == ran);
        assert (reads < 2 && writes < 2);
        // The register bus.
`ifdef BUG_WITHDRAWN // a reset withdraws a request
        if (bus_valid) assert (open_now);
`endif
        if (bus_waits) assert (bus_valid && bus_is == bus_was);
        if (bus_valid) assert (sent_now != ran);
        if (bus_valid) assert ({bus_write, bus_address, bus_strobe} == {write_now, address_now, 4'd15});
        if (bus_valid && bus_write) assert (bus_data == data_now);

        // The invariant.
        assert (\dut.request_reg == (sent_now != ran) || ASYNC);
        if (open_now || sent_now != ran) begin
            assert (\dut.write_reg == write_now && \dut.address_reg == address_now[15:2]);
            if (!refused_now) assert (address_now[1:0] == 0);
            if (sent_now != ran) assert (!refused_now);
            if (write_now) assert (\dut.data_reg == data_now);
        end
        assert (!\dut.orphan_reg || \dut.request_reg && !open_now);
        if (open_now) assert (\dut.request_reg + \dut.refused_reg + bvalid + rvalid == 1);
        else assert (!\dut.refused_reg && !bvalid && !rvalid && \dut.request_reg == \dut.orphan_reg );
        if (open_now) assert (\dut.refused_reg ? refused_now : \dut.request_reg ? !refused_now : 1);
        if (awready || arready) assert (\dut.wrote_reg == awready);
        if (awready) assert (aw_waits && w_waits);
        if (arready) assert (ar_waits);
        if (reads != 0) assert (!arready && aw_waits && w_waits && (awready || !\dut.wrote_reg ));
        if (writes != 0) assert (!awready && ar_waits && (arready || \dut.wrote_reg ));
        if (ASYNC) begin
            assert (\dut.crossing.sent_reg == sent_now && \dut.crossing.ran_reg == ran);
            // A toggle is in one place of its way round.
            assert ((sent_now ^ \dut.crossing.there_reg [0]) + (\dut.crossing.there_reg [0] ^ \dut.crossing.there_reg [1]) +
                    (\dut.crossing.there_reg [1] ^ ran) + (ran ^ \dut.crossing.back_reg [0]) +
                    (\dut.crossing.back_reg [0] ^ \dut.crossing.back_reg [1]) <= 1);
            if (!\dut.request_reg ) assert (\dut.crossing.back_reg [1] == sent_now);
            // What is captured is what was asked, and is so until it ran.
            if (bus_valid) assert (\dut.crossing.there_reg [1] != ran);
            if (\dut.request_reg && sent_now == ran)
                assert (\dut.crossing.ran_answer_reg == ran_answer && \dut.crossing.ran_error_reg == ran_error);
        end
    end

    // What may come: a history has each.
    always @* if (started) begin
        cover (awvalid && !wvalid && aresetn);
        cover (wvalid && !awvalid && aresetn);
        cover (awvalid && wvalid && arvalid && aresetn);
        cover (awready && wstrb != 15);
        cover (awready && wstrb == 15 && awaddr[1:0] == 0);
        cover (awready && awaddr[1:0] != 0);
        cover (arready && araddr[1:0] != 0);
        cover (bvalid && !bready);
        cover (rvalid && !rready);
        cover (bvalid && bresp != 0);
        cover (rvalid && rresp != 0);
        cover (bus_valid && !bus_ready);
        cover (bus_waits && bus_valid && bus_ready);
        cover (bus_valid && !aresetn);
        cover (bus_valid && !open_now && aresetn);
        cover (awvalid && !aresetn);
        cover (bvalid && bready && awvalid && wvalid);
    end
endmodule
