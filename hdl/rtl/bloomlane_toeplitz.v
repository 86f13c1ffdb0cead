// The Toeplitz hash of a packet's field, with a key that is programmed at run time.
//
// Bit n of the field, counted from the most significant bit of its first byte, selects the 64 bits
// of the key from bit n on; the hash is the XOR of what is selected. Its upper half is the 32-bit
// hash of receive-side scaling (RSS). The key is FIELD_BYTES + 8 bytes, in words of 32 bits, word 0
// its first four bytes, first byte most significant; bytes and words past its end are ignored. Until every
// word is written the hash is undefined. A word acts on fields that come in from its clock on, and on
// one that waits for an advance.
//
// The hash is linear: hash(x ^ y) = hash(x) ^ hash(y). Who learns a few hashes, or sees which keys
// collide, can solve for more: it spreads benign load, and does not resist an adversary.
//
// Parameters
//   FIELD_BYTES  bytes of the field, 1 to 40
// Latency: 3 clocks, one field a clock
// Source: Krawczyk, "LFSR-based Hashing and Authentication", CRYPTO 1994; Microsoft, "RSS Hashing
//   Functions", for the bit order; package hdl/toeplitz is the same in Go
`default_nettype none

module bloomlane_toeplitz #(
    parameter FIELD_BYTES = 13
) (
    input  wire                                    clk,
    input  wire                                    advance,   // clock enable of the hash's stages

    input  wire                                    key_write,
    input  wire [$clog2((FIELD_BYTES+11)/4)-1:0]   key_word,
    input  wire [31:0]                             key_data,

    input  wire [8*FIELD_BYTES-1:0]                field,     // byte 0 is the most significant
    output wire [63:0]                             hash
);
    // No parameters but these: there is no module of such a name.
    generate
        if (!(FIELD_BYTES >= 1 && FIELD_BYTES <= 40)) begin : refused_FIELD_BYTES
            FIELD_BYTES_must_be_1_to_40 refused ();
        end
    endgenerate

    localparam FIELD_BITS = 8 * FIELD_BYTES;
    localparam WORDS      = (FIELD_BYTES + 11) / 4;
    localparam KEY_BITS   = 32 * WORDS;
    localparam ADDRESS    = $clog2(WORDS);

    // The first stage XORs 18 selected bits into one, the second what it has of up to 18 groups: each is
    // three levels of LUT4, the ANDs included. With groups of 36 the first stage is a level of LUT4 deeper,
    // and the hash of 13 bytes takes an eighth more LUT6, with 192 flip-flops less.
    localparam GROUP      = 18;
    localparam GROUPS     = (FIELD_BITS + GROUP - 1) / GROUP;

    reg [KEY_BITS-1:0]   key_reg;   // its first bit the most significant
    reg [FIELD_BITS-1:0] field_reg;

    always @(posedge clk)
        if (advance)
            field_reg <= field;

    genvar w;
    genvar j;
    genvar g;
    generate
        for (w = 0; w < WORDS; w = w + 1) begin : key
            localparam [31:0] WORD = w;
            always @(posedge clk)
                if (key_write && key_word == WORD[ADDRESS-1:0])
                    key_reg[KEY_BITS-1-32*w -: 32] <= key_data;
        end

        for (j = 0; j < 64; j = j + 1) begin : bit_of_hash
            wire [FIELD_BITS-1:0] selected = field_reg & key_reg[KEY_BITS-1-j -: FIELD_BITS];
            reg  [GROUPS-1:0]     sum_reg;
            reg                   hash_reg;

            for (g = 0; g < GROUPS; g = g + 1) begin : group
                localparam LOW  = GROUP * g;
                localparam BITS = FIELD_BITS - LOW < GROUP ? FIELD_BITS - LOW : GROUP;
                always @(posedge clk)
                    if (advance)
                        sum_reg[g] <= ^selected[LOW +: BITS];
            end

            always @(posedge clk)
                if (advance)
                    hash_reg <= ^sum_reg;
            assign hash[63-j] = hash_reg;
        end
    endgenerate

`ifdef BLOOMLANE_CHECK
    always @(posedge clk)
        if (key_write && {{32-ADDRESS{1'b0}}, key_word} >= WORDS) begin
            $display("%m: key_word is %0d, and the key has %0d words", key_word, WORDS);
            $stop;
        end
`endif

    // The key's last bit, and what its last word has after it, select nothing.
    wire unused = &{1'b0, key_reg[KEY_BITS-FIELD_BITS-64:0]};
endmodule

`default_nettype wire
