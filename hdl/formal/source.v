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

    localparam BYTES  = DATA_BYTES < 64 ? 128 : DATA_BYTES; // of a beat that is parsed
    localparam BEATS  = DATA_BYTES < 64 ? (70 + DATA_BYTES - 1) / DATA_BYTES : 2;
    localparam ALL    = BEATS * DATA_BYTES;
    localparam SHORT  = DATA_BYTES < 64;
    localparam SIZE   = SHORT ? ALL : DATA_BYTES;
    localparam CLOCKS = SHORT ? 4 : 3;

    (* hierconn *) wire         \dut.inside_reg , \dut.second_reg , \dut.gathered.whole_reg ;
    (* hierconn *) wire [4:0]   \dut.ipv4_reg , \dut.ipv6_reg ;
    (* hierconn *) wire [4:3]   \dut.split_reg ;
    (* hierconn *) wire [255:0] \dut.window_reg ;
    (* hierconn *) wire [3:0]   \dut.gathered.beat_reg ;
    (* hierconn *) wire [ALL-1:0] \dut.gathered.keep_reg ;
    (* hierconn *) wire [8*ALL-1:0] \dut.gathered.data_reg ;

    // ---- the model: a frame's first two beats, and the walk

    reg                      started = 0, inside, second;
    reg [8*SIZE-1:0]         first_data;
    reg [SIZE-1:0]           first_keep;
    reg [2*SIZE-1:0]         keep; // of both
    reg [CLOCKS:1]           answers; // in 1 clock or more
    reg [130*CLOCKS-1:0]     answer;
    reg [3:0]                n;       // short beats of the header that came
    reg [8*SIZE-1:0]         now_data;
    reg [SIZE-1:0]           now_keep;

    wire begins = in_valid && !inside;
    wire ends   = SHORT ? in_valid && n < BEATS && (in_last || n == BEATS - 1) : begins && in_last || in_valid && second;
    wire [8*SIZE-1:0] data = SHORT ? now_data : begins ? in_data : first_data;

    always @* begin
        now_data = first_data;
        now_keep = n == 0 ? 0 : first_keep;
        if (SHORT && in_valid && n < BEATS) begin
            now_data[8*DATA_BYTES*n +: 8*DATA_BYTES] = in_data;
            now_keep[DATA_BYTES*n +: DATA_BYTES]     = in_keep;
        end
    end

    reg        ipv4, ipv6, six; // six: but for the bytes that there are
    reg [7:0]  at; // of the network's header
    reg [15:0] ether_type;
    reg [127:0] address;
    integer    i;
    always @* begin
        keep       = SHORT ? now_keep : begins ? in_keep : {in_keep, first_keep[DATA_BYTES-1:0]};
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
        if (begins || SHORT) begin
            first_data <= SHORT ? now_data : in_data;
            first_keep <= SHORT ? (in_valid && n < BEATS ? now_keep : first_keep) : in_keep;
        end
        if (in_valid) n <= in_last ? 0 : n + (n < BEATS);
        answers  <= {answers, ends};
        answer   <= {answer, {ipv4, ipv6, address}};
        if (rst) begin
            inside  <= 0;
            second  <= 0;
            answers <= 0;
            n       <= 0;
        end
    end

    always @* begin
        if (!started) assume (rst);
        if (started) begin
            if (SHORT) begin
                assert (!\dut.inside_reg && !\dut.second_reg && \dut.gathered.beat_reg == n && n <= BEATS);
                assert (\dut.gathered.whole_reg == answers[1]);
                if (n != 0 || answers[1]) assert (\dut.gathered.keep_reg == first_keep);
                for (i = 1; i < BEATS; i = i + 1)
                    if (n != 0 && i >= n) assert (first_keep[DATA_BYTES*i +: DATA_BYTES] == 0);
                for (i = 0; i < BEATS; i = i + 1)
                    if (i < n || answers[1] && first_keep[DATA_BYTES*i +: DATA_BYTES] != 0)
                        assert (\dut.gathered.data_reg [8*DATA_BYTES*i +: 8*DATA_BYTES] == first_data[8*DATA_BYTES*i +: 8*DATA_BYTES]);
            end else assert (inside == \dut.inside_reg && second == \dut.second_reg );
            assert (!second || inside);
            assert (out_valid == answers[CLOCKS]);
            if (out_valid) assert ({out_ipv4, out_ipv6, out_source} == answer[130*CLOCKS-1 -: 130]);
        end
    end

    generate
        if (!SHORT) begin : two_beats
            always @* if (started && second) begin
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
        end
    endgenerate

    // What may come: a history has each.
    always @* if (started) begin
        cover (begins && in_last);
        cover (begins && !in_last && in_keep[DATA_BYTES-1]);
        cover (begins && in_last && !in_keep[0]);
        cover (second && in_valid && in_last);
        cover (second && in_valid && !in_last);
        cover (in_valid && inside && !second);
        cover (second && !in_valid);
        cover (in_valid && rst);
        cover (inside && rst);
        cover (ends && answers[1]);
        cover (in_valid && n == BEATS || !SHORT);
        cover (out_valid && out_ipv4);
        cover (out_valid && out_ipv6);
        cover (out_valid && !out_ipv4 && !out_ipv6);
    end
endmodule
