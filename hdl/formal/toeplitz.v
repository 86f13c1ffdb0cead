// bloomlane_toeplitz is its definition: the XOR of the windows of the key that the field's ones select, three
// clocks later, with a key that is written at any time. By induction. Parities of many bits are hard to
// compare: only one bit of the field in STRIDE is free, from bit SHIFT on; the others are zeros. The key is any.
module toeplitz #(parameter FIELD_BYTES = 4, parameter STRIDE = 5, parameter SHIFT = 0) (
    input clk, key_write, input [$clog2((FIELD_BYTES+11)/4)-1:0] key_word, input [31:0] key_data,
    input [8*FIELD_BYTES-1:0] any
);
    localparam WORDS = (FIELD_BYTES + 11) / 4;
    localparam BITS  = 8 * FIELD_BYTES;

    reg [BITS-1:0] field;
    integer n;
    always @* for (n = 0; n < BITS; n = n + 1) field[n] = any[n] && n % STRIDE == SHIFT;

    wire [63:0] hash;
    bloomlane_toeplitz #(.FIELD_BYTES(FIELD_BYTES)) dut (clk, 1'b1, key_write, key_word, key_data, field, hash);

    // The key as it was written, word 0 on top, and the definition, with the key a clock after the field.
    reg [32*WORDS-1:0] key;
    reg [BITS-1:0]     field_1;
    reg [63:0]         sum, sum_2, sum_3;
    always @* begin
        sum = 0;
        for (n = 0; n < BITS; n = n + 1)
`ifdef BUG_ORDER // the field's last bit first
            if (field_1[n]) sum = sum ^ (key >> (32*WORDS - 64 - n));
`else
            if (field_1[BITS-1-n]) sum = sum ^ (key >> (32*WORDS - 64 - n));
`endif
    end

    reg [WORDS-1:0] written = 0;
    reg [2:0]       known   = 0;
    integer w;
    always @(posedge clk) begin
        for (w = 0; w < WORDS; w = w + 1)
            if (key_write && key_word == w) begin
                key[32*(WORDS-1-w) +: 32] <= key_data;
                written[w] <= 1;
            end
        field_1 <= field;
        sum_2   <= sum;
        sum_3   <= sum_2;
        known   <= {known, &written};
    end

    (* hierconn *) wire [32*WORDS-1:0] \dut.key_reg ;
    genvar k;
    generate
        for (k = 0; k < WORDS; k = k + 1) begin : word
            always @* if (written[k])
                assert (\dut.key_reg [32*(WORDS-1-k) +: 32] == key[32*(WORDS-1-k) +: 32]);
        end
    endgenerate
    always @* if (known[1]) assert (hash == sum_3);
endmodule
