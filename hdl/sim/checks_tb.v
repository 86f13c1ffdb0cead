// Breaks one of the rules of the modules' inputs, for which the simulation stops if BLOOMLANE_CHECK is defined:
//
//   iverilog -g2001 -DBLOOMLANE_CHECK -I hdl/rtl -y hdl/rtl -o checks_tb hdl/sim/checks_tb.v
//   vvp -n checks_tb +breaks=1
//
// breaks is 1 for a word past a key's end, 2 for a port that there is not, 3 for a word that changes and 4 for one
// that is taken back before the queue of packets takes it, 5 and 6 for the same of the in-line engine's beats, 7 for
// holes in tkeep and 8 for a partial one in mid-packet, 9 for a request of the register bus that is taken back, 10 for one of
// AXI4-Lite, and 11 and 12 for the same of a frame's in_keep as of tkeep. With 0 none is broken: prints PASS.
`default_nettype none

module checks_tb;
    reg         clk, rst, valid;
    reg  [7:0]  data, beat_data;
    reg         beat_offered;
    wire        ready, beat_ready;
    integer     breaks, i;

    wire [63:0] hash;
    wire        packet_valid, packet_last, lost, match_valid, overfull;
    wire [7:0]  packet;
    wire [2:0]  ports;
    wire        beat_valid, beat_last, id, dest;
    wire [63:0] beat;
    wire [7:0]  keep;
    wire [5:0]  user;

    bloomlane_toeplitz #(.FIELD_BYTES(4)) toeplitz ( // its key has three words
        .clk(clk), .advance(1'b1), .key_write(valid), .key_word(breaks == 1 ? 2'd3 : 2'd2), .key_data(32'd0),
        .field(32'd0), .hash(hash)
    );

    bloomlane_match #(.PORTS(3)) match (
        .clk(clk), .rst(rst), .write(valid), .write_table(1'b0), .write_port(breaks == 2 ? 2'd3 : 2'd2),
        .write_enable(1'b1), .write_key(35'd0), .fill_limit(9'd256), .in_valid(1'b0), .in_table(1'b0), .in_header(256'd0),
        .out_valid(match_valid), .out_ports(ports), .out_overfull(overfull)
    );

    bloomlane_packet_fifo #(.LOG2_DEPTH(2)) packets ( // whose receiver takes nothing
        .clk(clk), .rst(rst), .in_valid(valid), .in_ready(ready), .in_last(1'b1), .in_drop(1'b0), .in_data(data),
        .out_valid(packet_valid), .out_ready(1'b0), .out_last(packet_last), .out_data(packet), .lost(lost)
    );

    bloomlane_inline #(.DATA_BYTES(8)) engine ( // the same
        .clk(clk), .rst(rst), .s_axis_tdata({56'd0, beat_data}), .s_axis_tkeep(breaks == 7 ? 8'h05 : breaks == 8 ? 8'h07 : 8'hff),
        .s_axis_tvalid(beat_offered), .s_axis_tready(beat_ready), .s_axis_tlast(breaks != 8), .s_axis_tid(1'b0),
        .s_axis_tdest(1'b0), .s_axis_tuser(39'd0), .m_axis_tdata(beat), .m_axis_tkeep(keep), .m_axis_tvalid(beat_valid),
        .m_axis_tready(1'b0), .m_axis_tlast(beat_last), .m_axis_tid(id), .m_axis_tdest(dest), .m_axis_tuser(user),
        .program_valid(1'b0), .program_op(2'd0), .program_mask(256'd0), .fill_limit(9'd256)
    );

    wire         bus_ready, bus_error, bank, mirror, clear, stall, turn_valid, turn_bank, turn_merge;
    wire [31:0]  bus_answer;
    wire [7:0]   turn_index;
    wire [255:0] turn_block;

    bloomlane_table_port port ( // whose table never takes its operation
        .clk(clk), .rst(rst), .bus_valid(!rst && !(breaks == 9 && i == 90)), .bus_write(1'b0), .bus_address(16'h0040),
        .bus_strobe(4'b0000), .bus_data(32'd0), .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error),
        .bank(bank), .mirror(mirror), .clear(clear), .clean(1'b1), .ready(1'b1), .stall(stall), .flipped(1'b0),
        .turn_valid(turn_valid), .turn_bank(turn_bank), .turn_merge(turn_merge), .turn_index(turn_index),
        .turn_block(turn_block), .turn_taken(1'b0), .next_block(256'd0)
    );

    wire        awready, wready, arready, bvalid, rvalid, request, writes;
    wire [1:0]  bresp, rresp;
    wire [3:0]  strobes;
    wire [15:0] address;
    wire [31:0] rdata, word;

    bloomlane_axil axil ( // whose write waits for its data
        .s_axi_aclk(clk), .s_axi_aresetn(!rst), .s_axi_awaddr(16'd0), .s_axi_awvalid(!rst && !(breaks == 10 && i == 90)),
        .s_axi_awready(awready), .s_axi_wdata(32'd0), .s_axi_wstrb(4'd15), .s_axi_wvalid(1'b0), .s_axi_wready(wready),
        .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(1'b1), .s_axi_araddr(16'd0), .s_axi_arvalid(1'b0),
        .s_axi_arready(arready), .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rvalid(rvalid), .s_axi_rready(1'b1),
        .clk(clk), .bus_valid(request), .bus_write(writes), .bus_address(address), .bus_strobe(strobes), .bus_data(word),
        .bus_ready(1'b1), .bus_answer(32'd0), .bus_error(1'b0)
    );

    wire         source_valid, ipv4, ipv6;
    wire [127:0] source;

    bloomlane_source parser (
        .clk(clk), .rst(rst), .in_valid(valid), .in_last(breaks != 12),
        .in_keep(breaks == 11 ? 64'h5 : breaks == 12 ? 64'h7 : 64'h3fff), .in_data(512'd0),
        .out_valid(source_valid), .out_ipv4(ipv4), .out_ipv6(ipv6), .out_source(source)
    );

    always #5 clk = !clk;

    initial begin
        if (!$value$plusargs("breaks=%d", breaks)) breaks = 0;
        clk = 0; rst = 1; valid = 0; data = 0; beat_offered = 0; beat_data = 0;
        repeat (4) @(negedge clk);
        rst = 0;
        @(negedge clk);
        for (i = 0; i < 100; i = i + 1) begin
            valid        = breaks != 4 || i != 90;
            data         = ready || breaks == 3 ? i : data;
            beat_offered = breaks != 6 || i != 90;
            beat_data    = beat_ready || breaks == 5 ? i : beat_data;
            @(negedge clk);
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
