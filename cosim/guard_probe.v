// A guard in simulation, whose registers a queue of requests accesses one after another.
`default_nettype none

module guard_probe #(
    parameter LOG2_BLOCKS = 9,
    parameter LOG2_DEPTH  = 5,
    parameter DROP_FULL   = 0
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [511:0]           s_axis_tdata,
    input  wire [63:0]            s_axis_tkeep,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire                   s_axis_tlast,
    input  wire                   s_axis_tuser,

    output wire [511:0]           m_axis_tdata,
    output wire [63:0]            m_axis_tkeep,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire                   m_axis_tlast,

    input  wire                   request, // in any clock
    input  wire                   request_write,
    input  wire [15:0]            request_address,
    input  wire [31:0]            request_data,
    output wire                   answer_valid, // one for each request, in order
    output wire [31:0]            answer,
    output wire                   answer_error
);
    localparam LOG2_REQUESTS = 14;

    reg [48:0]              requests [0:(1<<LOG2_REQUESTS)-1];
    reg [LOG2_REQUESTS-1:0] write_reg = 0;
    reg [LOG2_REQUESTS-1:0] read_reg  = 0;
    wire                    ready;

    always @(posedge clk) begin
        if (request) begin
            requests[write_reg] <= {request_write, request_address, request_data};
            write_reg           <= write_reg + 1'b1;
        end
        if (answer_valid)
            read_reg <= read_reg + 1'b1;
    end

    wire waits = read_reg != write_reg;

    assign answer_valid = waits && ready;

    bloomlane_guard #(.LOG2_BLOCKS(LOG2_BLOCKS), .LOG2_DEPTH(LOG2_DEPTH), .DROP_FULL(DROP_FULL)) guard (
        .clk          (clk),           .rst          (rst),
        .s_axis_tdata (s_axis_tdata),  .s_axis_tkeep (s_axis_tkeep),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .s_axis_tlast (s_axis_tlast),  .s_axis_tuser (s_axis_tuser),
        .m_axis_tdata (m_axis_tdata),  .m_axis_tkeep (m_axis_tkeep),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tlast (m_axis_tlast),
        .bus_valid    (waits),         .bus_write    (requests[read_reg][48]),
        .bus_address  (requests[read_reg][47:32]),
        .bus_strobe   (4'hf),          .bus_data     (requests[read_reg][31:0]),
        .bus_ready    (ready),         .bus_answer   (answer),
        .bus_error    (answer_error)
    );
endmodule

`default_nettype wire
