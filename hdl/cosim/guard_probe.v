// A guard in simulation, whose registers a queue of requests accesses one after another: over the register bus,
// or with AXIL over AXI4-Lite.
`default_nettype none

module guard_probe #(
    parameter DATA_BYTES  = 64,
    parameter LOG2_BLOCKS = 9,
    parameter LOG2_DEPTH  = 5,
    parameter DROP_FULL   = 0,
    parameter AXIL        = 0,
    parameter OUTPUT      = 0,
    parameter READ_STAGES = 1,
    parameter PARITY      = 0,
    parameter ID_WIDTH    = 0,
    parameter DEST_WIDTH  = 0,
    parameter USER_WIDTH  = 1
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [8*DATA_BYTES-1:0] s_axis_tdata,
    input  wire [DATA_BYTES-1:0]  s_axis_tkeep,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire                   s_axis_tlast,
    input  wire [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0]     s_axis_tid,
    input  wire [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0] s_axis_tdest,
    input  wire [USER_WIDTH-1:0]  s_axis_tuser,

    output wire [8*DATA_BYTES-1:0] m_axis_tdata,
    output wire [DATA_BYTES-1:0]  m_axis_tkeep,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire                   m_axis_tlast,
    output wire [(ID_WIDTH > 0 ? ID_WIDTH : 1)-1:0]     m_axis_tid,
    output wire [(DEST_WIDTH > 0 ? DEST_WIDTH : 1)-1:0] m_axis_tdest,
    output wire [USER_WIDTH-1:0]  m_axis_tuser,

    input  wire                   request, // in any clock
    input  wire                   request_write,
    input  wire [15:0]            request_address,
    input  wire [31:0]            request_data,
    output wire                   answer_valid, // one for each request, in order
    output wire [31:0]            answer,
    output wire                   answer_error,

    output wire                   yields // a frame that begins is dropped for the host
);
    localparam LOG2_REQUESTS = 14;

    reg [48:0]              requests [0:(1<<LOG2_REQUESTS)-1];
    reg [LOG2_REQUESTS-1:0] write_reg = 0;
    reg [LOG2_REQUESTS-1:0] read_reg  = 0;

    always @(posedge clk) begin
        if (request) begin
            requests[write_reg] <= {request_write, request_address, request_data};
            write_reg           <= write_reg + 1'b1;
        end
        if (answer_valid)
            read_reg <= read_reg + 1'b1;
    end

    wire        waits = read_reg != write_reg;
    wire        is_write;
    wire [15:0] address;
    wire [31:0] data;
    wire        bus_valid, bus_write, bus_ready, bus_error;
    wire [15:0] bus_address;
    wire [31:0] bus_data, bus_answer;

    assign {is_write, address, data} = requests[read_reg];

    generate
        if (AXIL != 0) begin : axil
            reg  [2:0]  awake_reg = 3'd0;
            reg         sent_reg  = 1'b0;
            wire        awready, arready, bvalid, rvalid;
            wire [1:0]  bresp, rresp;
            wire [31:0] rdata;
            wire        send = waits && !sent_reg && awake_reg[2];

            always @(posedge clk) begin
                awake_reg <= {awake_reg[1:0], 1'b1};
                sent_reg  <= !answer_valid && (sent_reg || send && (is_write ? awready : arready));
            end

            bloomlane_axil slave (
                .s_axi_aclk   (clk),     .s_axi_aresetn(awake_reg[1]),
                .s_axi_awaddr (address), .s_axi_awvalid(send && is_write),  .s_axi_awready(awready),
                .s_axi_wdata  (data),    .s_axi_wvalid (send && is_write),  .s_axi_wready (), .s_axi_wstrb(4'hf),
                .s_axi_bresp  (bresp),   .s_axi_bvalid (bvalid),            .s_axi_bready (1'b1),
                .s_axi_araddr (address), .s_axi_arvalid(send && !is_write), .s_axi_arready(arready),
                .s_axi_rdata  (rdata),   .s_axi_rresp  (rresp),             .s_axi_rvalid (rvalid),
                .s_axi_rready (1'b1),
                .clk          (clk),
                .bus_valid    (bus_valid), .bus_write (bus_write),  .bus_address(bus_address), .bus_strobe(),
                .bus_data     (bus_data),  .bus_ready (bus_ready),  .bus_answer (bus_answer),
                .bus_error    (bus_error)
            );

            assign answer_valid = sent_reg && (bvalid || rvalid); // ahead of its reset the slave may say anything
            assign answer       = bvalid ? 32'd0 : rdata;
            assign answer_error = bvalid ? bresp != 2'd0 : rresp != 2'd0;
        end else begin : bus
            assign {bus_valid, bus_write, bus_address, bus_data} = {waits, is_write, address, data};
            assign {answer_valid, answer, answer_error}          = {waits && bus_ready, bus_answer, bus_error};
        end
    endgenerate

    bloomlane_guard #(
        .DATA_BYTES(DATA_BYTES), .LOG2_BLOCKS(LOG2_BLOCKS), .LOG2_DEPTH(LOG2_DEPTH), .DROP_FULL(DROP_FULL), .OUTPUT(OUTPUT),
        .READ_STAGES(READ_STAGES), .PARITY(PARITY), .ID_WIDTH(ID_WIDTH), .DEST_WIDTH(DEST_WIDTH), .USER_WIDTH(USER_WIDTH)
    ) guard (
        .clk          (clk),           .rst          (rst),
        .s_axis_tdata (s_axis_tdata),  .s_axis_tkeep (s_axis_tkeep),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .s_axis_tlast (s_axis_tlast),  .s_axis_tuser (s_axis_tuser),
        .s_axis_tid   (s_axis_tid),    .s_axis_tdest (s_axis_tdest),
        .m_axis_tid   (m_axis_tid),    .m_axis_tdest (m_axis_tdest),  .m_axis_tuser (m_axis_tuser),
        .m_axis_tdata (m_axis_tdata),  .m_axis_tkeep (m_axis_tkeep),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tlast (m_axis_tlast),
        .bus_valid    (bus_valid),     .bus_write    (bus_write),     .bus_address  (bus_address),
        .bus_strobe   (4'hf),          .bus_data     (bus_data),
        .bus_ready    (bus_ready),     .bus_answer   (bus_answer),    .bus_error    (bus_error)
    );
    assign yields = guard.yields;
endmodule

`default_nettype wire
