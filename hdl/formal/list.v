// bloomlane_list answers each frame's question 26 clocks later, by the table's answer to the hash of its own source,
// and each of the host's operations with its own result. Any one question is followed, of a frame or of the host:
//
//   - both hashes get its own address: 16 bytes at once, the first 4 of them 4 clocks later, so that both hashes
//     come in the same clock; the table gets the index and the positions of the one of its version, with the
//     operation: a query for a frame with a source, none for one without, the host's for the host's;
//   - what the table answers is a verdict for a frame, and a result for the host, never the other;
//   - no operation of the table's port takes a frame's clock, and no question is lost or made up.
//
// Unbounded, by induction, with resets at any time. The hash, the product and the table are what their own proofs
// say of them, and are else of any behaviour: hashes come 14 and 10 clocks behind their addresses (siphash.v), the
// product 6 (spread.v), and a result 5 clocks behind its operation (table_sequence.v).
`include "bloomlane_params.vh"
`include "bloomlane_map.vh"

module bloomlane_siphash #(parameter FIELD_BYTES = 13, parameter COMPRESSION = 1, parameter FINALIZATION = 3) (
    input clk, advance, key_write, input [1:0] key_word, input [31:0] key_data, input [8*FIELD_BYTES-1:0] field,
    output [63:0] hash
);
    (* anyseq *) reg [63:0] any_hash;
    assign hash = any_hash;
    wire [8*FIELD_BYTES-1:0] seen = field;
endmodule

module bloomlane_spread #(parameter DSP = 0) (input clk, advance, input [63:0] h, output [63:0] g);
    (* anyseq *) reg [63:0] any_product;
    assign g = any_product;
    wire [63:0] seen = h;
endmodule

module bloomlane_table_core #(
    parameter W = 32, parameter LOG2_BLOCKS = 8, parameter READ_STAGES = 1, parameter PARITY = 0, parameter MERGE = 0
) (
    input clk, rst, in_valid, input [1:0] in_op, input [LOG2_BLOCKS-1:0] in_index,
    input [`BLOOMLANE_DATA_LANES*$clog2(W)-1:0] in_positions, input in_merge, input [`BLOOMLANE_LANES*W-1:0] merge_block,
    output ready, out_valid, out_flipped, output [1:0] out_result, output [`BLOOMLANE_LANES*W-1:0] next_block
);
    (* anyseq *) reg       any_ready, any_valid;
    (* anyseq *) reg [1:0] any_result;
    assign {ready, out_valid, out_result} = {any_ready, any_valid, any_result};
    assign {out_flipped, next_block} = 0;
    wire [LOG2_BLOCKS+`BLOOMLANE_DATA_LANES*$clog2(W)+3:0] seen = {in_valid, in_merge, in_op, in_index, in_positions};
endmodule

module bloomlane_table_port #(parameter W = 32, parameter LOG2_BLOCKS = 8, parameter BANKS = 1, parameter LATENCY = 5) (
    input clk, rst, bus_valid, bus_write, input [15:0] bus_address, input [3:0] bus_strobe, input [31:0] bus_data,
    output bus_ready, output [31:0] bus_answer, output bus_error, bank, mirror, output [BANKS-1:0] clear,
    input [BANKS-1:0] clean, input ready, output stall, input [BANKS-1:0] flipped,
    output turn_valid, turn_bank, turn_merge, output [LOG2_BLOCKS-1:0] turn_index,
    output [`BLOOMLANE_LANES*W-1:0] turn_block, input turn_taken, input [`BLOOMLANE_LANES*W-1:0] next_block
);
    (* anyseq *) reg                                          any_turn, any_merge;
    (* anyseq *) reg [LOG2_BLOCKS-1:0] any_index;
    assign {turn_valid, turn_merge, turn_index} = {any_turn, any_merge, any_index};
    assign {bus_ready, bus_answer, bus_error, bank, mirror, clear, stall, turn_bank, turn_block} = 0;
    wire taken = turn_taken;
endmodule

