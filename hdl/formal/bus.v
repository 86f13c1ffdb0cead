// bloomlane_bus passes a request to the target of its window alone, and that target's answer back; behind the last target
// it answers itself.
module bus #(parameter TARGETS = 3) (
    input bus_valid, bus_write, input [15:0] bus_address,
    input [TARGETS-1:0] target_ready, target_error, input [32*TARGETS-1:0] target_answer
);
    wire               bus_ready, bus_error;
    wire [31:0]        bus_answer;
    wire [TARGETS-1:0] target_valid;
    bloomlane_bus #(.TARGETS(TARGETS)) dut (
        .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address), .bus_ready(bus_ready), .bus_answer(bus_answer),
        .bus_error(bus_error), .target_valid(target_valid), .target_ready(target_ready), .target_answer(target_answer),
        .target_error(target_error)
    );
`ifdef BUG_WINDOW // windows of half the size
    wire [4:0] window = bus_address >> 11;
`else
    wire [4:0] window = bus_address >> 12;
`endif
    always @* if (window < TARGETS) begin
        assert (target_valid == bus_valid << window);
        assert ({bus_ready, bus_error} == {target_ready[window], target_error[window]});
        assert (bus_answer == target_answer[32*window +: 32]);
    end else begin
        assert (target_valid == 0);
        assert (bus_ready && bus_answer == 0 && bus_error == bus_write);
    end

    // What may come: a history has each.
    always @* begin
        cover (bus_valid && window == 0);
        cover (bus_valid && window == TARGETS - 1);
        cover (bus_valid && window == TARGETS);
        cover (bus_valid && window == 15);
        cover (bus_write && !bus_ready);
        cover (bus_valid && !bus_write && bus_error);
        cover (bus_address[11:0] == 12'hffc);
    end
endmodule
