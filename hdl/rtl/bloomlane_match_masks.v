// Which ports a packet header names: match every port's mask in one go, a header a clock.
//
// A port is in out_ports when it is enabled and the header has every bit of its mask. A header
// with more than fill_limit ones (of all 8*W bits) names no port and sets out_overfull: too full a
// header would match everything. After reset no port is enabled. A write takes effect for the
// headers that come in after its clock.
//
// The form for arbitrary link identifiers; keys are cheaper as positions (bloomlane_match_positions).
//
// Parameters
//   W      bits of a lane: 32 (a header of 256 bits) or 64 (512)
//   PORTS  number of ports, at least 1
//   COUNT  clocks that the count of ones takes, 2 to 4: 2 has the fewest registers and is meant for
//          LUT6 devices, 4 is faster on an iCE40
// Latency: COUNT + 1 clocks, one header a clock. in_header should come out of registers: the first clock is
//   a comparison of 8*W bits
// Source: LIPSIN (Jokela, Zahemszky, Rothenberg, Arianfar, Nikander, SIGCOMM 2009), Algorithm 1 and
//   the fill limit
`include "bloomlane_params.vh"
`default_nettype none

module bloomlane_match_masks #(
    parameter W     = 32,
    parameter PORTS = 16,
    parameter COUNT = 2
) (
    input  wire clk,
    input  wire rst,

    // Programming: one port a clock
    input  wire                                      write,
    input  wire [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] write_port,
    input  wire                                      write_enable, // 0 takes the port out
    input  wire [`BLOOMLANE_LANES*W-1:0] write_mask, // any pattern, lane i at [W*i +: W]

    // The most ones that a header may have: a level
    input  wire [$clog2(`BLOOMLANE_LANES*W+1)-1:0] fill_limit,

    input  wire                          in_valid,
    input  wire [`BLOOMLANE_LANES*W-1:0] in_header, // lane i at [W*i +: W]

    output wire             out_valid,
    output wire [PORTS-1:0] out_ports,   // zero unless out_valid
    output wire             out_overfull // likewise
);
    localparam BITS    = `BLOOMLANE_LANES * W;
    localparam ELEMENT = `BLOOMLANE_LANES*W;
    localparam SELECT  = PORTS > 1 ? $clog2(PORTS) : 1;

    // First clock: match. Then wait for the count of ones. Last clock: gate.
    reg [COUNT*PORTS-1:0] waiting_reg; // the last PORTS bits are the oldest
    reg [COUNT-1:0]       valid_reg;
    reg [PORTS-1:0]       ports_reg;
    reg                   out_valid_reg, overfull_reg;

    wire [PORTS-1:0] matched;
    wire             overfull;

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            localparam [SELECT-1:0] NUMBER = p;

            reg [ELEMENT-1:0] element_reg;
            reg               enable_reg;
            wire              present;

            always @(posedge clk) begin
                if (write && write_port == NUMBER) begin
                    element_reg <= write_mask;
                    enable_reg  <= write_enable;
                end
                if (rst) enable_reg <= 1'b0;
            end

            bloomlane_query #(.W(W)) query_inst (.block(in_header), .mask(element_reg), .present(present));
            assign matched[p] = enable_reg && present;
        end
    endgenerate

    bloomlane_fill #(.BITS(BITS), .LATENCY(COUNT)) fill_inst (
        .clk(clk), .advance(1'b1), .bits(in_header), .limit(fill_limit), .overfull(overfull)
    );

    always @(posedge clk) begin
        waiting_reg   <= {waiting_reg[(COUNT-1)*PORTS-1:0], matched};
        ports_reg     <= waiting_reg[(COUNT-1)*PORTS +: PORTS] & {PORTS{valid_reg[COUNT-1] && !overfull}};
        overfull_reg  <= valid_reg[COUNT-1] && overfull;
        valid_reg     <= {valid_reg[COUNT-2:0], in_valid};
        out_valid_reg <= valid_reg[COUNT-1];
        if (rst) begin
            valid_reg     <= {COUNT{1'b0}};
            out_valid_reg <= 1'b0;
            ports_reg     <= {PORTS{1'b0}};
            overfull_reg  <= 1'b0;
        end
    end

    assign out_valid    = out_valid_reg;
    assign out_ports    = ports_reg;
    assign out_overfull = overfull_reg;
endmodule

`default_nettype wire
