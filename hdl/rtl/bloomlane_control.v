// The registers that program an in-line engine, a match engine and the key of a table: a target of the register bus.
//
// What is written changes nothing for packets until it is committed: a write of COMMIT takes the parts that its bits
// name, all in its clock. So a packet sees all of an element, and a header all of a set of ports, old or new:
//
//   bit 0  the element and its operation, by program_valid
//   bit 1  the set of the ports' elements, by bank: there are two, and a write of PORT goes to the one that no
//          header asks. Behind a commit that one has the elements of two commits ago: each set is written whole
//   bit 2  fill_limit and place
//
// Packets whose first beat, and headers that, are taken in a later clock than that of the write see what is new.
// fill_limit is a level, and so acts on packets under way. A word of the key acts at once, and cannot be read.
//
// The map is in bloomlane_map.vh. A read of what is not in it is 0. A write of it is refused, and so is one of a part
// of a word, or of a value that a register does not have: FILL_LIMIT has up to all bits, PLACE and OP 3 and 2 bits.
//
// Parameters
//   W            bits of a lane, as of the engines: 32, 64
//   PORTS        ports of the match engine, 1 to 65536
//   POSITIONS    as of the match engine: 1: the key of a port is the element's lowest bits; 0: all of it
//   LOG2_TABLES  log2 of the tables of the match engine, 0 to 7: it has twice as many, {bank, table}
//   KEY_WORDS    words of the key, 0 to 16
// Latency: the answer is in the clock of the request
`include "bloomlane_params.vh"
`include "bloomlane_map.vh"
`default_nettype none

module bloomlane_control #(
    parameter W           = 32,
    parameter PORTS       = 16,
    parameter POSITIONS   = 1,
    parameter LOG2_TABLES = 0,
    parameter KEY_WORDS   = 0
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        bus_valid,
    input  wire        bus_write,
    input  wire [15:0] bus_address,
    input  wire [3:0]  bus_strobe,
    input  wire [31:0] bus_data,
    output wire        bus_ready,
    output wire [31:0] bus_answer,
    output wire        bus_error,

    // To an in-line engine. op is the programmed operation, for packets that are taken in this clock.
    output wire                                    program_valid,
    output wire [1:0]                              program_op,
    output wire [`BLOOMLANE_LANES*W-1:0]           program_mask,
    output wire [1:0]                              op,
    output wire [2:0]                              place,
    output wire [$clog2(`BLOOMLANE_LANES*W+1)-1:0] fill_limit,

    // To a match engine of 2 * 2**LOG2_TABLES tables. bank is the most significant bit of its in_table.
    output wire                                    port_write,
    output wire [LOG2_TABLES:0]                    port_table,
    output wire [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] port_number,
    output wire                                    port_enable,
    output wire [(POSITIONS != 0 ? `BLOOMLANE_DATA_LANES*$clog2(W) : `BLOOMLANE_LANES*W)-1:0] port_key,
    output wire                                    bank,

    // To a table.
    output wire                                    key_write,
    output wire [3:0]                              key_word,
    output wire [31:0]                             key_data
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(W == 32 || W == 64)) begin : refused_W
            W_must_be_32_or_64 refused ();
        end
        if (!(PORTS >= 1 && PORTS <= 65536)) begin : refused_PORTS
            PORTS_must_be_1_to_65536 refused ();
        end
        if (!(POSITIONS == 0 || POSITIONS == 1)) begin : refused_POSITIONS
            POSITIONS_must_be_0_or_1 refused ();
        end
        if (!(LOG2_TABLES >= 0 && LOG2_TABLES <= 7)) begin : refused_LOG2_TABLES
            LOG2_TABLES_must_be_0_to_7 refused ();
        end
        if (!(KEY_WORDS >= 0 && KEY_WORDS <= 16)) begin : refused_KEY_WORDS
            KEY_WORDS_must_be_0_to_16 refused ();
        end
    endgenerate

    localparam        BITS   = `BLOOMLANE_LANES * W;
    localparam        WORDS  = BITS / 32;
    localparam        KEY    = POSITIONS != 0 ? `BLOOMLANE_DATA_LANES*$clog2(W) : BITS;
    localparam        SELECT = PORTS > 1 ? $clog2(PORTS) : 1;
    localparam        FILL   = $clog2(BITS+1);
    localparam [31:0] SHAPE  = PORTS << 16 | LOG2_TABLES << 8 | W; // 65536 ports are 0
    localparam [31:0] FORM   = POSITIONS << 8 | KEY_WORDS;
    localparam [31:0] FULL   = BITS;
    localparam [31:0] WORD_BYTES = 4 * WORDS;
    localparam [31:0] KEY_BYTES  = 4 * KEY_WORDS;

    // The shadows.
    reg [BITS-1:0] element_reg;
    reg [1:0]      op_reg;
    reg [FILL-1:0] fill_limit_reg;
    reg [2:0]      place_reg;

    // What is committed, but for the element, which the engine has.
    reg [1:0]      op_now_reg;
    reg [FILL-1:0] fill_limit_now_reg;
    reg [2:0]      place_now_reg;
    reg            bank_reg;

    wire [15:0] at         = {4'd0, bus_address[11:0]};
    wire [15:0] element_at = at - `BLOOMLANE_AT_ELEMENT;
    wire [15:0] key_at     = at - `BLOOMLANE_AT_KEY;
    wire        is_element = element_at < WORD_BYTES[15:0];
    wire        is_key     = {16'd0, key_at} + 32'd4 <= KEY_BYTES;
    wire        write      = bus_valid && bus_write && &bus_strobe && !rst;
    wire        commit     = write && at == `BLOOMLANE_AT_COMMIT;
    wire        take_ports = commit && bus_data[1];
    wire        take_rest  = commit && bus_data[2];

    // A port and a table that there are.
    wire        in_range   = {16'd0, bus_data[15:0]} < PORTS && bus_data[23:16] >> LOG2_TABLES == 8'd0;

    reg  [31:0] answer;
    reg         writes; // the register can be written
    integer     i;

    always @* begin
        answer = 32'd0;
        writes = is_element || is_key;
        for (i = 0; i < WORDS; i = i + 1)
            if (is_element && {28'd0, element_at[5:2]} == i)
                answer = element_reg[32*i +: 32];
        case (at)
            `BLOOMLANE_AT_ID:      answer = `BLOOMLANE_ID_VALUE;
            `BLOOMLANE_AT_VERSION: answer = `BLOOMLANE_VERSION_VALUE;
            `BLOOMLANE_AT_SHAPE:   answer = SHAPE;
            `BLOOMLANE_AT_FORM:    answer = FORM;
            `BLOOMLANE_AT_COMMIT:  writes = 1'b1;
            `BLOOMLANE_AT_PORT:    writes = in_range;
            `BLOOMLANE_AT_FILL_LIMIT: begin
                answer = {{32-FILL{1'b0}}, fill_limit_reg};
                writes = bus_data <= FULL;
            end
            `BLOOMLANE_AT_PLACE: begin
                answer = {29'd0, place_reg};
                writes = bus_data[31:3] == 29'd0;
            end
            `BLOOMLANE_AT_OP: begin
                answer = {30'd0, op_reg};
                writes = bus_data[31:2] == 30'd0;
            end
            default: ;
        endcase
    end

    always @(posedge clk) begin
        for (i = 0; i < WORDS; i = i + 1)
            if (write && is_element && {28'd0, element_at[5:2]} == i)
                element_reg[32*i +: 32] <= bus_data;
        if (write && writes && at == `BLOOMLANE_AT_OP)
            op_reg <= bus_data[1:0];
        if (write && writes && at == `BLOOMLANE_AT_FILL_LIMIT)
            fill_limit_reg <= bus_data[FILL-1:0];
        if (write && writes && at == `BLOOMLANE_AT_PLACE)
            place_reg <= bus_data[2:0];

        if (program_valid)
            op_now_reg <= op_reg;
        if (take_ports)
            bank_reg <= !bank_reg;
        if (take_rest) begin
            fill_limit_now_reg <= fill_limit_reg;
            place_now_reg      <= place_reg;
        end

        if (rst) begin
            element_reg        <= {BITS{1'b0}};
            op_reg             <= `BLOOMLANE_PASS;
            op_now_reg         <= `BLOOMLANE_PASS;
            fill_limit_reg     <= FULL[FILL-1:0];
            fill_limit_now_reg <= FULL[FILL-1:0];
            place_reg          <= 3'd0;
            place_now_reg      <= 3'd0;
            bank_reg           <= 1'b0;
        end
    end

    assign bus_ready  = !rst;
    assign bus_answer = answer;
    assign bus_error  = bus_write && !(writes && &bus_strobe);

    assign program_valid = commit && bus_data[0];
    assign program_op    = op_reg;
    assign program_mask  = element_reg;
    assign op            = op_now_reg;
    assign place         = place_now_reg;
    assign fill_limit    = fill_limit_now_reg;

    assign port_write  = write && at == `BLOOMLANE_AT_PORT && in_range;
    assign port_number = bus_data[SELECT-1:0];
    assign port_enable = bus_data[31];
    assign port_key    = element_reg[KEY-1:0];
    assign bank        = bank_reg;
    generate
        if (LOG2_TABLES > 0) begin : tables
            assign port_table = {!bank_reg, bus_data[16 +: LOG2_TABLES]};
        end else begin : tables
            assign port_table = !bank_reg;
        end
    endgenerate

    assign key_write = write && is_key;
    assign key_word  = key_at[5:2];
    assign key_data  = bus_data;

    wire unused = &{1'b0, bus_address[15:12], element_at[1:0]};
endmodule

`default_nettype wire
