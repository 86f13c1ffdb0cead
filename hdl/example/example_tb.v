// Runs both examples on packets of one beat, back to back, and prints what becomes of each.
//
// +writes=FILE and +packets=FILE are in the format of $readmemh. A write is 16 digits: table (2),
// link (2), enable (1), positions (11); link ff is the service. A packet is its 64 bytes, the last one
// first. Prints a line a packet: links, serve, the packet that comes out.
//
// Parameters
//   WRITES, PACKETS  lines of the files
`default_nettype none

module example_tb;
    parameter WRITES  = 1;
    parameter PACKETS = 1;
    localparam TABLES = 8;
    localparam LINKS  = 4;

    reg [63:0]       writes  [0:WRITES-1];
    reg [511:0]      packets [0:PACKETS-1];
    reg [LINKS-1:0]  links   [0:PACKETS-1];
    reg [8*256-1:0]  file;
    reg [63:0]       word;
    reg [511:0]      beat;
    reg              clk, rst, write, valid;
    integer          i, named, served;

    wire             ready, out_valid, out_last, user, serve, node_valid, overfull;
    wire [511:0]     out_data;
    wire [63:0]      out_keep;
    wire [LINKS-1:0] node_links;
    wire             to_service = word[55:48] == 8'hff;

    example_service #(.TABLES(TABLES)) service (
        .clk(clk), .rst(rst),
        .write(write && to_service), .write_table(word[58:56]), .write_positions(word[34:0]), .fill_limit(9'd256),
        .s_axis_tdata(beat), .s_axis_tkeep({64{1'b1}}), .s_axis_tvalid(valid), .s_axis_tready(ready), .s_axis_tlast(1'b1),
        .s_axis_tuser(beat[0]),
        .m_axis_tdata(out_data), .m_axis_tkeep(out_keep), .m_axis_tvalid(out_valid), .m_axis_tready(1'b1),
        .m_axis_tlast(out_last), .m_axis_tuser(user), .m_axis_serve(serve)
    );

    example_node #(.TABLES(TABLES), .LINKS(LINKS)) node (
        .clk(clk), .rst(rst),
        .write(write && !to_service), .write_table(word[58:56]), .write_link(word[49:48]), .write_enable(word[44]),
        .write_positions(word[34:0]), .fill_limit(9'd256),
        .in_valid(valid && ready), .in_data(beat),
        .out_valid(node_valid), .out_links(node_links), .out_overfull(overfull)
    );

    always #5 clk = !clk;

    // The node is the faster of the two, so a packet's links are known when it comes out.
    always @(posedge clk) begin
        if (node_valid) begin
            links[named] <= node_links;
            named        <= named + 1;
        end
        if (out_valid) begin
            $display("%b %b %h", links[served], serve, out_data);
            if (user !== out_data[0])
                $display("packet %0d: m_axis_tuser is %b", served, user);
            served <= served + 1;
        end
    end

    initial begin
        if (!$value$plusargs("writes=%s", file)) $finish;
        $readmemh(file, writes);
        if (!$value$plusargs("packets=%s", file)) $finish;
        $readmemh(file, packets);
        clk = 0; rst = 1; write = 0; valid = 0; word = 0; beat = 0; named = 0; served = 0;
        repeat (4) @(negedge clk);
        rst = 0;
        for (i = 0; i < WRITES; i = i + 1) begin
            word = writes[i]; write = 1;
            @(negedge clk);
        end
        write = 0;
        for (i = 0; i < PACKETS; i = i + 1) begin
            beat = packets[i]; valid = 1;
            while (!ready) @(negedge clk);
            @(negedge clk);
        end
        valid = 0;
        repeat (40) @(negedge clk);
        $finish;
    end
endmodule

`default_nettype wire
