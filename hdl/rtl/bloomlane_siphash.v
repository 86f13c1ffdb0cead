// The SipHash of a packet's field, with a key that is programmed at run time: SipHash-1-3, or with other
// numbers of rounds.
//
// The field is a message of FIELD_BYTES bytes, byte 0 first. The key is 16 bytes in words of 32 bits, word 0
// its first four bytes, first byte most significant. Until every word is written the hash is undefined. A word
// acts on fields that come in from its clock on, and on one that waits for an advance.
//
// Who does not know the key can neither tell hashes nor find fields that collide, also after having seen hashes
// of fields of their choice: that is the aim of its authors, and of SipHash-1-3 no way to do it is known.
//
// Parameters
//   FIELD_BYTES   bytes of the field, 4 to 40
//   COMPRESSION   rounds for each 8 bytes of the message, 1 to 4
//   FINALIZATION  rounds at the end, 1 to 4
// Latency: 2 + 2 * (COMPRESSION * (FIELD_BYTES / 8 + 1) + FINALIZATION) clocks, FIELD_BYTES / 8 rounded down;
//   one field a clock
// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012; package filter/key has
//   SipHash-1-3 in Go
`default_nettype none

module bloomlane_siphash #(
    parameter FIELD_BYTES  = 13,
    parameter COMPRESSION  = 1,
    parameter FINALIZATION = 3
) (
    input  wire                     clk,
    input  wire                     advance,   // clock enable of the hash's stages

    input  wire                     key_write,
    input  wire [1:0]               key_word,
    input  wire [31:0]              key_data,

    input  wire [8*FIELD_BYTES-1:0] field,     // byte 0 is the most significant
    output wire [63:0]              hash
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(FIELD_BYTES >= 4 && FIELD_BYTES <= 40)) begin : refused_FIELD_BYTES
            FIELD_BYTES_must_be_4_to_40 refused ();
        end
        if (!(COMPRESSION >= 1 && COMPRESSION <= 4)) begin : refused_COMPRESSION
            COMPRESSION_must_be_1_to_4 refused ();
        end
        if (!(FINALIZATION >= 1 && FINALIZATION <= 4)) begin : refused_FINALIZATION
            FINALIZATION_must_be_1_to_4 refused ();
        end
    endgenerate

    localparam FIELD  = 8 * FIELD_BYTES;
    localparam WORDS  = FIELD_BYTES / 8 + 1;
    localparam TAKEN  = 2 * COMPRESSION * WORDS;    // half rounds until the message is taken
    localparam STAGES = TAKEN + 2 * FINALIZATION;   // half rounds, a clock each

    localparam [31:0] LENGTH = FIELD_BYTES;

    // A message's bytes are in the order of its words, the first one the least significant.
    function [FIELD-1:0] message_of(input [FIELD-1:0] bytes);
        integer i;
        for (i = 0; i < FIELD_BYTES; i = i + 1)
            message_of[8*i +: 8] = bytes[8*(FIELD_BYTES-1-i) +: 8];
    endfunction

    function [63:0] little_endian(input [63:0] bytes);
        integer i;
        for (i = 0; i < 8; i = i + 1)
            little_endian[8*i +: 8] = bytes[8*(7-i) +: 8];
    endfunction

    // A word of a message: at its end are zeros, and the length in the last byte.
    function [63:0] word(input [FIELD-1:0] message, input integer number);
        reg [64*WORDS-1:0] padded;
        begin
            padded              = {64*WORDS{1'b0}};
            padded[FIELD-1:0]   = message;
            padded[64*WORDS-1 -: 8] = LENGTH[7:0];
            word                = padded[64*number +: 64];
        end
    endfunction

    // The messages of the stages, the newest in the lowest bits, as long as they are looked at; and the states,
    // v0 in the lowest bits, number n after n half rounds. What is XORed into a state ahead of a round is there
    // at the end of the one before.
    reg  [127:0]             key_reg;      // its first byte the most significant
    reg  [FIELD*(TAKEN+1)-1:0] message_reg;
    reg  [256*STAGES-1:0]    state_reg;
    reg  [63:0]              hash_reg;

    wire [63:0] k0    = little_endian(key_reg[127:64]);
    wire [63:0] k1    = little_endian(key_reg[63:0]);
    wire [63:0] first = word(message_reg[FIELD-1:0], 0);

    genvar w;
    genvar s;
    generate
        for (w = 0; w < 4; w = w + 1) begin : key
            localparam [31:0] WORD = w;
            always @(posedge clk)
                if (key_write && key_word == WORD[1:0])
                    key_reg[127-32*w -: 32] <= key_data;
        end

        for (s = 0; s < STAGES; s = s + 1) begin : half
            localparam ROUND = s / 2;
            localparam WORD  = ROUND / COMPRESSION; // whose rounds these are; from WORDS on those at the end

            wire [63:0] v0 = state_reg[256*s +: 64];
            wire [63:0] v1 = state_reg[256*s+64 +: 64];
            wire [63:0] v2 = state_reg[256*s+128 +: 64];
            wire [63:0] v3 = state_reg[256*s+192 +: 64];

            if (s % 2 == 0) begin : one
                wire [63:0] sum_0 = v0 + v1;
                wire [63:0] sum_2 = v2 + v3;
                always @(posedge clk)
                    if (advance)
                        state_reg[256*(s+1) +: 256] <= {
                            {v3[47:0], v3[63:48]} ^ sum_2, sum_2,
                            {v1[50:0], v1[63:51]} ^ sum_0, {sum_0[31:0], sum_0[63:32]}};
            end else if (s < STAGES - 1) begin : two
                wire [63:0] sum_0 = v0 + v3;
                wire [63:0] sum_2 = v2 + v1;
                wire [63:0] new_3 = {v3[42:0], v3[63:43]} ^ sum_0;
                wire [63:0] new_2 = {sum_2[31:0], sum_2[63:32]};
                wire [63:0] new_1 = {v1[46:0], v1[63:47]} ^ sum_2;

                if (s < TAKEN && ROUND % COMPRESSION == COMPRESSION - 1) begin : taken
                    wire [FIELD-1:0] message = message_reg[FIELD*(s+1) +: FIELD];
                    if (WORD < WORDS - 1) begin : next
                        always @(posedge clk)
                            if (advance)
                                state_reg[256*(s+1) +: 256] <= {new_3 ^ word(message, WORD + 1), new_2, new_1,
                                                                sum_0 ^ word(message, WORD)};
                    end else begin : last
                        always @(posedge clk)
                            if (advance)
                                state_reg[256*(s+1) +: 256] <= {new_3, new_2 ^ 64'hff, new_1,
                                                                sum_0 ^ word(message, WORD)};
                    end
                end else begin : going_on
                    always @(posedge clk)
                        if (advance)
                            state_reg[256*(s+1) +: 256] <= {new_3, new_2, new_1, sum_0};
                end
            end else begin : last
                // v0 ^ v1 ^ v2 ^ v3 after it, in which v0 is twice.
                wire [63:0] sum_2 = v2 + v1;
                always @(posedge clk)
                    if (advance)
                        hash_reg <= {v3[42:0], v3[63:43]} ^ {v1[46:0], v1[63:47]} ^
                                    sum_2 ^ {sum_2[31:0], sum_2[63:32]};
                wire unused = &{1'b0, v0};
            end
        end
    endgenerate

    always @(posedge clk)
        if (advance) begin
            message_reg      <= {message_reg[FIELD*TAKEN-1:0], message_of(field)};
            state_reg[255:0] <= {k1 ^ 64'h7465646279746573 ^ first, k0 ^ 64'h6c7967656e657261,
                                 k1 ^ 64'h646f72616e646f6d, k0 ^ 64'h736f6d6570736575};
        end

    assign hash = hash_reg;

    // Of the oldest message the last word alone is looked at.
    wire unused = &{1'b0, message_reg[FIELD*(TAKEN+1)-1 -: FIELD]};
endmodule

`default_nettype wire
