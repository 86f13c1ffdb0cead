// Counters of 48 bits, any number of which may count in a clock: a target of the register bus.
//
// What comes in is gathered in a small register for each counter. One counter after another has its turn, in which
// what was gathered is added to its word in a memory. So a counter costs few flip-flops, and no clock is lost.
//
// Counter i has its low 32 bits at byte 8*i of the window and its high 16 at 8*i + 4. A read of a low word waits for
// the counter's turn, and keeps the high bits of that moment for the next read of any high word. A counter wraps. After
// a reset all are FIRST. There is nothing to write.
//
// Parameters
//   COUNTERS  number of counters, 1 to 512
//   ADD       bits of what a counter may be given in a clock, 1 to 16
//   FIRST     what they count from, modulo 2**48: 0, or a negative number, from which they wrap soon
// Latency: a read of a low word waits for up to 2 clocks and as many as there are counters, or 4
`default_nettype none

module bloomlane_counters #(
    parameter COUNTERS = 8,
    parameter ADD      = 1,
    parameter FIRST    = 0
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire [COUNTERS*ADD-1:0] add, // for counter i at [ADD*i +: ADD]

    input  wire                    bus_valid,
    input  wire                    bus_write,
    input  wire [15:0]             bus_address,
    output wire                    bus_ready,
    output wire [31:0]             bus_answer,
    output wire                    bus_error
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(COUNTERS >= 1 && COUNTERS <= 512)) begin : refused_COUNTERS
            COUNTERS_must_be_1_to_512 refused ();
        end
        if (!(ADD >= 1 && ADD <= 16)) begin : refused_ADD
            ADD_must_be_1_to_16 refused ();
        end
        if (!(FIRST <= 0)) begin : refused_FIRST
            FIRST_must_be_0_or_less refused ();
        end
    endgenerate

    localparam        LOG2  = COUNTERS > 4 ? $clog2(COUNTERS) : 2;
    localparam        TURNS = 1 << LOG2;
    localparam        SLOT  = ADD + LOG2; // bits that TURNS additions need
    localparam [31:0] START = FIRST;

    (* no_rw_check *) // a word is read and written in other clocks
    reg [47:0]           memory [0:TURNS-1];
    reg [LOG2-1:0]       turn_reg;
    reg                  first_reg;      // the first turns since a reset
    wire [TURNS*SLOT-1:0] gathered;

    // A clock later.
    reg                  then_valid_reg;
    reg                  then_first_reg;
    reg [LOG2-1:0]       then_reg;
    reg [47:0]           value_reg;
    reg [SLOT-1:0]       more_reg;
    reg [15:0]           high_reg;

    wire [47:0] base = then_first_reg ? {{16{START[31]}}, START} : value_reg;
    wire [47:0] sum  = base + {{48-SLOT{1'b0}}, more_reg};

    always @(posedge clk) begin
        value_reg <= memory[turn_reg];
        if (then_valid_reg)
            memory[then_reg] <= sum;
    end

    wire [8:0] asked    = bus_address[11:3];
    wire       exists   = {23'd0, asked} < COUNTERS;
    wire       read_low = bus_valid && !bus_write && exists && !bus_address[2];
    wire       has_turn = then_valid_reg && {{9-LOG2{1'b0}}, then_reg} == asked;

    always @(posedge clk) begin
        turn_reg       <= turn_reg + 1'b1;
        then_reg       <= turn_reg;
        then_first_reg <= first_reg;
        then_valid_reg <= 1'b1;
        more_reg       <= gathered[SLOT*turn_reg +: SLOT];
        if (&turn_reg)
            first_reg <= 1'b0;
        if (read_low && has_turn)
            high_reg <= sum[47:32];
        if (rst) begin
            turn_reg       <= {LOG2{1'b0}};
            first_reg      <= 1'b1;
            then_valid_reg <= 1'b0;
            high_reg       <= 16'd0;
        end
    end

    genvar i;
    generate
        for (i = 0; i < TURNS; i = i + 1) begin : counter
            if (i < COUNTERS) begin : gather
                localparam [31:0] NUMBER = i;
                reg [SLOT-1:0] gathered_reg;
                always @(posedge clk) begin
                    gathered_reg <= (turn_reg == NUMBER[LOG2-1:0] ? {SLOT{1'b0}} : gathered_reg) +
                                    {{SLOT-ADD{1'b0}}, add[ADD*i +: ADD]};
                    if (rst) gathered_reg <= {SLOT{1'b0}};
                end
                assign gathered[SLOT*i +: SLOT] = gathered_reg;
            end else begin : gather
                assign gathered[SLOT*i +: SLOT] = {SLOT{1'b0}};
            end
        end
    endgenerate

    assign bus_ready  = !rst && (!read_low || has_turn);
    assign bus_answer = !exists ? 32'd0 : bus_address[2] ? {16'd0, high_reg} : sum[31:0];
    assign bus_error  = bus_write;

    wire unused = &{1'b0, bus_address[15:12], bus_address[1:0]};
endmodule

`default_nettype wire
