// A master of AXI4-Lite at bloomlane_axil, and behind that bloomlane_control and two counters, for two clocks whose
// levels are inputs. What is committed is an output, as an in-line engine and a match engine would have it.
module control_tb #(parameter ASYNC = 1) (
    input              aclk, aresetn, bclk, rst,
    input              push_write, push_read,
    input      [15:0]  address,
    input      [31:0]  data,
    input      [3:0]   strobe,
    input      [4:0]   eager,      // the master offers an address, data, a read, takes a response, or what was read
    output reg         wrote, got, // in the last clock of AXI
    output reg [1:0]   status,
    output reg [31:0]  answer,
    output     [383:0] state,
    output reg [63:0]  key         // an XOR of its words, each at its place
);
    localparam PORTS = 3;

    reg [51:0] writes [0:15];
    reg [15:0] reads [0:15];
    reg [3:0]  write_in, write_out, read_in, read_out;
    reg        awvalid, wvalid, arvalid;
    wire       awready, wready, arready, bvalid, rvalid;
    wire [1:0] bresp, rresp;
    wire [31:0] rdata;
    wire       nclk = ASYNC ? bclk : aclk;
    wire       asks_write = write_in != write_out && !(awvalid && awready);
    wire       asks_read  = read_in != read_out && !(arvalid && arready);

    always @(posedge aclk) begin
        if (push_write) writes[write_in] <= {strobe, data, address};
        if (push_read) reads[read_in] <= address;
        write_in <= write_in + push_write;
        read_in  <= read_in + push_read;
        if (awvalid && awready) write_out <= write_out + 1;
        if (arvalid && arready) read_out <= read_out + 1;
        awvalid <= awvalid && !awready || asks_write && eager[0];
        wvalid  <= wvalid && !wready || asks_write && eager[1];
        arvalid <= arvalid && !arready || asks_read && eager[2];
        wrote   <= bvalid && eager[3];
        got     <= rvalid && eager[4];
        status  <= bvalid ? bresp : rresp;
        answer  <= rdata;
        if (!aresetn) {write_in, write_out, read_in, read_out, awvalid, wvalid, arvalid, wrote, got} <= 0;
    end

    wire        valid, write, ready, error;
    wire [15:0] at;
    wire [3:0]  strobes;
    wire [31:0] word, result;
    wire [1:0]  target_valid, target_ready, target_error;
    wire [63:0] target_answer;

    // What is not valid is anything else.
    wire [51:0] head = writes[write_out];
    bloomlane_axil #(.ASYNC(ASYNC)) axil (
        aclk, aresetn, head[15:0] ^ {16{!awvalid}}, awvalid, awready, head[47:16] ^ {32{!wvalid}}, head[51:48],
        wvalid, wready, bresp, bvalid, eager[3], reads[read_out] ^ {16{!arvalid}}, arvalid, arready, rdata, rresp, rvalid,
        eager[4], nclk, valid, write, at, strobes, word, ready, result, error
    );
    bloomlane_bus #(.TARGETS(2)) bus (valid, write, at, ready, result, error, target_valid, target_ready, target_answer, target_error);

    wire         program_valid, port_write, port_enable, bank, key_write;
    wire [1:0]   program_op, op, port_number;
    wire [255:0] program_mask;
    wire [2:0]   place;
    wire [8:0]   fill_limit;
    wire         port_table;
    wire [34:0]  port_key;
    wire [3:0]   key_word;
    wire [31:0]  key_data;

    bloomlane_control #(.W(32), .PORTS(PORTS), .POSITIONS(1), .LOG2_TABLES(0), .KEY_WORDS(4)) control (
        nclk, rst, target_valid[0], write, at, strobes, word, target_ready[0], target_answer[31:0], target_error[0],
        program_valid, program_op, program_mask, op, place, fill_limit, port_write, port_table, port_number, port_enable,
        port_key, bank, key_write, key_word, key_data
    );
    bloomlane_counters #(.COUNTERS(2), .ADD(1), .FIRST(-50)) counters (
        nclk, rst, {key_write, port_write}, target_valid[1], write, at, target_ready[1], target_answer[63:32], target_error[1]
    );

    reg [255:0] mask;
    reg [1:0]   operation;
    reg [35:0]  sets [0:7];
    integer     i;

    always @(posedge nclk) begin
        if (program_valid) {operation, mask} <= {program_op, program_mask};
        if (port_write) sets[{port_table, port_number}] <= port_enable ? {1'b1, port_key} : 36'd0;
        if (key_write) key <= key ^ ({32'd0, key_data} << key_word);
        if (rst) begin
            {operation, mask, key} <= {2'd3, 320'd0};
            for (i = 0; i < 8; i = i + 1) sets[i] <= 0;
        end
    end
    assign state = {operation, op, place, fill_limit, sets[{bank, 2'd2}], sets[{bank, 2'd1}], sets[{bank, 2'd0}], mask};
endmodule
