// Where the headers of a frame end, as a place of bloomlane_inline: a tag or a label ahead of a field moves it.
//
// The headers are Ethernet's, up to two VLAN tags (IEEE 802.1Q, type 8100, 802.1ad, type 88a8, or their
// forerunners, types 9100 and 9200), up to two MPLS labels, IPv6 and one of its extensions: hop-by-hop options,
// routing or destination options. Behind labels IPv6 is known by its version. The place is the number of the
// first of END_0, END_1, and so on that is the byte of the frame where they end, and 4 if none is, or if a frame
// has more headers than these: then bloomlane_inline lets it pass unchanged, flagged as short.
//
// It looks at a frame's first beat alone: so beats must have 64 bytes or more.
//
// Parameters
//   DATA_BYTES  bytes of a beat: 64 or 128
//   END_0       byte of the frame where its headers end in place 0, and so on; 14 is a frame without a tag
//   END_1
//   END_2
//   END_3
// Latency: combinational
// Source: IEEE 802.1Q-2022; RFC 3032; RFC 8200
`default_nettype none

module bloomlane_place #(
    parameter DATA_BYTES = 64,
    parameter END_0      = 14,
    parameter END_1      = 18,
    parameter END_2      = 22,
    parameter END_3      = 54
) (
    input  wire [8*DATA_BYTES-1:0] data, // a frame's first beat; byte n is data[8n +: 8]
    output wire [2:0]              place
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(DATA_BYTES == 64 || DATA_BYTES == 128)) begin : refused_DATA_BYTES
            DATA_BYTES_must_be_64_or_128 refused ();
        end
        if (!(END_0 >= 14 && END_0 < 4096)) begin : refused_END_0
            END_0_must_be_14_to_4095 refused ();
        end
        if (!(END_1 >= 14 && END_1 < 4096)) begin : refused_END_1
            END_1_must_be_14_to_4095 refused ();
        end
        if (!(END_2 >= 14 && END_2 < 4096)) begin : refused_END_2
            END_2_must_be_14_to_4095 refused ();
        end
        if (!(END_3 >= 14 && END_3 < 4096)) begin : refused_END_3
            END_3_must_be_14_to_4095 refused ();
        end
    endgenerate

    localparam [31:0] FIRST = END_0, SECOND = END_1, THIRD = END_2, FOURTH = END_3;

    // Words of four bytes ahead of the network's header: tags and labels. Each kind of word n is looked for
    // wherever it could be, and then chosen by how many there are.
    wire [2:0] is_tag;   // a type at byte 12 + 4n
    wire [3:0] is_label; // the same, of MPLS
    wire [3:0] is_ipv6;
    wire [4:0] bottom;   // the word at byte 14 + 4n is the last label
    wire [4:0] six;      // the header at byte 14 + 4n has version 6

    genvar n;
    generate
        for (n = 0; n < 5; n = n + 1) begin : word
            wire [15:0] ether_type = {data[8*(12+4*n) +: 8], data[8*(13+4*n) +: 8]};
            if (n < 3) begin : tag
                assign is_tag[n] = ether_type == 16'h8100 || ether_type == 16'h88a8 || ether_type == 16'h9100 ||
                                   ether_type == 16'h9200;
            end
            if (n < 4) begin : network
                assign is_label[n] = ether_type == 16'h8847 || ether_type == 16'h8848;
                assign is_ipv6[n]  = ether_type == 16'h86dd;
            end else begin : network
                wire unused = &{1'b0, ether_type};
            end
            assign bottom[n] = data[8*(16+4*n)];
            assign six[n]    = data[8*(14+4*n)+4 +: 4] == 4'd6;
        end
    endgenerate

    wire [1:0] tags   = !is_tag[0] ? 2'd0 : !is_tag[1] ? 2'd1 : !is_tag[2] ? 2'd2 : 2'd3; // 3: too many
    wire       mpls   = is_label[tags];
    wire [2:0] first  = {1'b0, tags}; // label
    wire [2:0] labels = !mpls ? 3'd0 : bottom[first] ? 3'd1 : 3'd2;
    wire       deeper = mpls && !bottom[first] && !bottom[first + 3'd1];
    wire [2:0] words  = first + labels;
    wire       ipv6   = mpls ? six[words] : is_ipv6[tags];

    // IPv6 at byte 14 + 4 * words.
    reg  [7:0] next_header;
    reg  [7:0] length;
    integer i;
    always @* begin
        next_header = 8'd0;
        length      = 8'd0;
        for (i = 0; i < 5; i = i + 1)
            if (words == i[2:0]) begin
                next_header = data[8*(20+4*i) +: 8];
                length      = 55 + 4*i < DATA_BYTES ? data[8*((55+4*i)%DATA_BYTES) +: 8] : 8'd0;
            end
    end

    wire        extended = ipv6 && (next_header == 8'd0 || next_header == 8'd43 || next_header == 8'd60);
    wire        beyond   = extended && DATA_BYTES == 64 && words > 3'd2; // its length is in the next beat
    wire        known    = tags != 2'd3 && !deeper && !beyond;
    wire [11:0] ends     = 12'd14 + {7'd0, words, 2'd0} + (ipv6 ? 12'd40 : 12'd0) +
                           (extended ? {1'b0, length, 3'd0} + 12'd8 : 12'd0);

    assign place = !known ? 3'd4 : ends == FIRST[11:0] ? 3'd0 : ends == SECOND[11:0] ? 3'd1 :
                   ends == THIRD[11:0] ? 3'd2 : ends == FOURTH[11:0] ? 3'd3 : 3'd4;

    wire unused = &{1'b0, data, FIRST, SECOND, THIRD, FOURTH};
endmodule

`default_nettype wire
