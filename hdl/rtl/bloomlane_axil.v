// An AXI4-Lite slave of 32 bits that passes one request after another to the register bus.
//
// A request of the register bus (bus_valid, and what it asks) stands until bus_ready, in the same clock or any
// number of clocks later, and bus_ready comes with bus_answer and bus_error. A target that is in reset or busy
// waits with it. Nothing withdraws a request: one that a reset of AXI finds under way runs to its end, and its
// answer is dropped. So a target's answer never meets another request.
//
// A write needs all four byte strobes and an address that is a multiple of 4. Another one is refused with SLVERR,
// and not passed on. A read of another address is 0. bus_error is SLVERR too. Where a read and a write wait, they
// take turns.
//
// With ASYNC the register bus has a clock of its own: a toggle goes there through two registers, and one comes
// back. What is asked and what is answered stand from the clock in which their toggle changes until the other side
// has captured them, behind that toggle's second register. So a bit of them may come up to a clock of that side
// later than the toggle. The files of hdl/constraints say so to Vivado and Quartus, and name every register at
// which something crosses. bus_strobe is always 15.
//
// The registers without a reset, of a request and of the toggles, need 0 as their first value.
//
// Parameters
//   ASYNC  0: the register bus belongs to s_axi_aclk, and clk is ignored; 1: it belongs to clk, of any rate and phase
// Latency: from a request to its response 3 clocks, and as many as the target waits; with ASYNC 4 of clk and 2 of
//   s_axi_aclk more
`default_nettype none

module bloomlane_axil #(
    parameter ASYNC = 0
) (
    input  wire        s_axi_aclk,
    input  wire        s_axi_aresetn, // of the AXI side alone

    input  wire [15:0] s_axi_awaddr,
    input  wire        s_axi_awvalid,
    output wire        s_axi_awready,
    input  wire [31:0] s_axi_wdata,
    input  wire [3:0]  s_axi_wstrb,
    input  wire        s_axi_wvalid,
    output wire        s_axi_wready,
    output wire [1:0]  s_axi_bresp,
    output wire        s_axi_bvalid,
    input  wire        s_axi_bready,

    input  wire [15:0] s_axi_araddr,
    input  wire        s_axi_arvalid,
    output wire        s_axi_arready,
    output wire [31:0] s_axi_rdata,
    output wire [1:0]  s_axi_rresp,
    output wire        s_axi_rvalid,
    input  wire        s_axi_rready,

    // The register bus.
    input  wire        clk,
    output wire        bus_valid,
    output wire        bus_write,
    output wire [15:0] bus_address, // a multiple of 4
    output wire [3:0]  bus_strobe,
    output wire [31:0] bus_data,
    input  wire        bus_ready,
    input  wire [31:0] bus_answer,
    input  wire        bus_error
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(ASYNC == 0 || ASYNC == 1)) begin : refused_ASYNC
            ASYNC_must_be_0_or_1 refused ();
        end
    endgenerate

    localparam SLVERR = 2'd2;

`ifdef BLOOMLANE_CHECK
    reg  [2:0]  waits_reg = 3'd0; // for their ready: address, data, read
    reg  [67:0] offered_reg;
    wire [67:0] offered = {s_axi_awaddr, s_axi_wstrb, s_axi_wdata, s_axi_araddr};

    always @(posedge s_axi_aclk) begin
        waits_reg <= {s_axi_awvalid && !s_axi_awready, s_axi_wvalid && !s_axi_wready,
                      s_axi_arvalid && !s_axi_arready} & {3{s_axi_aresetn}};
        offered_reg <= offered;
        if (s_axi_aresetn &&
            (waits_reg[2] && !(s_axi_awvalid && offered[67:52] === offered_reg[67:52]) ||
             waits_reg[1] && !(s_axi_wvalid && offered[51:16] === offered_reg[51:16]) ||
             waits_reg[0] && !(s_axi_arvalid && offered[15:0] === offered_reg[15:0]))) begin
            $display("%m: s_axi_awvalid, s_axi_wvalid, s_axi_arvalid or what they offer changes before its ready");
            $stop;
        end
    end
