// A queue of the RTL holds the words of a model of it, which has the oldest lowest: n words, of which those
// that matter are compared. They are in the register at the output, if there is one, in the memory's output
// register, and in the memory from read on.
module formal_queue #(
    parameter WIDTH = 1, parameter LOG2_DEPTH = 2, parameter OUTPUT = 0, parameter N = (1 << LOG2_DEPTH) + 1,
    parameter WAITS = 0 // 1: words may stay in the memory though the registers are free
) (
    input                            started,
    input [3:0]                      n,
    input [WIDTH*N-1:0]              words,
    input [N-1:0]                    matters,
    input [LOG2_DEPTH:0]             count,
    input [LOG2_DEPTH-1:0]           read, write,
    input [8*WIDTH-1:0]              memory,
    input                            head_valid,
    input [WIDTH-1:0]                head,
    input                            out_valid,
    input [WIDTH-1:0]                out
);
    wire [1:0]            outside = head_valid + out_valid;
    wire [LOG2_DEPTH-1:0] after_last = read + count;
    reg  [LOG2_DEPTH-1:0] at;
    reg  [WIDTH-1:0]      word;
    reg                   same;
    integer i;
    always @* begin
        same = 1;
        for (i = 0; i < N; i = i + 1) begin
            at   = read + i - outside;
            word = out_valid && i == 0 ? out : i < outside ? head : memory >> WIDTH * at;
            if (i < n && matters[i] && word != words[WIDTH*i +: WIDTH]) same = 0;
        end
    end
    always @* if (started) begin
        assert (n == count + outside);
        assert (count <= 1 << LOG2_DEPTH);
        assert (write == after_last);
        assert (same);
    end
    generate
        if (!WAITS) begin : prompt
            always @* if (started && (!head_valid || OUTPUT && !out_valid)) assert (count <= 1);
        end
    endgenerate
endmodule
