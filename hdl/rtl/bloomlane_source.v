// The source of a frame's IP header: a frame's beats in, one answer for each frame out.
//
// The outermost IP header of an Ethernet frame is read, behind up to four VLAN tags (IEEE 802.1Q, type 8100,
// 802.1ad, type 88a8, or their forerunners, types 9100 and 9200). A header counts if it is whole and has its
// version: of IPv4 20 bytes and a length of 5 words or more, of IPv6 40 bytes. Other frames have no source. These
// are the rules of the packet program in xdp/program/packet.h.
//
// All that is read is in a frame's first 64 bytes, but for the end of IPv6 behind three or four tags, of which
// the second beat says that it is there. So the answer comes behind the second beat of 64 or 128 bytes. Shorter beats
// are gathered first: the answer comes behind the one that has the frame's byte 69. It comes behind the last beat if
// that is earlier.
//
// Parameters
//   DATA_BYTES  bytes of a beat: 8, 16, 32, 64 or 128
// Latency: 3 clocks, 4 with less than 64 bytes; a beat a clock
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
        if (!(DATA_BYTES == 8 || DATA_BYTES == 16 || DATA_BYTES == 32 || DATA_BYTES == 64 || DATA_BYTES == 128)) begin : refused_DATA_BYTES
            DATA_BYTES_must_be_8_to_128 refused ();
        end
    endgenerate

    localparam TAGS   = 4;  // at most
    localparam FIRST  = 22; // byte of the first address that there may be
    localparam WINDOW = 32; // bytes from there, which have all of them

    // ---- beats that are too short for a header are gathered: then one beat has all of it

    localparam LONGEST = 70;                                // bytes of what is read: four tags, and IPv6
    localparam BYTES   = DATA_BYTES < 64 ? 128 : DATA_BYTES;

    wire               header_valid;
    wire               header_last;
    wire [BYTES-1:0]   header_keep;
    wire [8*BYTES-1:0] header_data;

    generate
        if (DATA_BYTES < 64) begin : gathered
            localparam        BEATS = (LONGEST + DATA_BYTES - 1) / DATA_BYTES;
            localparam        ALL   = BEATS * DATA_BYTES;
            localparam [31:0] END   = BEATS;
            reg  [3:0]       beat_reg; // the next one, up to END: the header is over
            reg              whole_reg;
            reg  [ALL-1:0]   keep_reg;
            reg  [8*ALL-1:0] data_reg;
            wire             here = in_valid && beat_reg != END[3:0];
            integer          i;

            always @(posedge clk) begin
                if (in_valid)
                    beat_reg <= in_last ? 4'd0 : here ? beat_reg + 4'd1 : beat_reg;
                whole_reg <= here && (in_last || beat_reg + 4'd1 == END[3:0]);
                for (i = 0; i < BEATS; i = i + 1)
                    if (here && {28'd0, beat_reg} == i) begin
                        keep_reg[DATA_BYTES*i +: DATA_BYTES]     <= in_keep;
                        data_reg[8*DATA_BYTES*i +: 8*DATA_BYTES] <= in_data;
                    end else if (here && beat_reg == 4'd0)
                        keep_reg[DATA_BYTES*i +: DATA_BYTES] <= {DATA_BYTES{1'b0}};
                if (rst) begin
                    beat_reg  <= 4'd0;
                    whole_reg <= 1'b0;
                end
            end

            assign header_valid = whole_reg;
            assign header_last  = 1'b1;
            assign header_keep  = {{BYTES-ALL{1'b0}}, keep_reg};
            assign header_data  = {{8*(BYTES-ALL){1'b0}}, data_reg};
        end else begin : gathered
            assign header_valid = in_valid;
            assign header_last  = in_last;
            assign header_keep  = in_keep;
            assign header_data  = in_data;
        end
    endgenerate

    // ---- a frame's first beat: what its header is, for each number of tags

    reg                 inside_reg; // the next beat is none that begins a frame
    reg                 second_reg; // … but the second of one
    reg                 decided_reg;
    reg  [TAGS:0]       ipv4_reg;
    reg  [TAGS:0]       ipv6_reg;
    reg  [TAGS:TAGS-1]  split_reg;  // IPv6 whose last bytes are in the second beat
    reg  [8*WINDOW-1:0] window_reg;

    wire            begins = header_valid && !inside_reg;
    wire            second = header_valid && second_reg;
    wire [TAGS:0]   is_tag; // a type of tags ahead of byte 14 + 4n
    wire [TAGS:0]   ipv4;
    wire [TAGS:0]   ipv6;
    wire [TAGS:0]   whole; // 40 bytes of IPv6 are in the first beat

    genvar n;
    generate
        for (n = 0; n <= TAGS; n = n + 1) begin : tags
            localparam HEADER = 14 + 4 * n;

            wire [15:0] ether_type = {header_data[8*(HEADER-2) +: 8], header_data[8*(HEADER-1) +: 8]};
            wire [3:0]  version    = header_data[8*HEADER+4 +: 4];
            wire [3:0]  words      = header_data[8*HEADER +: 4];
            wire        here; // n tags or more

            assign is_tag[n] = ether_type == 16'h8100 || ether_type == 16'h88a8 || ether_type == 16'h9100 ||
                               ether_type == 16'h9200;
            if (n == 0) begin : first
                assign here = 1'b1;
            end else begin : behind
                assign here = &is_tag[n-1:0];
            end
            assign ipv4[n]    = here && ether_type == 16'h0800 && version == 4'd4 && words >= 4'd5 &&
                                header_keep[HEADER+19];
            assign ipv6[n]    = here && ether_type == 16'h86dd && version == 4'd6;
            if (HEADER + 40 <= BYTES) begin : in_one
                assign whole[n] = header_keep[HEADER+39];
            end else begin : in_two
                assign whole[n] = 1'b0;
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (header_valid) begin
            inside_reg <= !header_last;
            second_reg <= !inside_reg && !header_last;
        end
        decided_reg <= begins && header_last || second;
        if (begins) begin
            ipv4_reg   <= ipv4;
            ipv6_reg   <= ipv6 & whole;
            split_reg  <= ipv6[TAGS:TAGS-1] & ~whole[TAGS:TAGS-1];
            window_reg <= header_data[8*FIRST +: 8*WINDOW];
        end
        if (second) begin // 2 and 6 bytes of the header are in it
            if (split_reg[TAGS-1] && header_keep[1])
                ipv6_reg[TAGS-1] <= 1'b1;
            if (split_reg[TAGS] && header_keep[5])
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

    wire unused = &{1'b0, header_data, header_keep, whole, is_tag};
endmodule

`default_nettype wire
