// A master of AXI4-Lite at bloomlane_axil, and behind that bloomlane_control, two counters and a target that answers late,
// for two clocks whose levels are inputs. What is committed is an output, as an in-line engine and a match engine would have
// it.
module control_tb #(parameter ASYNC = 1, parameter LOG2_TABLES = 1) (
    input             aclk, aresetn, bclk, rst,
    input             push_write, push_read,
    input      [15:0] address,
    input      [31:0] data,
    input      [3:0]  strobe,
    input      [4:0]  eager,      // the master offers an address, data, a read, takes a response, or what was read
    output     [1:0]  takes,      // a write, a read, in the last clock of AXI
    output reg        wrote, got, // likewise
    output reg [1:0]  status,
    output reg [31:0] answer,
    output reg        unfair,     // two of a kind were taken while one of the other waited
    output reg        ran,        // a request, in the last clock of the register bus
    output     [64*((3<<LOG2_TABLES)+5)-1:0] state,
    output reg [63:0] key         // an XOR of its words, each at its place; as a table's it has no reset
);
    localparam PORTS = 3;

    reg [51:0]  writes [0:127];
    reg [15:0]  reads [0:127];
    reg [6:0]   write_in, address_out, data_out, read_in, read_out;
    reg         awvalid, wvalid, arvalid;
    reg [1:0]   reads_ahead, writes_ahead;
    wire        awready, wready, arready, bvalid, rvalid;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata;
    wire        nclk = ASYNC ? bclk : aclk;
    wire        both = awvalid && wvalid;

    always @(posedge aclk) begin
        if (push_write) writes[write_in] <= {strobe, data, address};
        if (push_read) reads[read_in] <= address;
        write_in    <= write_in + push_write;
        read_in     <= read_in + push_read;
        address_out <= address_out + (awvalid && awready);
        data_out    <= data_out + (wvalid && wready);
        read_out    <= read_out + (arvalid && arready);
        awvalid <= awvalid ? !awready : write_in != address_out && eager[0];
        wvalid  <= wvalid ? !wready : write_in != data_out && eager[1];
        arvalid <= arvalid ? !arready : read_in != read_out && eager[2];
        wrote   <= bvalid && eager[3];
        got     <= rvalid && eager[4];
        status  <= bvalid ? bresp : rresp;
        answer  <= rdata;
        reads_ahead  <= awready || !both ? 0 : reads_ahead + arready;
        writes_ahead <= arready || !arvalid ? 0 : writes_ahead + awready;
        unfair       <= unfair || reads_ahead > 1 || writes_ahead > 1;
        if (!aresetn)
            {write_in, address_out, data_out, read_in, read_out, awvalid, wvalid, arvalid, wrote, got, reads_ahead, writes_ahead,
             unfair} <= 0;
    end
    assign takes = {awready, arready};

    wire        valid, write, ready, error;
    wire [15:0] at;
    wire [3:0]  strobes;
    wire [31:0] word, result;
    wire [2:0]  target_valid, target_ready, target_error;
    wire [95:0] target_answer;

    // What is not valid is anything else.
    wire [15:0] write_address = writes[address_out];
    wire [35:0] write_data    = writes[data_out] >> 16;
    bloomlane_axil #(.ASYNC(ASYNC)) axil (
        aclk, aresetn, write_address ^ {16{!awvalid}}, awvalid, awready, write_data[31:0] ^ {32{!wvalid}}, write_data[35:32],
        wvalid, wready, bresp, bvalid, eager[3], reads[read_out] ^ {16{!arvalid}}, arvalid, arready, rdata, rresp, rvalid,
        eager[4], nclk, valid, write, at, strobes, word, ready, result, error
    );
    bloomlane_bus #(.TARGETS(3)) bus (valid, write, at, ready, result, error, target_valid, target_ready, target_answer, target_error);

    wire                 program_valid, port_write, port_enable, bank, key_write;
    wire [1:0]           program_op, op, port_number;
    wire [255:0]         program_mask;
    wire [2:0]           place;
    wire [8:0]           fill_limit;
    wire [LOG2_TABLES:0] port_table;
    wire [34:0]          port_key;
    wire [3:0]           key_word;
    wire [31:0]          key_data;

    bloomlane_control #(.W(32), .PORTS(PORTS), .POSITIONS(1), .LOG2_TABLES(LOG2_TABLES), .KEY_WORDS(4)) control (
        nclk, rst, target_valid[0], write, at, strobes, word, target_ready[0], target_answer[31:0], target_error[0],
        program_valid, program_op, program_mask, op, place, fill_limit, port_write, port_table, port_number, port_enable,
        port_key, bank, key_write, key_word, key_data
    );
    bloomlane_counters #(.COUNTERS(2), .ADD(1), .FIRST(-50)) counters (
        nclk, rst, {key_write, port_write}, target_valid[1], write, at, target_ready[1], target_answer[63:32], target_error[1]
    );

    // Half of its registers refuse reads too.
    reg [3:0] turn;
    assign target_ready[2]      = turn == at[6:3];
    assign target_answer[95:64] = {~at, at};
    assign target_error[2]      = at[2];

    reg [255:0] mask;
    reg [1:0]   operation;
    reg [35:0]  sets [0:(8<<LOG2_TABLES)-1];
    integer     i;

    initial key = 0;
    always @(posedge nclk) begin
        turn <= turn + 1;
        ran  <= valid && ready;
        if (program_valid) {operation, mask} <= {program_op, program_mask};
        if (port_write) sets[{port_table, port_number}] <= port_enable ? {1'b1, port_key} : 36'd0;
        if (key_write) key <= key ^ ({32'd0, key_data} << key_word);
        if (rst) begin
            {operation, mask} <= {2'd3, 256'd0};
            for (i = 0; i < 8<<LOG2_TABLES; i = i + 1) sets[i] <= 0;
        end
    end

    genvar g;
    generate
        for (g = 0; g < PORTS<<LOG2_TABLES; g = g + 1) begin : asked
            assign state[64*g +: 64] = sets[(bank << LOG2_TABLES | g / PORTS) << 2 | g % PORTS];
        end
    endgenerate
    assign state[64*(PORTS<<LOG2_TABLES) +: 320] = {mask, 48'd0, operation, op, place, fill_limit};
endmodule
