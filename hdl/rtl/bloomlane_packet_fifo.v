// A queue of packets: one leaves when it is whole in the memory, and never in part.
//
// A packet whose last word comes with in_drop is dropped, such as one that a filter does not let pass. So
// is a packet that finds no room: packets leave without a gap, each of them whole, in order. lost is high
// for a clock behind the last word of a packet that found no room, and would have been kept.
//
// in_valid, in_ready, in_last and in_data, and the same of out, are an AXI4-Stream: in_data is tdata, tkeep
// and the side bands side by side.
//
// Parameters
//   WIDTH       bits of a word, at least 1
//   LOG2_DEPTH  log2 of the words in the memory, 2 to 20; the longest packet has a word less: 9 for 1,518
//               bytes on a bus of 64 bits
//   DROP_FULL   1: in_ready is always high, and a packet that comes while the memory is full is dropped: for
//               a source that cannot wait, such as a MAC. 0: the source waits for room, and only a packet
//               that is longer than the memory is dropped
//   OUTPUT      1: a further register at the output, for parts whose memories answer late; 0: none
// Latency: 2 + OUTPUT clocks from a packet's last word in to its first word out, one word a clock
`default_nettype none

module bloomlane_packet_fifo #(
    parameter WIDTH      = 8,
    parameter LOG2_DEPTH = 9,
    parameter DROP_FULL  = 0,
    parameter OUTPUT     = 0
) (
    input  wire             clk,
    input  wire             rst,

    input  wire             in_valid,
    output wire             in_ready,
    input  wire             in_last,
    input  wire             in_drop, // with the last word: the packet is dropped
    input  wire [WIDTH-1:0] in_data,

    output wire             out_valid,
    input  wire             out_ready,
    output wire             out_last,
    output wire [WIDTH-1:0] out_data,

    output wire             lost
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(WIDTH >= 1)) begin : refused_WIDTH
            WIDTH_must_be_1_or_more refused ();
        end
        if (!(LOG2_DEPTH >= 2 && LOG2_DEPTH <= 20)) begin : refused_LOG2_DEPTH
            LOG2_DEPTH_must_be_2_to_20 refused ();
        end
        if (!(DROP_FULL == 0 || DROP_FULL == 1)) begin : refused_DROP_FULL
            DROP_FULL_must_be_0_or_1 refused ();
        end
        if (!(OUTPUT == 0 || OUTPUT == 1)) begin : refused_OUTPUT
            OUTPUT_must_be_0_or_1 refused ();
        end
    endgenerate

    localparam DEPTH = 1 << LOG2_DEPTH;

    // The words in the memory at which it counts as full: one more may be on its way in.
    localparam [31:0]         LIMIT       = DEPTH - 1;
    localparam [LOG2_DEPTH:0] ALMOST_FULL = LIMIT[LOG2_DEPTH:0];

    (* no_rw_check *) // a word is never read in the clock that writes it
    reg [WIDTH:0]        memory [0:DEPTH-1];
    reg [LOG2_DEPTH-1:0] write_reg;
    reg [LOG2_DEPTH-1:0] start_reg; // of the packet that comes in
    reg [LOG2_DEPTH-1:0] read_reg;
    reg [LOG2_DEPTH:0]   count_reg; // words in the memory
    reg [LOG2_DEPTH:0]   whole_reg; // those of them whose packet is whole
    reg                  full_reg;
    reg                  losing_reg; // the packet that comes in has found no room
    reg                  lost_reg;
    reg                  head_valid_reg;
    reg [WIDTH:0]        head_reg; // the memory's output register
    wire                 head_take;

    // A source that waits is let in again when the memory holds nothing but its own packet, which is too long.
    wire take  = in_valid && in_ready;
    wire loses = losing_reg || full_reg;
    wire push  = take && !loses;
    wire pull  = (!head_valid_reg || head_take) && whole_reg != 0;
    wire drop  = take && in_last && (loses || in_drop); // what of the packet is in the memory is given up
    wire keep  = push && in_last && !in_drop;

    wire [LOG2_DEPTH:0] count_kept = drop ? whole_reg : count_reg;
    wire [LOG2_DEPTH:0] whole_kept = keep ? count_reg : whole_reg;

    assign in_ready = DROP_FULL != 0 || !full_reg || losing_reg;
    assign lost     = lost_reg;

    always @(posedge clk) begin
        if (push)
            memory[write_reg] <= {in_last, in_data};
        if (pull)
            head_reg <= memory[read_reg];
    end

    always @(posedge clk) begin
        if (drop)
            write_reg <= start_reg;
        else if (push)
            write_reg <= write_reg + 1'b1;
        if (keep)
            start_reg <= write_reg + 1'b1;
        if (pull)
            read_reg <= read_reg + 1'b1;
        count_reg <= count_kept + {{LOG2_DEPTH{1'b0}}, push && !drop} - {{LOG2_DEPTH{1'b0}}, pull};
        whole_reg <= whole_kept + {{LOG2_DEPTH{1'b0}}, keep} - {{LOG2_DEPTH{1'b0}}, pull};
        full_reg  <= count_kept >= ALMOST_FULL;
        if (!head_valid_reg || head_take)
            head_valid_reg <= pull;

        losing_reg <= take ? loses && !in_last : losing_reg || count_reg >= ALMOST_FULL && whole_reg == 0;
        lost_reg   <= take && in_last && loses && !in_drop;

        if (rst) begin
            write_reg      <= {LOG2_DEPTH{1'b0}};
            start_reg      <= {LOG2_DEPTH{1'b0}};
            read_reg       <= {LOG2_DEPTH{1'b0}};
            count_reg      <= {LOG2_DEPTH+1{1'b0}};
            whole_reg      <= {LOG2_DEPTH+1{1'b0}};
            full_reg       <= DROP_FULL == 0; // not ready in a reset
            losing_reg     <= 1'b0;
            lost_reg       <= 1'b0;
            head_valid_reg <= 1'b0;
        end
    end

`ifdef BLOOMLANE_CHECK
    reg           waits_reg = 1'b0; // for in_ready
    reg [WIDTH:0] word_reg;

    always @(posedge clk) begin
        waits_reg <= in_valid && !in_ready && !rst;
        word_reg  <= {in_last, in_data};
        if (waits_reg && !rst && !(in_valid && {in_last, in_data} === word_reg)) begin
            $display("%m: in_valid, in_last or in_data changes before in_ready");
            $stop;
        end
    end
`endif

    generate
        if (OUTPUT != 0) begin : registered
            reg           out_valid_reg;
            reg [WIDTH:0] out_reg;

            always @(posedge clk) begin
                if (!out_valid_reg || out_ready) begin
                    out_valid_reg <= head_valid_reg;
                    out_reg       <= head_reg;
                end
                if (rst)
                    out_valid_reg <= 1'b0;
            end

            assign head_take            = !out_valid_reg || out_ready;
            assign out_valid            = out_valid_reg;
            assign {out_last, out_data} = out_reg;
        end else begin : direct
            assign head_take            = out_ready;
            assign out_valid            = head_valid_reg;
            assign {out_last, out_data} = head_reg;
        end
    endgenerate
endmodule

`default_nettype wire
