// Where the beats of a packet lie with respect to a field: before it, in which part of it, after it.
//
// The outputs tell of the next beat, the one that step takes, and are registered.
//
// Parameters
//   FIRST_BEAT  beat of the packet where the field starts, from 0
//   PARTS       beats that the field lies in, at least 1
// Latency: 1 clock from a beat's step to what is told of its successor
`default_nettype none

module bloomlane_locate #(
    parameter FIRST_BEAT = 0,
    parameter PARTS      = 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             step,  // the beat is taken
    input  wire             last,  // … and is the last of its packet
    output wire             first, // it is the first of its packet
    output wire [PARTS-1:0] part,  // it holds this part of the field
    output wire             after  // the field is over
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(FIRST_BEAT >= 0)) begin : refused_FIRST_BEAT
            FIRST_BEAT_must_be_0_or_more refused ();
        end
        if (!(PARTS >= 1)) begin : refused_PARTS
            PARTS_must_be_1_or_more refused ();
        end
    endgenerate

    // Beats are counted up to the one after the field.
    localparam [31:0] AFTER = FIRST_BEAT + PARTS;
    localparam        COUNT = $clog2(FIRST_BEAT + PARTS + 1);

    reg [COUNT-1:0] beat_reg;
    reg [COUNT-1:0] beat_next;
    reg             first_reg;
    reg [PARTS-1:0] part_reg;
    reg             after_reg;

    always @* begin
        beat_next = beat_reg;
        if (step) begin
            if (last)
                beat_next = {COUNT{1'b0}};
            else if (!after_reg)
                beat_next = beat_reg + 1'b1;
        end
        if (rst)
            beat_next = {COUNT{1'b0}};
    end

    always @(posedge clk) begin
        beat_reg  <= beat_next;
        first_reg <= beat_next == 0;
        after_reg <= beat_next == AFTER[COUNT-1:0];
    end

    genvar p;
    generate
        for (p = 0; p < PARTS; p = p + 1) begin : locate
            localparam [31:0] BEAT = FIRST_BEAT + p;
            always @(posedge clk)
                part_reg[p] <= beat_next == BEAT[COUNT-1:0];
        end
    endgenerate

    assign first = first_reg;
    assign part  = part_reg;
    assign after = after_reg;
endmodule

`default_nettype wire
