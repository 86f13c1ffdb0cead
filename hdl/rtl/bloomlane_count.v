// Counters of what an in-line engine did: a target of the register bus.
//
// It looks at both sides of the engine, of whose flags m_axis_tuser has the bits above the stream's own, and counts
// packets and their bytes as they leave. A result of 1 is present, and after a delete retained; which packets are for a
// delete it notes as their first beats come in, because the programmed operation may change until they leave.
//
// The counters and their order are in bloomlane_map.vh, and how they are read in bloomlane_counters. Its reset is that
// of the engine, which takes no beat in the first clock behind one, and the engine's DROP_CUT is 0.
//
// Parameters
//   DATA_BYTES  bytes of a beat, as of the engine
//   LOG2_DEPTH  of the engine
//   FIRST       what they count from, modulo 2**48: 0 or less
// Latency: a packet is counted 2 clocks after its last beat is taken
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_count #(
    parameter DATA_BYTES = 64,
    parameter LOG2_DEPTH = 5,
    parameter FIRST      = 0
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  s_axis_tvalid,
    input  wire                  s_axis_tready,
    input  wire                  s_axis_tlast,
    input  wire [1:0]            s_axis_op,    // of the packet that begins: the programmed one if it takes that

    input  wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    input  wire                  m_axis_tlast,
    input  wire [DATA_BYTES-1:0] m_axis_tkeep,
    input  wire [4:0]            m_axis_flags, // {short, overfull, applied, result}

    input  wire                  bus_valid,
    input  wire                  bus_write,
    input  wire [15:0]           bus_address,
    output wire                  bus_ready,
    output wire [31:0]           bus_answer,
    output wire                  bus_error
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(DATA_BYTES <= 128 && DATA_BYTES == 1 << $clog2(DATA_BYTES))) begin : refused_DATA_BYTES
            DATA_BYTES_must_be_a_power_of_two_to_128 refused ();
        end
        if (!(LOG2_DEPTH >= 2 && LOG2_DEPTH <= 18)) begin : refused_LOG2_DEPTH
            LOG2_DEPTH_must_be_2_to_18 refused ();
        end
        if (!(FIRST <= 0)) begin : refused_FIRST
            FIRST_must_be_0_or_less refused ();
        end
    endgenerate

    localparam ADD      = $clog2(DATA_BYTES + 1);
    localparam COUNTERS = 8;

    // ---- whether the packets in the engine are for a delete

    reg  inside_reg; // a packet has begun and not ended
    wire take      = s_axis_tvalid && s_axis_tready;
    wire leave     = m_axis_tvalid && m_axis_tready;
    wire deletes;
    wire no_in_ready, no_out_valid; // it has room for more packets than the engine, and is faster

    always @(posedge clk) begin
        if (take)
            inside_reg <= !s_axis_tlast;
        if (rst)
            inside_reg <= 1'b0;
    end

    bloomlane_fifo #(.WIDTH(1), .LOG2_DEPTH(LOG2_DEPTH + 2), .OUTPUT(0)) operations (
        .clk      (clk),
        .rst      (rst),
        .in_valid (take && !inside_reg),
        .in_ready (no_in_ready),
        .in_data  (s_axis_op == `BLOOMLANE_DELETE),
        .out_valid(no_out_valid),
        .out_ready(leave && m_axis_tlast),
        .out_data (deletes)
    );

    // ---- what leaves

    reg                  ends_reg;
    reg [DATA_BYTES-1:0] keep_reg;
    reg [4:0]            flags_reg;
    reg                  deletes_reg;
    reg [ADD-1:0]        bytes;
    integer              n;

    // The bytes that are kept come first.
    wire [DATA_BYTES:0] kept = {1'b0, keep_reg};

    always @* begin
        bytes = {ADD{1'b0}};
        for (n = 1; n <= DATA_BYTES; n = n + 1)
            if (kept[n-1] && !kept[n])
                bytes = bytes | n[ADD-1:0];
    end

    always @(posedge clk) begin
        ends_reg    <= leave && m_axis_tlast && !rst;
        keep_reg    <= m_axis_tkeep & {DATA_BYTES{leave && !rst}};
        flags_reg   <= m_axis_flags;
        deletes_reg <= deletes;
    end

    wire       applied = ends_reg && flags_reg[2];
    wire [1:0] result  = flags_reg[1:0];
    wire [7:0] events  = {
        applied && deletes_reg && result == `BLOOMLANE_DELETED,
        applied && deletes_reg && result == `BLOOMLANE_RETAINED,
        applied && !deletes_reg && result != 2'd0,
        applied && result == `BLOOMLANE_ABSENT,
        ends_reg && flags_reg[3],
        ends_reg && flags_reg[4],
        1'b0, // bytes
        ends_reg
    };

    wire [COUNTERS*ADD-1:0] add;
    genvar i;
    generate
        for (i = 0; i < COUNTERS; i = i + 1) begin : event_of
            if (i == 1) begin : of
                assign add[ADD*i +: ADD] = bytes;
            end else if (ADD > 1) begin : of
                assign add[ADD*i +: ADD] = {{ADD-1{1'b0}}, events[i]};
            end else begin : of
                assign add[ADD*i +: ADD] = events[i];
            end
        end
    endgenerate

    bloomlane_counters #(.COUNTERS(COUNTERS), .ADD(ADD), .FIRST(FIRST)) counters (
        .clk        (clk),
        .rst        (rst),
        .add        (add),
        .bus_valid  (bus_valid),
        .bus_write  (bus_write),
        .bus_address(bus_address),
        .bus_ready  (bus_ready),
        .bus_answer (bus_answer),
        .bus_error  (bus_error)
    );

    wire unused = &{1'b0, no_in_ready, no_out_valid, events[1]};
endmodule

`default_nettype wire
