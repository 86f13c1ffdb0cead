// What bloomlane_control has committed changes for a write of COMMIT alone, all at once, and to what was written; and
// nothing that headers ask is written in between. A word that is read is the one that was written last, whole.
// Unbounded, by induction, with resets at any time. One word of the element is followed, which may be any.
`include "bloomlane_params.vh"
`include "bloomlane_map.vh"

module control #(parameter W = 32, parameter PORTS = 3, parameter POSITIONS = 1, parameter LOG2_TABLES = 1, parameter KEY_WORDS = 3) (
    input clk, rst, bus_valid, bus_write, input [15:0] bus_address, input [3:0] bus_strobe, input [31:0] bus_data
);
    localparam KEY = POSITIONS ? 7*$clog2(W) : 8*W;

    wire                       bus_ready, bus_error, program_valid, port_write, port_enable, bank, key_write;
    wire [31:0]                bus_answer, key_data;
    wire [1:0]                 program_op, op;
    wire [8*W-1:0]             program_mask;
    wire [2:0]                 place;
    wire [$clog2(8*W+1)-1:0]   fill_limit;
    wire [LOG2_TABLES:0]       port_table;
    wire [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] port_number;
    wire [KEY-1:0]             port_key;
    wire [3:0]                 key_word;
    bloomlane_control #(.W(W), .PORTS(PORTS), .POSITIONS(POSITIONS), .LOG2_TABLES(LOG2_TABLES), .KEY_WORDS(KEY_WORDS)) dut (
        .clk(clk), .rst(rst), .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address),
        .bus_strobe(bus_strobe), .bus_data(bus_data), .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error),
        .program_valid(program_valid), .program_op(program_op), .program_mask(program_mask), .op(op), .place(place),
        .fill_limit(fill_limit), .port_write(port_write), .port_table(port_table), .port_number(port_number),
        .port_enable(port_enable), .port_key(port_key), .bank(bank), .key_write(key_write), .key_word(key_word),
        .key_data(key_data)
    );

    (* hierconn *) wire [8*W-1:0]           \dut.element_reg ;
    (* hierconn *) wire [1:0]               \dut.op_reg ;
    (* hierconn *) wire [2:0]               \dut.place_reg ;
    (* hierconn *) wire [$clog2(8*W+1)-1:0] \dut.fill_limit_reg ;

    (* anyconst *) reg [3:0] which;
    always @* assume (which < 8*W/32);

    // ---- the model: what was written, and what is committed

    reg         started = 0;
    reg  [31:0] word;
    reg  [1:0]  op_was, op_now;
    reg  [2:0]  place_was, place_now;
    reg  [$clog2(8*W+1)-1:0] fill_was, fill_now;
    reg         bank_now;
    wire        write   = bus_valid && bus_ready && bus_write && bus_strobe == 15;
    wire [11:0] at      = bus_address[11:0];
    wire        commit  = write && at == `BLOOMLANE_AT_COMMIT;
    wire        is_word = at == `BLOOMLANE_AT_ELEMENT + 4 * which;
    always @(posedge clk) begin
        started <= 1;
        if (write && is_word) word <= bus_data;
        if (write && at == `BLOOMLANE_AT_OP && bus_data < 4) op_was <= bus_data;
        if (write && at == `BLOOMLANE_AT_PLACE && bus_data < 8) place_was <= bus_data;
        if (write && at == `BLOOMLANE_AT_FILL_LIMIT && bus_data <= 8*W) fill_was <= bus_data;
        if (commit && bus_data[0]) op_now <= op_was;
        if (commit && bus_data[1]) bank_now <= !bank_now;
        if (commit && bus_data[2]) fill_now <= fill_was;
`ifdef BUG_TEAR // the place is committed with the element
        if (commit && bus_data[0]) place_now <= place_was;
`else
        if (commit && bus_data[2]) place_now <= place_was;
`endif
        if (rst) begin
            {word, place_was, place_now, bank_now} <= 0;
            {op_was, op_now} <= {`BLOOMLANE_PASS, `BLOOMLANE_PASS};
            fill_was <= 8*W;
            fill_now <= 8*W;
        end
    end

    wire in_range = bus_data[15:0] < PORTS && bus_data[23:16] < 1 << LOG2_TABLES;
    wire is_key   = at >= `BLOOMLANE_AT_KEY && at < `BLOOMLANE_AT_KEY + 4 * KEY_WORDS;

    always @* begin
        if (!started) assume (rst);
        if (bus_valid) assume (bus_address[1:0] == 0);
    end

    always @* if (started) begin
        // What is committed.
        assert (op == op_now && place == place_now && fill_limit == fill_now && bank == bank_now);
        assert (program_valid == (commit && bus_data[0]));
        assert (program_op == op_was && program_mask[32*which +: 32] == word);
        // The ports, in the set that no header asks, and the key.
`ifdef BUG_BANK // a port that there is not is written
        assert (port_write == (write && at == `BLOOMLANE_AT_PORT));
