// A counter is the first value and the sum of all that it was given, less what is on its way to its next turn, of which
// nothing is lost: one counter is followed, which may be any. A read of its low word is answered with that sum as it was
// two clocks ago, and a read of a high word with the high bits of that moment; and none waits for more than all turns.
// Unbounded, by induction, with reads at any time, and with resets.
module counters #(parameter COUNTERS = 3, parameter ADD = 2, parameter BELOW = 3) (
    input clk, rst, bus_valid, bus_write, input [15:0] bus_address, input [COUNTERS*ADD-1:0] add
);
    localparam signed [31:0] FIRST = -BELOW;
    localparam LOG2  = COUNTERS > 4 ? $clog2(COUNTERS) : 2;
    localparam TURNS = 1 << LOG2;
    localparam SLOT  = ADD + LOG2;

    wire        bus_ready, bus_error;
    wire [31:0] bus_answer;
    bloomlane_counters #(.COUNTERS(COUNTERS), .ADD(ADD), .FIRST(FIRST)) dut (
        .clk(clk), .rst(rst), .add(add), .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address),
        .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error)
    );

    (* hierconn *) wire [LOG2-1:0] \dut.turn_reg , \dut.then_reg ;
    (* hierconn *) wire            \dut.first_reg , \dut.then_first_reg , \dut.then_valid_reg ;
    (* hierconn *) wire [47:0]     \dut.value_reg , \dut.memory[0] , \dut.memory[1] , \dut.memory[2] , \dut.memory[3] ;
    (* hierconn *) wire [SLOT-1:0] \dut.more_reg ;
    (* hierconn *) wire [15:0]     \dut.high_reg ;
    (* hierconn *) wire [TURNS*SLOT-1:0] \dut.gathered ;

    (* anyconst *) reg [LOG2-1:0] which;
    always @* assume (which < COUNTERS);

    // ---- the model: the sum, and as it was a clock and two clocks ago

    reg         started = 0;
    reg  [47:0] sum, sum_1;
    reg  [15:0] high;          // of the last low word that was read, of the counter that is followed
    reg         mine;          // it was the last
    reg  [3:0]  waits;         // clocks
    wire [ADD-1:0] more     = add >> ADD * which;
    wire        low_read    = bus_valid && !bus_write && !bus_address[2] && bus_address[11:3] < COUNTERS;
    wire        is_mine     = bus_address[11:3] == which;
`ifdef BUG_LATE // an answer has what came a clock ago
    wire [47:0] answer      = sum;
`else
    wire [47:0] answer      = sum_1;
`endif
    always @(posedge clk) begin
        started <= 1;
`ifdef BUG_SATURATE // a counter does not wrap
        sum     <= &sum ? sum : sum + more;
`else
        sum     <= sum + more;
`endif
        sum_1   <= sum;
        if (low_read && bus_ready) begin
            mine <= is_mine;
            if (is_mine) high <= answer[47:32];
        end
        waits <= low_read && !bus_ready ? waits + 1 : 0;
        if (rst) begin
            sum   <= FIRST;
            sum_1 <= FIRST;
            mine  <= 0;
            waits <= 0;
        end
    end
    // A request stands until it is answered.
    reg [16:0] asked;
    always @(posedge clk) asked <= {bus_write, bus_address};
    always @* begin
        if (!started) assume (rst);
        if (waits != 0) assume (bus_valid && {bus_write, bus_address} == asked);
    end

    // ---- where it is

    wire [47:0] first  = FIRST;
    wire [191:0] all   = {\dut.memory[3] , \dut.memory[2] , \dut.memory[1] , \dut.memory[0] };
    wire [47:0] stored = all >> 48 * which;
    wire [SLOT-1:0] gathered = \dut.gathered >> SLOT * which;
    wire        then   = \dut.then_valid_reg && \dut.then_reg == which; // its turn is in its second clock
    wire        before = \dut.first_reg && \dut.turn_reg <= which;      // nothing is stored yet
    reg  [SLOT-1:0] last; // what came in the last clock
    always @(posedge clk) last <= rst ? 0 : more;
    wire [LOG2-1:0] since = \dut.turn_reg - which - 1'b1; // clocks since the first of its turn

    wire [LOG2-1:0] to_come = bus_address[3 +: LOG2] - \dut.then_reg ; // clocks until the turn of what is asked

    always @* if (started) begin
        assert (\dut.then_valid_reg || \dut.first_reg && \dut.turn_reg == 0);
        if (\dut.then_valid_reg ) begin
            assert (\dut.then_reg == \dut.turn_reg - 1'b1);
            assert (\dut.then_first_reg == (\dut.first_reg || \dut.turn_reg == 0 && \dut.then_first_reg ));
            if (\dut.first_reg ) assert (\dut.turn_reg != 0);
        end
        if (then) begin
            if (!\dut.then_first_reg ) assert (\dut.value_reg == stored);
            assert ((\dut.then_first_reg ? first : stored) + \dut.more_reg == sum_1);
            assert (gathered == last);
        end else
            assert ((before ? first : stored) + gathered == sum);
        assert (sum == sum_1 + last);
        // What is gathered fits: it is of the clocks since its turn, or of those since the reset.
        assert (gathered <= ((1 << ADD) - 1) * (since + 1));

        if (low_read && bus_ready && is_mine) assert (bus_answer == answer[31:0]);
        if (bus_valid && bus_ready && bus_address[2] && mine && bus_address[11:3] < COUNTERS) assert (bus_answer == high);
        if (mine) assert (\dut.high_reg == high);
        assert (waits <= TURNS);
        if (waits != 0) assert (\dut.then_valid_reg && waits + to_come <= TURNS);
        if (bus_valid && bus_ready) assert (bus_error == bus_write);
    end

    // What may come: a history has each.
    always @* if (started) begin
        cover (&add);
        cover (add == 0 && !rst);
        cover (add == 1);
        cover (&add && low_read && is_mine && bus_ready);
        cover (rst && &add);
        cover (low_read && !bus_ready);
        cover (bus_valid && bus_write);
        cover (bus_valid && !bus_write && bus_address[2]);
        cover (bus_valid && bus_address[11:3] >= COUNTERS);
        cover (low_read && !is_mine && bus_ready);
        cover (sum == 2);
    end
endmodule
