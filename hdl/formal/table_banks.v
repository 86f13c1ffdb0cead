// The two banks of a table and its register bus: each operation that came has one answer, of the bank that was used when it
// came to the banks, whatever the host asks meanwhile. And a key that is a member is never absent, if the host switches as
// it is told to: under the mirror, once it has loaded each member that the mirror found and no delete has taken since. Any
// operations, one a clock or with gaps, any requests, clears of any length, resets at any time. Unbounded, by induction.
//
// One key is followed, which may be any. Stand-ins have of each bank whether that key is in it, and of the hash the delay.
// That a bank is a memory that takes one operation after another is proved by table_sequence.v, and that no operation on
// another key takes a member out by members.v.
`include "bloomlane_params.vh"
`include "bloomlane_map.vh"

// Bit W of a block that is merged says that the key is in it.
module bloomlane_table_core #(
    parameter W = 32, parameter LOG2_BLOCKS = 1, parameter READ_STAGES = 1, parameter PARITY = 0, parameter MERGE = 0
) (
    input clk, input rst, output ready,
    input in_valid, input [1:0] in_op, input [LOG2_BLOCKS-1:0] in_index, input [7*$clog2(W)-1:0] in_positions,
    input in_merge, input [8*W-1:0] merge_block,
    output out_valid, output [1:0] out_result, output out_flipped, output [8*W-1:0] next_block
);
    localparam OUT = READ_STAGES + 4;

    (* anyconst *) reg [7:0] which; // the key
    (* anyseq *) reg         cleared;

    reg           ready_reg, holds, started = 1'b0;
    reg [OUT:1]   valid, held;
    reg [2*OUT:1] result;
    reg [OUT:1]   merges;
    reg [8*W-1:0] merge_then;

    wire [7:0] key  = in_positions[7*$clog2(W)-1 -: 8];
    wire       mine = in_merge ? in_index == which[7] && merge_block[W] : key == which;
    wire       next = !mine ? holds : in_op == `BLOOMLANE_INSERT ? 1'b1 : in_op == `BLOOMLANE_DELETE ? 1'b0 : holds;

    always @(posedge clk) begin
        started    <= 1'b1;
        ready_reg  <= (ready_reg || cleared) && !rst;
        valid      <= {valid, in_valid && ready_reg};
        merges     <= {merges, in_valid && ready_reg && in_merge};
        merge_then <= merge_block;
        held       <= {held, in_index == which[7] && next};
        result     <= {result, key != which ? key[1:0] : in_op == `BLOOMLANE_DELETE ? {holds, 1'b0} : {1'b0, holds}};
        if (in_valid && ready_reg) holds <= next;
        if (rst) begin
            valid  <= 0;
            merges <= 0;
            holds  <= 1'b0;
        end
    end

    assign ready       = ready_reg;
    assign out_valid   = valid[OUT];
    assign out_result  = result[2*OUT -: 2];
    assign out_flipped = 1'b0;
    assign next_block  = {{7*W-1{1'b0}}, held[OUT-1], {W{1'b0}}};

    // What table_sequence.v assumes.
    always @* if (in_valid && in_merge) assert (in_op == `BLOOMLANE_INSERT);
    always @* if (started && |merges[READ_STAGES+2:1]) assert (merge_block == merge_then);
endmodule