module list #(parameter LOG2_BLOCKS = 4) (
    input clk, rst, in_valid, in_ipv4, in_ipv6, input [127:0] in_source,
    input list_valid, bus_write, input [15:0] bus_address, input [3:0] bus_strobe, input [31:0] bus_data
);
    localparam KEY   = `BLOOMLANE_DATA_LANES * 6;
    localparam HASH  = 1 + 14;   // clocks from a question to its hash
    localparam TABLE = HASH + 6; // … to the table
    localparam LAST  = TABLE + 5;

    wire        out_valid, out_listed, list_ready, list_error, waits;
    wire [31:0] list_answer;
    bloomlane_list #(.LOG2_BLOCKS(LOG2_BLOCKS)) dut (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_ipv4(in_ipv4), .in_ipv6(in_ipv6), .in_source(in_source),
        .waits(waits), .out_valid(out_valid), .out_listed(out_listed), .list_valid(list_valid), .table_valid(1'b0),
        .bus_write(bus_write), .bus_address(bus_address), .bus_strobe(bus_strobe), .bus_data(bus_data),
        .list_ready(list_ready), .list_answer(list_answer), .list_error(list_error)
    );

    // The list's own wires: flatten connects a wire of this attribute to the one of its name.
    (* hierconn *) wire \dut.writes , \dut.operates , \dut.host_turn , \dut.host_asks_reg , \dut.host_waits_reg ;
    (* hierconn *) wire [2:0] \dut.host_what_reg ;
    (* hierconn *) wire [1:0] \dut.host_result_reg , \dut.ask_op_reg ;
    (* hierconn *) wire [127:0] \dut.host_address_reg , \dut.ask_address_reg , \dut.siphash_16.seen ;
    (* hierconn *) wire [31:0] \dut.siphash_4.seen ;
    (* hierconn *) wire [127:0] \dut.short_reg ;
    (* hierconn *) wire \dut.ask_valid_reg , \dut.ask_host_reg , \dut.ask_ipv6_reg , \dut.done ;
    (* hierconn *) wire [13:0] \dut.ipv6_reg ;
    (* hierconn *) wire [19:0] \dut.valid_reg , \dut.host_reg ;
    (* hierconn *) wire [39:0] \dut.op_reg ;
    (* hierconn *) wire [6*LOG2_BLOCKS-1:0] \dut.index_reg ;
    (* hierconn *) wire [4:0] \dut.frame_reg , \dut.done_reg ;
    (* hierconn *) wire [63:0] \dut.siphash_4.any_hash , \dut.siphash_16.any_hash , \dut.spread.any_product , \dut.spread.seen ;
    (* hierconn *) wire [LOG2_BLOCKS+KEY+3:0] \dut.core.seen ;
    (* hierconn *) wire \dut.core.any_valid , \dut.core.any_ready , \dut.port.taken ;
    (* hierconn *) wire [1:0] \dut.core.any_result ;

    // ---- the questions of frames and of the host, and the one that is followed

    (* anyseq *)   reg        mark;
    (* anyconst *) reg [63:0] hash_4, hash_16, product; // of the followed question
    wire [63:0]    hash;
    wire [KEY-1:0] positions;
    bloomlane_positions #(.W(64)) of_product (.g(product), .positions(positions));

    reg           started = 0;
    reg [LAST:1]  frame, host; // bit k: a question came k clocks before
    reg [4:0]     age;         // of the followed one, 0 for none
    reg           my_host, my_ipv6;
    reg [1:0]     my_op;
    reg [2:0]     what;        // the host has asked with its request, whatever the bus has behind it
    reg [127:0]   my_address;
    reg [1:0]     my_result;
    reg           answered;    // a clock ago
    wire          host_turn = \dut.host_turn ;
    wire          marks     = mark && (age == 0 || age == LAST) && (in_valid || host_turn);
    integer       k;
    assign        hash = my_ipv6 ? hash_16 : hash_4;

    always @(posedge clk) begin
        started  <= 1;
        if (list_valid && \dut.operates ) what <= bus_data;
        frame    <= {frame, in_valid};
        host     <= {host, host_turn};
        age      <= marks ? 5'd1 : age == LAST || age == 0 ? 5'd0 : age + 5'd1;
        if (marks) begin
            my_host    <= !in_valid;
            my_address <= in_valid ? in_source : \dut.host_address_reg ;
`ifdef BUG_VERSION // a frame of IPv6 is looked up as one of IPv4
            my_ipv6    <= !in_valid && what[2];