`else
        assert (port_write == (write && at == `BLOOMLANE_AT_PORT && in_range));
`endif
        if (port_write) begin
            assert (port_table[LOG2_TABLES] == !bank_now && port_number == bus_data[15:0] && port_enable == bus_data[31]);
            if (LOG2_TABLES > 0) assert (port_table[0 +: LOG2_TABLES] == bus_data[23:16]);
            if (32 * which + 31 < KEY) assert (port_key[32*which +: 32] == word);
        end
        assert (key_write == (write && is_key));
        if (key_write) assert (key_data == bus_data && key_word == (at - `BLOOMLANE_AT_KEY) >> 2);
        // What is read. A key is not.
        if (bus_valid && bus_ready && !bus_write) begin
            if (is_word) assert (bus_answer == word);
            if (at == `BLOOMLANE_AT_PLACE) assert (bus_answer == place_was);
            if (at == `BLOOMLANE_AT_FILL_LIMIT) assert (bus_answer == fill_was);
            if (at == `BLOOMLANE_AT_ID) assert (bus_answer == `BLOOMLANE_ID_VALUE);
            if (is_key) assert (bus_answer == 0);
            assert (!bus_error);
        end
        if (bus_valid && bus_write && bus_strobe != 15) assert (bus_error);
        if (bus_valid && bus_write && at < `BLOOMLANE_AT_COMMIT) assert (bus_error);
        if (bus_valid && bus_write && bus_strobe == 15) begin
            if (at == `BLOOMLANE_AT_OP) assert (bus_error == (bus_data >= 4));
            if (at == `BLOOMLANE_AT_PLACE) assert (bus_error == (bus_data >= 8));
            if (at == `BLOOMLANE_AT_FILL_LIMIT) assert (bus_error == (bus_data > 8*W));
            if (at == `BLOOMLANE_AT_COMMIT || is_word) assert (!bus_error);
        end

        // The invariant.
        assert (\dut.element_reg [32*which +: 32] == word && \dut.op_reg == op_was);
        assert (\dut.place_reg == place_was && \dut.fill_limit_reg == fill_was);
    end

    // What may come: a history has each.
    always @* if (started) begin
        cover (bus_valid && rst);
        cover (write && bus_data[2:0] == 7 && commit);
        cover (write && is_word);
        cover (bus_valid && bus_write && bus_strobe == 0);
        cover (bus_valid && bus_write && bus_strobe == 7);
        cover (port_write && !bus_data[31]);
        cover (port_write && port_number == PORTS - 1);
        cover (write && at == `BLOOMLANE_AT_PORT && !in_range);
        cover (key_write);
        cover (bus_valid && bus_address[15:12] != 0);
        cover (bus_valid && !bus_write && is_key);
        cover (program_valid && op != op_was && rst == 0);
        cover (fill_now == 0);
        cover (place_now == 7);
    end
endmodule