// A hash is the field in its highest bits.
module bloomlane_toeplitz #(parameter FIELD_BYTES = 1) (
    input clk, input advance, input key_write, input [1:0] key_word, input [31:0] key_data,
    input [8*FIELD_BYTES-1:0] field, output [63:0] hash
);
    reg [23:0] fields; // the newest in the lowest bits
    always @(posedge clk) fields <= {fields, field};
    assign hash = {fields[23:16], 56'd0};
endmodule

module bloomlane_spread #(parameter DSP = 0) (input clk, input advance, input [63:0] h, output [63:0] g);
    reg [47:0] fields;
    always @(posedge clk) fields <= {fields, h[63:56]};
    assign g = {fields[47:40], 56'd0};
endmodule

module table_banks #(parameter READ_STAGES = 1) (
    input clk, input rst,
    input key_write, input [1:0] key_word, input [31:0] key_data,
    input in_valid, input [1:0] in_op, input [7:0] in_field,
    input bus_valid, input bus_write, input [15:0] bus_address, input [3:0] bus_strobe, input [31:0] bus_data
);
    localparam DOOR = 9;               // clocks from an operation's coming into the table to that into the banks
    localparam OUT  = READ_STAGES + 4; // clocks from there to the answer

    (* anyconst *) reg [7:0] which;

    wire        ready, out_valid, out_flipped, bus_ready, bus_error;
    wire [1:0]  out_result;
    wire [31:0] bus_answer;

    bloomlane_table #(
        .W(32), .LOG2_BLOCKS(1), .FIELD_BYTES(1), .READ_STAGES(READ_STAGES), .BUS(1), .BANKS(2)
    ) dut (
        .clk(clk), .rst(rst), .ready(ready), .key_write(key_write), .key_word(key_word), .key_data(key_data),
        .in_valid(in_valid), .in_op(in_op), .in_field(in_field),
        .out_valid(out_valid), .out_result(out_result), .out_flipped(out_flipped),
        .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address), .bus_strobe(bus_strobe),
        .bus_data(bus_data), .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error)
    );

    // The table's own wires: flatten connects a wire of this attribute to the one of its name.
    (* hierconn *) wire [DOOR-1:0]   \dut.valid_reg ;
    (* hierconn *) wire [2*DOOR-1:0] \dut.op_reg ;
    (* hierconn *) wire [5:0]        \dut.index_reg ;
    (* hierconn *) wire [23:0]       \dut.linear.toeplitz.fields ;
    (* hierconn *) wire [47:0]       \dut.spread.fields ;
    (* hierconn *) wire              \dut.bank , \dut.mirror , \dut.turn_valid , \dut.turn_bank , \dut.turn_merge ;
    (* hierconn *) wire [1:0]        \dut.clear , \dut.clean , \dut.taken ;
    (* hierconn *) wire [OUT-1:0]    \dut.banked[0].used_reg , \dut.banked[1].used_reg ;
    (* hierconn *) wire              \dut.banked[0].core.holds , \dut.banked[1].core.holds ;
    (* hierconn *) wire [7:0]        \dut.banked[0].core.which , \dut.banked[1].core.which ;
    (* hierconn *) wire [OUT:1]      \dut.banked[0].core.valid , \dut.banked[1].core.valid ;
    (* hierconn *) wire [OUT:1]      \dut.banked[0].core.merges , \dut.banked[1].core.merges ;
    (* hierconn *) wire [2*OUT:1]    \dut.banked[0].core.result , \dut.banked[1].core.result ;
    (* hierconn *) wire [255:0]      \dut.banked[0].core.merge_then , \dut.banked[1].core.merge_then ;
    (* hierconn *) wire [OUT+1:0]    \dut.bus.port.settled_reg ;
    (* hierconn *) wire [OUT-2:0]    \dut.bus.port.under_way_reg ;
    (* hierconn *) wire              \dut.bus.port.wanted_reg , \dut.bus.port.fetched_reg , \dut.bus.port.begun_reg ;
    (* hierconn *) wire              \dut.bus.port.block_reg , \dut.bus.port.block_bank_reg ;
    (* hierconn *) wire [255:0]      \dut.bus.port.words_reg ;
    wire [1:0] holds = {\dut.banked[1].core.holds , \dut.banked[0].core.holds };

    // ---- the model: operations 1 to DOOR clocks after they came into the table, the newest in the lowest bits; then 1 to
    // OUT clocks after they came into a bank

    reg [DOOR-1:0]   valid;
    reg [2*DOOR-1:0] op;
    reg [8*DOOR-1:0] field;
    reg [OUT:1]      valid_in, bank_in, member_in; // member_in: the key, and a member, is looked for
    reg [2*OUT:1]    result_in;
    reg              bank, mirror;                 // as the host has written
    reg              block, block_bank, loads;     // … and that the words which it has written have the key
    reg              member;                       // the key was inserted, and not deleted since
    reg              promised;                     // … which the host is to load

    wire       door    = valid[DOOR-1];
    wire [1:0] door_op = op[2*DOOR-1 -: 2];
    wire [7:0] door_field = field[8*DOOR-1 -: 8];
    wire       mine    = door && door_field == which;
    wire       member_next = mine && door_op == `BLOOMLANE_INSERT || member && !(mine && door_op == `BLOOMLANE_DELETE);

    wire        answered = bus_valid && bus_ready && !bus_error;
    wire [11:0] at       = bus_address[11:0];
    wire        is_bank  = at == `BLOOMLANE_AT_BANK;
    wire        is_block = at == `BLOOMLANE_AT_BLOCK;
    wire        is_data  = at[11:5] == 7'b0000010 && at[1:0] == 2'd0;
    wire        is_last  = is_data && at[4:2] == 3'd7;
    wire        sets     = answered && bus_write && is_bank;
    wire        switches = sets && !bus_data[2] && bus_data[0] != bank;