`else
            my_ipv6    <= in_valid ? in_ipv6 : what[2];
`endif
            my_op      <= !in_valid ? what[1:0] : in_ipv4 || in_ipv6 ? `BLOOMLANE_QUERY : `BLOOMLANE_PASS;
        end
        answered  <= age == LAST && my_host;
        my_result <= \dut.core.any_result ;
        if (rst) {frame, host, age, answered} <= 0;
    end

    always @* begin
        if (!started) assume (rst);
        if (started && age == HASH) assume ({\dut.siphash_4.any_hash , \dut.siphash_16.any_hash } == {hash_4, hash_16});
        if (started && age == TABLE) assume (\dut.spread.any_product == product);
        if (started && age == LAST) assume (my_op != `BLOOMLANE_PASS || \dut.core.any_result == `BLOOMLANE_ABSENT);
    end

    always @* if (started) begin
        // No question is lost or made up.
        assert (age <= LAST);
        for (k = 1; k <= LAST; k = k + 1)
            if (age == k) assert (my_host ? host[k] : frame[k]);
        assert (!(frame & host));
        assert ({\dut.valid_reg , \dut.ask_valid_reg } == (frame[TABLE:1] | host[TABLE:1]));
        if (frame[1] || host[1]) assert (\dut.ask_host_reg == host[1]);
        for (k = 2; k <= TABLE; k = k + 1)
            if (frame[k] || host[k]) assert (\dut.host_reg [k-2] == host[k]);
        assert (\dut.frame_reg == frame[LAST:TABLE+1] && \dut.done_reg == host[LAST:TABLE+1]);
        assert (\dut.core.seen [LOG2_BLOCKS+KEY+3] == (frame[TABLE] || host[TABLE] || \dut.port.taken ));
        if (frame[TABLE] || host[TABLE]) assert (!\dut.port.taken );

        // The way of the followed one.
        if (age == 1) begin
            assert (\dut.siphash_16.seen == my_address);
            assert (\dut.ask_ipv6_reg == my_ipv6 && \dut.ask_op_reg == my_op);
        end
        for (k = 2; k <= 5; k = k + 1)
            if (age == k) assert (\dut.short_reg [32*(k-2) +: 32] == my_address[127:96]);
        if (age == 5) assert (\dut.siphash_4.seen == my_address[127:96]);
        for (k = 2; k <= HASH; k = k + 1)
            if (age == k) assert (\dut.ipv6_reg [k-2] == my_ipv6);
        for (k = 2; k <= TABLE; k = k + 1)
            if (age == k) assert (\dut.op_reg [2*(k-2) +: 2] == my_op);
        if (age == HASH) assert (\dut.spread.seen == hash);
        for (k = HASH + 1; k <= TABLE; k = k + 1)
            if (age == k) assert (\dut.index_reg [LOG2_BLOCKS*(k-HASH-1) +: LOG2_BLOCKS] == hash[63 -: LOG2_BLOCKS]);
        if (age == TABLE) assert (\dut.core.seen == {2'b10, my_op, hash[63 -: LOG2_BLOCKS], positions});

        // The answers.
`ifdef BUG_LATENCY // it takes a clock less
        assert (out_valid == frame[LAST-1]);
`else
        assert (out_valid == frame[LAST]);
`endif
        if (age == LAST && !my_host)
            assert (out_listed == (\dut.core.any_valid && \dut.core.any_result != `BLOOMLANE_ABSENT));
        if (age == LAST && my_op == `BLOOMLANE_PASS) assert (!out_listed);
        if (age == LAST && my_host) assert (!out_valid && \dut.done && \dut.host_waits_reg );
        if (answered) assert (list_ready && \dut.host_result_reg == my_result && !\dut.host_waits_reg );

        // The host has one question at a time, writes nothing in a reset, and asks for no clock that it cannot use.
        assert (!waits || \dut.core.any_ready );
        assert (!rst || !\dut.writes );
        assert (!(host & (host - 1'b1)));
        assert (\dut.host_waits_reg == (\dut.host_asks_reg || |host));
        if (|host) assert (!\dut.host_asks_reg );
        if (\dut.host_asks_reg ) assert (\dut.host_what_reg == what);
    end
endmodule
