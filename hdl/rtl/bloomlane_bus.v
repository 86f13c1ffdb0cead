// The targets of the register bus, each at a window of 4 KiB: target i at 4096*i.
//
// A request goes to the target of its window alone. Behind the last one a read is 0, and a write is refused.
//
// Parameters
//   TARGETS  number of targets, 1 to 16
// Latency: none
`default_nettype none

module bloomlane_bus #(
    parameter TARGETS = 2
) (
    input  wire                  bus_valid,
    input  wire                  bus_write,
    input  wire [15:0]           bus_address,
    output wire                  bus_ready,
    output wire [31:0]           bus_answer,
    output wire                  bus_error,

    output wire [TARGETS-1:0]    target_valid, // what else a request has goes to all of them
    input  wire [TARGETS-1:0]    target_ready,
    input  wire [32*TARGETS-1:0] target_answer,
    input  wire [TARGETS-1:0]    target_error
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(TARGETS >= 1 && TARGETS <= 16)) begin : refused_TARGETS
            TARGETS_must_be_1_to_16 refused ();
        end
    endgenerate

    reg         ready;
    reg  [31:0] answer;
    reg         error;
    integer     i;

    always @* begin
        ready  = 1'b1;
        answer = 32'd0;
        error  = bus_write;
        for (i = 0; i < TARGETS; i = i + 1)
            if ({28'd0, bus_address[15:12]} == i) begin
                ready  = target_ready[i];
                answer = target_answer[32*i +: 32];
                error  = target_error[i];
            end
    end

    genvar t;
    generate
        for (t = 0; t < TARGETS; t = t + 1) begin : target
            localparam [31:0] NUMBER = t;
            assign target_valid[t] = bus_valid && bus_address[15:12] == NUMBER[3:0];
        end
    endgenerate

    assign bus_ready  = ready;
    assign bus_answer = answer;
    assign bus_error  = error;

    wire unused = &{1'b0, bus_address[11:0]};
endmodule

`default_nettype wire
