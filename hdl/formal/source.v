// bloomlane_source answers once for each frame, three clocks behind its second beat or its only one, with the
// source that a walk over the frame's header finds, from its first byte on. Unbounded, by induction: any frames,
// with gaps, and resets at any time.
module source #(parameter DATA_BYTES = 64) (
    input clk, rst, in_valid, in_last, input [DATA_BYTES-1:0] in_keep, input [8*DATA_BYTES-1:0] in_data
);
    wire         out_valid, out_ipv4, out_ipv6;
    wire [127:0] out_source;

    bloomlane_source #(.DATA_BYTES(DATA_BYTES)) dut (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_last(in_last), .in_keep(in_keep), .in_data(in_data),
        .out_valid(out_valid), .out_ipv4(out_ipv4), .out_ipv6(out_ipv6), .out_source(out_source)
    );

    (* hierconn *) wire         \dut.inside_reg , \dut.second_reg ;
    (* hierconn *) wire [4:0]   \dut.ipv4_reg , \dut.ipv6_reg ;
    (* hierconn *) wire [4:3]   \dut.split_reg ;
    (* hierconn *) wire [255:0] \dut.window_reg ;

    // ---- the model: a frame's first two beats, and the walk

    reg                      started = 0, inside, second;
    reg [8*DATA_BYTES-1:0]   first_data;
    reg [DATA_BYTES-1:0]     first_keep;
    reg [2*DATA_BYTES-1:0]   keep; // of both
    reg [3:1]                answers; // in 1 to 3 clocks
    reg [129:0]              answer_1, answer_2, answer_3;

    wire begins = in_valid && !inside;
    wire ends   = begins && in_last || in_valid && second;
    wire [8*DATA_BYTES-1:0] data = begins ? in_data : first_data;

    reg        ipv4, ipv6, six; // six: but for the bytes that there are
    reg [7:0]  at; // of the network's header
    reg [15:0] ether_type;
    reg [127:0] address;
    integer    i;
    always @* begin
        keep       = begins ? {{DATA_BYTES{1'b0}}, in_keep} : {in_keep, first_keep};
        at         = 14;
        ether_type = {data[8*12 +: 8], data[8*13 +: 8]};
`ifdef BUG_TAGS // three tags at most
        for (i = 0; i < 3; i = i + 1)
`else
        for (i = 0; i < 4; i = i + 1)
`endif
            if (at == 14 + 4*i && (ether_type == 16'h8100 || ether_type == 16'h88a8 || ether_type == 16'h9100 ||
                                   ether_type == 16'h9200)) begin
                at         = at + 4;
                ether_type = {data[8*(16+4*i) +: 8], data[8*(17+4*i) +: 8]};
            end
        ipv4 = 0;
        ipv6 = 0;
        six  = 0;
        address = 0;
        for (i = 0; i < 5; i = i + 1)
            if (at == 14 + 4*i) begin
                ipv4 = ether_type == 16'h0800 && data[8*(14+4*i)+4 +: 4] == 4 && data[8*(14+4*i) +: 4] >= 5 &&
                       keep[33+4*i];
                six  = ether_type == 16'h86dd && data[8*(14+4*i)+4 +: 4] == 6;
`ifdef BUG_SPLIT // what the second beat has is not seen
                ipv6 = six && 53 + 4*i < DATA_BYTES && keep[53+4*i];
`else
                ipv6 = six && keep[53+4*i];
`endif
                address = ipv4 ? {data[8*(26+4*i) +: 8], data[8*(27+4*i) +: 8], data[8*(28+4*i) +: 8],
                                  data[8*(29+4*i) +: 8], 96'd0} :
                          ipv6 ? {data[8*(22+4*i) +: 8], data[8*(23+4*i) +: 8], data[8*(24+4*i) +: 8],
                                  data[8*(25+4*i) +: 8], data[8*(26+4*i) +: 8], data[8*(27+4*i) +: 8],
                                  data[8*(28+4*i) +: 8], data[8*(29+4*i) +: 8], data[8*(30+4*i) +: 8],
                                  data[8*(31+4*i) +: 8], data[8*(32+4*i) +: 8], data[8*(33+4*i) +: 8],
                                  data[8*(34+4*i) +: 8], data[8*(35+4*i) +: 8], data[8*(36+4*i) +: 8],
                                  data[8*(37+4*i) +: 8]} : 128'd0;
            end
    end

    always @(posedge clk) begin
        started <= 1;
        if (in_valid) begin
            inside <= !in_last;
            second <= !inside && !in_last;
        end
        if (begins) {first_data, first_keep} <= {in_data, in_keep};
        answers  <= {answers, ends};
        answer_1 <= {ipv4, ipv6, address};
        {answer_3, answer_2} <= {answer_2, answer_1};
        if (rst) begin
            inside  <= 0;
            second  <= 0;
            answers <= 0;
        end
    end

    always @* begin
        if (!started) assume (rst);
        if (started) begin
            assert (inside == \dut.inside_reg && second == \dut.second_reg );
            assert (!second || inside);
            if (second) begin
                assert (\dut.window_reg == first_data[8*22 +: 256]);
                for (i = 0; i < 5; i = i + 1) begin
                    assert (\dut.ipv4_reg [i] == (ipv4 && at == 14 + 4*i));
                    if (i < 3) assert (\dut.ipv6_reg [i] == (six && at == 14 + 4*i && first_keep[53+4*i]));
                    else begin
                        assert (!\dut.ipv6_reg [i]);
                        assert (\dut.split_reg [i] == (six && at == 14 + 4*i));
                    end
                end
            end
            assert (out_valid == answers[3]);
            if (out_valid) assert ({out_ipv4, out_ipv6, out_source} == answer_3);
        end
    end
endmodule
