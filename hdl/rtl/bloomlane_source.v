// The source of a frame's IP header: a frame's beats in, one answer for each frame out.
//
// The outermost IP header of an Ethernet frame is read, behind up to four VLAN tags (IEEE 802.1Q, type 8100,
// 802.1ad, type 88a8, or their forerunners, types 9100 and 9200). A header counts if it is whole and has its
// version: of IPv4 20 bytes and a length of 5 words or more, of IPv6 40 bytes. Other frames have no source. These
// are the rules of the packet program in xdp/program/packet.h.
//
// All that is read is in a frame's first 64 bytes, but for the end of IPv6 behind three or four tags, of which
// the second beat says that it is there. So the answer comes behind the second beat, or the first if it is the
// last one.
//
// Parameters
//   DATA_BYTES  bytes of a beat: 64 or 128
// Latency: 3 clocks, a beat a clock
// Source: IEEE 802.1Q-2022; RFC 791; RFC 8200
`default_nettype none

module bloomlane_source #(
    parameter DATA_BYTES = 64
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    in_valid,
    input  wire                    in_last,
    input  wire [DATA_BYTES-1:0]   in_keep, // no holes, and all ones but with in_last
    input  wire [8*DATA_BYTES-1:0] in_data, // byte n is in_data[8n +: 8]

    output wire                    out_valid,
    output wire                    out_ipv4, // none of the two: the frame has no source
    output wire                    out_ipv6,
    output wire [127:0]            out_source // byte 0 is the most significant; IPv4 has the upper 32 bits
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(DATA_BYTES == 64 || DATA_BYTES == 128)) begin : refused_DATA_BYTES
            DATA_BYTES_must_be_64_or_128 refused ();
        end
    endgenerate

    localparam TAGS   = 4;  // at most
    localparam FIRST  = 22; // byte of the first address that there may be
    localparam WINDOW = 32; // bytes from there, which have all of them

    // ---- a frame's first beat: what its header is, for each number of tags

    reg                 inside_reg; // the next beat is none that begins a frame
    reg                 second_reg; // … but the second of one
    reg                 decided_reg;
    reg  [TAGS:0]       ipv4_reg;
    reg  [TAGS:0]       ipv6_reg;
    reg  [TAGS:TAGS-1]  split_reg;  // IPv6 whose last bytes are in the second beat
    reg  [8*WINDOW-1:0] window_reg;

    wire            begins = in_valid && !inside_reg;
    wire            second = in_valid && second_reg;
    wire [TAGS:0]   is_tag; // a type of tags ahead of byte 14 + 4n
    wire [TAGS:0]   ipv4;
    wire [TAGS:0]   ipv6;
    wire [TAGS:0]   whole; // 40 bytes of IPv6 are in the first beat

    genvar n;
    generate
        for (n = 0; n <= TAGS; n = n + 1) begin : tags
            localparam HEADER = 14 + 4 * n;

            wire [15:0] ether_type = {in_data[8*(HEADER-2) +: 8], in_data[8*(HEADER-1) +: 8]};
            wire [3:0]  version    = in_data[8*HEADER+4 +: 4];
            wire [3:0]  words      = in_data[8*HEADER +: 4];
            wire        here; // n tags or more

            assign is_tag[n] = ether_type == 16'h8100 || ether_type == 16'h88a8 || ether_type == 16'h9100 ||
                               ether_type == 16'h9200;
            if (n == 0) begin : first
                assign here = 1'b1;
            end else begin : behind
                assign here = &is_tag[n-1:0];
            end
            assign ipv4[n]    = here && ether_type == 16'h0800 && version == 4'd4 && words >= 4'd5 &&
                                in_keep[HEADER+19];
            assign ipv6[n]    = here && ether_type == 16'h86dd && version == 4'd6;
            if (HEADER + 40 <= DATA_BYTES) begin : in_one
                assign whole[n] = in_keep[HEADER+39];
            end else begin : in_two
                assign whole[n] = 1'b0;
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (in_valid) begin
            inside_reg <= !in_last;
            second_reg <= !inside_reg && !in_last;
        end
        decided_reg <= begins && in_last || second;
        if (begins) begin
            ipv4_reg   <= ipv4;
            ipv6_reg   <= ipv6 & whole;
            split_reg  <= ipv6[TAGS:TAGS-1] & ~whole[TAGS:TAGS-1];
            window_reg <= in_data[8*FIRST +: 8*WINDOW];
        end
        if (second) begin // 2 and 6 bytes of the header are in it
            if (split_reg[TAGS-1] && in_keep[1])
                ipv6_reg[TAGS-1] <= 1'b1;
            if (split_reg[TAGS] && in_keep[5])
                ipv6_reg[TAGS] <= 1'b1;
        end
        if (rst) begin
            inside_reg  <= 1'b0;
            second_reg  <= 1'b0;
            decided_reg <= 1'b0;
        end
    end

    // ---- the address

    function [127:0] network_order(input [127:0] bytes);
        integer i;
        for (i = 0; i < 16; i = i + 1)
            network_order[8*i +: 8] = bytes[8*(15-i) +: 8];
    endfunction

    reg         chosen_reg;
    reg         is_ipv4_reg;
    reg         is_ipv6_reg;
    reg [127:0] four_reg; // its address in the lowest bits
    reg [127:0] six_reg;
    reg         out_valid_reg;
    reg         out_ipv4_reg;
    reg         out_ipv6_reg;
    reg [127:0] out_source_reg;
    reg [127:0] four;
    reg [127:0] six;
    integer     i;

    always @* begin
        four = 128'd0;
        six  = 128'd0;
        for (i = 0; i <= TAGS; i = i + 1) begin
            four = four | ({96'd0, window_reg[8*(4*i+4) +: 32]} & {128{ipv4_reg[i]}});
            six  = six | (window_reg[8*4*i +: 128] & {128{ipv6_reg[i]}});
        end
    end

    always @(posedge clk) begin
        chosen_reg     <= decided_reg;
        is_ipv4_reg    <= |ipv4_reg;
        is_ipv6_reg    <= |ipv6_reg;
        four_reg       <= four;
        six_reg        <= six;
        out_valid_reg  <= chosen_reg;
        out_ipv4_reg   <= is_ipv4_reg;
        out_ipv6_reg   <= is_ipv6_reg;
        out_source_reg <= network_order(four_reg | six_reg);
        if (rst) begin
            chosen_reg    <= 1'b0;
            out_valid_reg <= 1'b0;
        end
    end

    assign out_valid  = out_valid_reg;
    assign out_ipv4   = out_ipv4_reg;
    assign out_ipv6   = out_ipv6_reg;
    assign out_source = out_source_reg;

`ifdef BLOOMLANE_CHECK
    always @(posedge clk) begin
        if (in_valid && !rst && (in_keep & (in_keep + 1'b1)) != 0) begin
            $display("%m: in_keep is %h, which has holes", in_keep);
            $stop;
        end
        if (in_valid && !rst && !in_last && !(&in_keep)) begin
            $display("%m: in_keep is %h without in_last", in_keep);
            $stop;
        end
    end
`endif

    wire unused = &{1'b0, in_data, in_keep, whole, is_tag};
endmodule

`default_nettype wire