`ifdef BUG_SWITCH // an operation that came into the table before a switch uses the other bank already
    wire used = switches ? bus_data[0] : bank;
`else
    wire used = bank;
`endif
    wire [1:0] door_result = door_field != which ? door_field[1:0] :
                             door_op == `BLOOMLANE_DELETE ? {holds[used], 1'b0} : {1'b0, holds[used]};

    reg        started = 1'b0;
    reg        stands;
    reg [52:0] asked;
    always @(posedge clk) begin
        started   <= 1'b1;
        valid     <= {valid, in_valid && ready};
        op        <= {op, in_op};
        field     <= {field, in_field};
        valid_in  <= {valid_in, door};
        bank_in   <= {bank_in, used};
        member_in <= {member_in, mine && member && door_op != `BLOOMLANE_PASS};
        result_in <= {result_in, door_result};
        member    <= member_next;
        promised  <= promised && !(mine && (door_op == `BLOOMLANE_INSERT || door_op == `BLOOMLANE_DELETE));
        if (sets && bus_data[2])
            mirror <= 1'b0;
        if (sets && !bus_data[2]) begin
            {mirror, bank} <= bus_data[1:0];
            if (bus_data[1] && !mirror)
                promised <= member_next;
        end
        if (answered && is_block && bus_write)
            {block_bank, block, loads} <= {bus_data[31], bus_data[0], 1'b0};
        if (answered && is_data && (!bus_write || at[4:2] <= 3'd1)) // the first word forgets the others
            loads <= bus_write && at[4:2] == 3'd1 && bus_data[0];
        if (answered && is_last) begin
            block <= !block;
            loads <= 1'b0;
            if (bus_write && loads && block == which[7] && block_bank != bank)
                promised <= 1'b0;
        end
        stands <= bus_valid && !bus_ready;
        asked  <= {bus_write, bus_address, bus_strobe, bus_data};
        if (rst) begin
            valid    <= 0;
            valid_in <= 0;
            {bank, mirror, block, block_bank, loads, member, promised, stands} <= 8'd0;
        end
    end

    always @* if (!started) assume (rst);
    always @* if (stands) assume (bus_valid && {bus_write, bus_address, bus_strobe, bus_data} == asked);
    always @* assume (\dut.banked[0].core.which == which && \dut.banked[1].core.which == which);
    always @* if (switches)
`ifdef BUG_UNLOADED
        assume (mirror);
`elsif BUG_UNMIRRORED
        assume (!promised);
`else
        assume (mirror && !promised);
`endif

    // ---- the table against the model

    wire         turns    = \dut.bus.port.wanted_reg || \dut.bus.port.under_way_reg != 0;
    wire         asked_data = asked[47:41] == 7'b0000010 && asked[37:36] == 2'd0;
    wire         asked_last = asked_data && asked[40:38] == 3'd7 && asked[35:32] == 4'b1111;
    integer      k;

    always @* if (started) begin
        // What has come, on its way to the banks.
        assert (\dut.valid_reg == valid);
        for (k = 0; k < DOOR; k = k + 1) if (valid[k]) begin
            assert (\dut.op_reg [2*k +: 2] == op[2*k +: 2]);
            if (k < 3) assert (\dut.linear.toeplitz.fields [8*k +: 8] == field[8*k +: 8]);
            else       assert (\dut.spread.fields [8*(k-3) +: 8] == field[8*k +: 8]);
            if (k >= 3) assert (\dut.index_reg [k-3] == field[8*k+7]);
        end

        // The host's registers. A bank is cleared where no operation can be, and stays clear from its end on.
        assert (\dut.bank == bank && \dut.mirror == mirror);
        assert (\dut.bus.port.block_reg == block && \dut.bus.port.block_bank_reg == block_bank);
        if (loads && !(stands && !asked[52] && asked_data)) assert (\dut.bus.port.words_reg [32]);
        assert ((\dut.bus.port.settled_reg & \dut.bus.port.settled_reg + 1'b1) == 0);
        assert (!\dut.clear [bank] );
        if (\dut.clear != 0) assert (!mirror && !turns && \dut.bus.port.settled_reg == 0);
        if (mirror) assert (&\dut.clean );
        if (valid != 0 || valid_in != 0) assert (\dut.clean [bank] );

        // The port's turn is that of the request.
        if (turns) assert (stands && asked_data && (asked[52] ? asked_last : !\dut.bus.port.fetched_reg ));
        if (turns && asked[52]) assert (\dut.bus.port.begun_reg && \dut.bus.port.words_reg [255:224] == asked[31:0]);
        assert (!(\dut.bus.port.wanted_reg && \dut.bus.port.under_way_reg != 0));
        assert ((\dut.bus.port.under_way_reg & \dut.bus.port.under_way_reg - 1'b1) == 0);
        for (k = 1; k < OUT; k = k + 1) begin
            if (\dut.banked[0].core.merges [k]) assert (\dut.bus.port.under_way_reg [k-1] && asked[52] && !block_bank);
            if (\dut.banked[1].core.merges [k]) assert (\dut.bus.port.under_way_reg [k-1] && asked[52] && block_bank);
        end
        if (\dut.bus.port.under_way_reg != 0 && asked[52]) begin
            if (!block_bank) assert (\dut.banked[0].core.merge_then == \dut.bus.port.words_reg );
            if (block_bank)  assert (\dut.banked[1].core.merge_then == \dut.bus.port.words_reg );
            if (loads && block == which[7] && block_bank != bank) assert (holds[block_bank]);
        end

        // In the banks an operation is that of one, which answers; an older bank is still told from the one in use.
        for (k = 1; k <= OUT; k = k + 1) begin
            if (\dut.banked[0].core.valid [k])
                assert (\dut.banked[0].used_reg [k-1] == (valid_in[k] && !bank_in[k]));
            if (\dut.banked[1].core.valid [k])
                assert (\dut.banked[1].used_reg [k-1] == (valid_in[k] && bank_in[k]));
            if (valid_in[k]) begin
                assert (bank_in[k] ? \dut.banked[1].core.valid [k] && !\dut.banked[0].used_reg [k-1] :
                                     \dut.banked[0].core.valid [k] && !\dut.banked[1].used_reg [k-1]);
                assert (result_in[2*k-1 +: 2] == (bank_in[k] ? \dut.banked[1].core.result [2*k-1 +: 2] :
                                                               \dut.banked[0].core.result [2*k-1 +: 2]));
                if (bank_in[k] != bank) assert (!\dut.bus.port.settled_reg [k-1] && \dut.clear == 0);
                if (member_in[k]) assert (result_in[2*k-1 +: 2] != 0);
            end
        end

        // A member is in the bank in use, and under the mirror in the other one, or the host is to load it.
        if (member) assert (holds[bank]);
        if (mirror && member && !promised) assert (holds[!bank]);

        // The answers.
        assert (out_valid == valid_in[OUT]);
        if (out_valid) assert (out_result == result_in[2*OUT-1 +: 2]);
        if (out_valid && member_in[OUT]) assert (out_result != `BLOOMLANE_ABSENT);
    end
endmodule