`endif

    reg         request_reg = 1'b0; // one is on its way
    reg         write_reg;
    reg  [13:0] address_reg;        // of a word
    reg  [31:0] data_reg;
    reg         orphan_reg;         // a reset has come since: nobody waits for its answer
    reg         refused_reg;        // the response is known without the bus
    reg         awready_reg, arready_reg;
    reg         bvalid_reg, rvalid_reg;
    reg         error_reg;          // the bus's
    reg         refusal_reg;        // the response's own
    reg  [31:0] answer_reg;
    reg         wrote_reg;          // the turn is a read's

    wire        done;               // the request has its answer
    wire [31:0] answer;
    wire        error;

    wire idle       = s_axi_aresetn && !request_reg && !refused_reg && !bvalid_reg && !rvalid_reg;
    wire both       = s_axi_awvalid && s_axi_wvalid;
    wire take_write = idle && both && !(s_axi_arvalid && wrote_reg);
    wire take_read  = idle && s_axi_arvalid && !take_write;
    wire passes     = take_write ? s_axi_awaddr[1:0] == 2'd0 && &s_axi_wstrb : s_axi_araddr[1:0] == 2'd0;
    wire send       = (take_write || take_read) && passes;
    wire reply      = done && !orphan_reg || refused_reg;

    always @(posedge s_axi_aclk) begin
        if (take_write || take_read) begin
            write_reg   <= take_write;
            address_reg <= take_write ? s_axi_awaddr[15:2] : s_axi_araddr[15:2];
            data_reg    <= s_axi_wdata;
            wrote_reg   <= take_write;
        end
        if (send)
            request_reg <= 1'b1;
        else if (done)
            request_reg <= 1'b0;

        awready_reg <= take_write;
        arready_reg <= take_read;
        refused_reg <= (take_write || take_read) && !passes;
        if (reply) begin
            error_reg   <= error;
            answer_reg  <= answer;
            refusal_reg <= refused_reg && write_reg;
        end
        if (refused_reg) begin
            error_reg  <= 1'b0;
            answer_reg <= 32'd0;
        end
        if (reply && write_reg)
            bvalid_reg <= 1'b1;
        else if (s_axi_bready)
            bvalid_reg <= 1'b0;
        if (reply && !write_reg)
            rvalid_reg <= 1'b1;
        else if (s_axi_rready)
            rvalid_reg <= 1'b0;
        if (done)
            orphan_reg <= 1'b0;

        if (!s_axi_aresetn) begin
            awready_reg <= 1'b0;
            arready_reg <= 1'b0;
            refused_reg <= 1'b0;
            bvalid_reg  <= 1'b0;
            rvalid_reg  <= 1'b0;
            wrote_reg   <= 1'b0;
            orphan_reg  <= request_reg && !done;
        end
    end

    assign s_axi_awready = awready_reg;
    assign s_axi_wready  = awready_reg;
    assign s_axi_arready = arready_reg;
    assign s_axi_bvalid  = bvalid_reg;
    assign s_axi_bresp   = error_reg || refusal_reg ? SLVERR : 2'd0;
    assign s_axi_rvalid  = rvalid_reg;
    assign s_axi_rresp   = error_reg ? SLVERR : 2'd0;
    assign s_axi_rdata   = answer_reg;

    assign bus_strobe = 4'd15;

    generate
        if (ASYNC != 0) begin : crossing
            // A request is on its way there where sent_reg differs from what came back, and has run where it is
            // ran_reg. What is asked crosses to asked_reg, what is answered to answer_reg and error_reg.
            reg        sent_reg  = 1'b0;
            reg        ran_reg   = 1'b0;
            reg        valid_reg = 1'b0; // a request is captured
            reg [46:0] asked_reg;
            reg [31:0] ran_answer_reg;
            reg        ran_error_reg;
            (* ASYNC_REG = "TRUE" *) reg [1:0] there_reg = 2'd0;
            (* ASYNC_REG = "TRUE" *) reg [1:0] back_reg  = 2'd0;

            wire arrives = there_reg[1] != ran_reg && !valid_reg;

            always @(posedge s_axi_aclk) begin
                if (send)
                    sent_reg <= !sent_reg;
                back_reg <= {back_reg[0], ran_reg};
            end

            always @(posedge clk) begin
                there_reg <= {there_reg[0], sent_reg};
                valid_reg <= arrives || valid_reg && !bus_ready;
                if (arrives)
                    asked_reg <= {write_reg, address_reg, data_reg};
                if (valid_reg && bus_ready) begin
                    ran_reg        <= !ran_reg;
                    ran_answer_reg <= bus_answer;
                    ran_error_reg  <= bus_error;
                end
            end

            assign bus_valid   = valid_reg;
            assign bus_write   = asked_reg[46];
            assign bus_address = {asked_reg[45:32], 2'd0};
            assign bus_data    = asked_reg[31:0];
            assign done        = request_reg && back_reg[1] == sent_reg;
            assign answer      = ran_answer_reg;
            assign error       = ran_error_reg;
        end else begin : crossing
            assign bus_valid   = request_reg;
            assign bus_write   = write_reg;
            assign bus_address = {address_reg, 2'd0};
            assign bus_data    = data_reg;
            assign done        = request_reg && bus_ready;
            assign answer      = bus_answer;
            assign error       = bus_error;
            wire unused = &{1'b0, clk};
        end
    endgenerate
endmodule

`default_nettype wire
