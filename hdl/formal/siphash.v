// bloomlane_siphash is its definition, whatever stalls, with a key that is written at any time: by induction, for
// every field and every key. The definition is written from the paper, and takes the two halves of a round in two
// advances: each register of the hash has what it says. Histories from reset, which show that each assertion is
// asked, and find a planted bug, are of one key and one field: a solver can hardly choose others.
`ifdef COVER
`define ONE
`elsif BUG_ROTATION
`define ONE
`endif

module siphash #(parameter FIELD_BYTES = 4, parameter COMPRESSION = 1, parameter FINALIZATION = 3) (
    input clk, advance, key_write, input [1:0] key_word, input [31:0] key_data,
    input [8*FIELD_BYTES-1:0] field
);
    localparam WORDS  = FIELD_BYTES / 8 + 1;
    localparam TAKEN  = COMPRESSION * WORDS;
    localparam HALVES = 2 * (TAKEN + FINALIZATION);
    localparam FIELD  = 8 * FIELD_BYTES;

    wire [63:0] hash;
    bloomlane_siphash #(.FIELD_BYTES(FIELD_BYTES), .COMPRESSION(COMPRESSION), .FINALIZATION(FINALIZATION)) dut (
        clk, advance, key_write, key_word, key_data, field, hash);

    // Word n of a message, from byte 8n on, the first byte the least significant. The last word ends with the
    // message's length modulo 256, and has zeros ahead of that.
    function [63:0] word(input [FIELD-1:0] message, input integer n);
        integer i;
        begin
            word = 0;
            for (i = 0; i < 8; i = i + 1)
                if (8*n + i < FIELD_BYTES)
                    word[8*i +: 8] = message[8*(FIELD_BYTES-1-8*n-i) +: 8];
            if (n == WORDS - 1)
                word[63:56] = FIELD_BYTES;
        end
    endfunction

    // What is XORed into the state ahead of a round.
    function [255:0] ahead(input [255:0] state, input [FIELD-1:0] message, input integer round);
        begin
            ahead = state;
            if (round < TAKEN && round % COMPRESSION == 0)
                ahead[255:192] = state[255:192] ^ word(message, round / COMPRESSION);
            if (round == TAKEN)
                ahead[191:128] = state[191:128] ^ 64'hff;
        end
    endfunction

    // Half a round: figure 2.1 of the paper, above and below the middle, with what is XORed ahead of it and after it.
    function [255:0] half(input [255:0] state, input [FIELD-1:0] message, input integer n);
        reg [63:0] v0, v1, v2, v3;
        begin
            if (n % 2 == 0) begin
                {v3, v2, v1, v0} = ahead(state, message, n / 2);
                v0 = v0 + v1;               v2 = v2 + v3;
                v1 = v1 << 13 | v1 >> 51;   v3 = v3 << 16 | v3 >> 48;
                v1 = v1 ^ v0;               v3 = v3 ^ v2;
                v0 = v0 << 32 | v0 >> 32;
            end else begin
                {v3, v2, v1, v0} = state;
                v2 = v2 + v1;               v0 = v0 + v3;
`ifdef BUG_ROTATION
                v1 = v1 << 17 | v1 >> 47;   v3 = v3 << 20 | v3 >> 44;
`else
                v1 = v1 << 17 | v1 >> 47;   v3 = v3 << 21 | v3 >> 43;
`endif
                v1 = v1 ^ v2;               v3 = v3 ^ v0;
                v2 = v2 << 32 | v2 >> 32;
                if (n / 2 < TAKEN && n / 2 % COMPRESSION == COMPRESSION - 1)
                    v0 = v0 ^ word(message, n / 2 / COMPRESSION);
            end
            half = {v3, v2, v1, v0};
        end
    endfunction

    // The key as it was written: two numbers, each byte the more significant the later it comes.
    reg [127:0] key;
    reg [3:0]   written = 0;
    integer w, b;
    always @(posedge clk)
        for (w = 0; w < 4; w = w + 1)
            if (key_write && key_word == w) begin
                for (b = 0; b < 4; b = b + 1)
                    key[8*(4*w+b) +: 8] <= key_data[8*(3-b) +: 8];
                written[w] <= 1;
            end

`ifdef ONE
    reg [1:0] clock = 0;
    always @(posedge clk) clock <= clock + 1;
    always @* begin
        assume (advance && key_write && key_word == clock);
        assume (key_data == {6'd0, clock, 24'h6a09e6} && field == {FIELD_BYTES{8'hbb}});
    end
`endif

    // The newest first: messages, and states after 0 to HALVES halves of rounds. What is known of a state is known
    // of its message.
    reg [FIELD*(HALVES+2)-1:0] message;
    reg [256*(HALVES+1)-1:0]   state;
    reg [HALVES:0]             known = 0;
    reg [HALVES+1:0]           came  = 0;
    integer n;
    always @(posedge clk) if (advance) begin
        message      <= {message, field};
        came         <= {came, 1'b1};
        state[255:0] <= {key[127:64] ^ "tedbytes", key[63:0] ^ "lygenera", key[127:64] ^ "dorandom",
                         key[63:0] ^ "somepseu"};
        known        <= {known, &written && came[0]};
        for (n = 0; n < HALVES; n = n + 1)
            state[256*(n+1) +: 256] <= half(state[256*n +: 256], message[FIELD*(n+1) +: FIELD], n);
    end

    always @* assert (!(known & ~(came >> 1)));

    (* hierconn *) wire [127:0]                \dut.key_reg ;
    (* hierconn *) wire [FIELD*(2*TAKEN+1)-1:0] \dut.message_reg ;
    (* hierconn *) wire [256*HALVES-1:0]       \dut.state_reg ;
    genvar k;
    generate
        for (k = 0; k < 16; k = k + 1) begin : byte_of_key
            always @* if (written[k/4]) assert (\dut.key_reg [8*(15-k) +: 8] == key[8*k +: 8]);
        end
        for (k = 0; k < FIELD_BYTES * (2*TAKEN+1); k = k + 1) begin : byte_of_message
            localparam HIGH = FIELD*(k/FIELD_BYTES+1) - 1 - 8*(k%FIELD_BYTES);
            always @* if (came[k/FIELD_BYTES]) assert (\dut.message_reg [8*k +: 8] == message[HIGH -: 8]);
        end
        for (k = 0; k < HALVES; k = k + 1) begin : state_after
            wire [255:0] expected = state[256*k +: 256];
            if (k % 2 == 0) begin : round // the hash has what comes ahead of it
                always @* if (known[k])
                    assert (\dut.state_reg [256*k +: 256] == ahead(expected, message[FIELD*(k+1) +: FIELD], k / 2));
            end else begin : middle
                always @* if (known[k]) assert (\dut.state_reg [256*k +: 256] == expected);
            end
        end
    endgenerate
    wire [63:0] v3, v2, v1, v0;
    assign {v3, v2, v1, v0} = state[256*HALVES +: 256];
    always @* if (known[HALVES]) assert (hash == (v0 ^ v1 ^ v2 ^ v3));
endmodule
