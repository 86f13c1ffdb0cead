/*
 * bloomlane.h: Bloomlane's blocks, hashes and files in C99, without a library. README.md says how
 * to use it. DESIGN.md defines the blocks, docs/format.md the files; tests hold this header to the
 * definition in Go.
 *
 * With BLM_NO_FILES, and for BPF, there are only the blocks and the hashes, of which BPF has no
 * AES-PMAC. They call no function of a library, but that a hosted program asks it what the CPU has,
 * and the only loops without a constant bound are those over bytes of a key and over a batch.
 */
#ifndef BLOOMLANE_H
#define BLOOMLANE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __bpf__
#define BLM_NO_FILES
#define BLM_FUNCTION static inline __attribute__((always_inline))
#else
#define BLM_FUNCTION static inline
#endif

/* ---- Blocks ------------------------------------------------------------------------------- */

/* A block has eight lanes in the byte order of the host. Lane 0 is the collision lane. */
typedef struct {
    uint64_t lane[8];
} blm_block512;

typedef struct {
    uint32_t lane[8];
} blm_block256;

/* What a delete did. */
enum {
    BLM_ABSENT = 0,   /* the key was not present; nothing was touched */
    BLM_RETAINED = 1, /* every bit of the key lies in a collided region: it stays visible */
    BLM_DELETED = 2   /* at least one bit was cleared */
};

/*
 * Returns the block, of a table of nblocks, that a hash belongs to: the high 64 bits of the product.
 * Below 2^32 blocks it takes two multiplications.
 */
BLM_FUNCTION uint64_t blm_index(uint64_t hash, uint64_t nblocks)
{
    uint64_t low = hash & 0xffffffff, high = hash >> 32, n = nblocks & 0xffffffff;
    uint64_t middle = high * n + (low * n >> 32); /* at most (2^32-1)^2 + 2^32-2: no overflow */

    if (nblocks >> 32 == 0)
        return middle >> 32;
    n = nblocks >> 32;
    return high * n + (middle >> 32) + ((low * n + (middle & 0xffffffff)) >> 32);
}

/* Returns the word that the positions of a hash are cut from. */
BLM_FUNCTION uint64_t blm_spread(uint64_t hash)
{
    return hash * UINT64_C(0x9E3779B97F4A7C15);
}

/*
 * For blocks of BITS bits, whose lanes have 2^B bits:
 *
 *   void blm_maskBITS(blm_blockBITS *mask, uint64_t hash)
 *       makes the bits of a key, one in each of the lanes 1 to 7.
 *   int blm_queryBITS(const blm_blockBITS *block, uint64_t hash)
 *       reports whether a key is present. Other threads may write the block meanwhile.
 *   int blm_insertBITS(blm_blockBITS *block, uint64_t hash)
 *       inserts a key, and reports whether it was present before.
 *   int blm_deleteBITS(blm_blockBITS *block, uint64_t hash)
 *       deletes a key, and returns BLM_ABSENT, BLM_RETAINED or BLM_DELETED.
 *   void blm_mergeBITS(blm_blockBITS *block, const blm_blockBITS *other)
 *       makes block the block of both.
 *   size_t blm_query_batchBITS(const blm_blockBITS *table, uint64_t nblocks,
 *                              const uint64_t *hashes, size_t n, uint64_t *present)
 *       returns how many of n keys are present in a table. Bit i % 64 of present[i / 64] says
 *       whether key i is; the unused bits of the last word are zero. present may be NULL.
 *
 * A block that others read has one writer at a time. Inserts and deletes store each lane once at
 * most.
 */
#define BLM_OPERATIONS(BITS, LANE, B)                                                             \
    BLM_FUNCTION LANE blm_own##BITS(uint64_t spread, unsigned lane)                               \
    {                                                                                             \
        return (LANE)1 << (spread >> (64 - (B) * lane) & ((1 << (B)) - 1));                       \
    }                                                                                             \
                                                                                                  \
    BLM_FUNCTION void blm_mask##BITS(blm_block##BITS *mask, uint64_t hash)                        \
    {                                                                                             \
        uint64_t spread = blm_spread(hash);                                                       \
                                                                                                  \
        mask->lane[0] = 0;                                                                        \
        for (unsigned lane = 1; lane < 8; lane++)                                                 \
            mask->lane[lane] = blm_own##BITS(spread, lane);                                       \
    }                                                                                             \
                                                                                                  \
    BLM_FUNCTION int blm_query##BITS(const blm_block##BITS *block, uint64_t hash)                 \
    {                                                                                             \
        uint64_t spread = blm_spread(hash);                                                       \
        LANE missing = 0;                                                                         \
                                                                                                  \
        for (unsigned lane = 1; lane < 8; lane++)                                                 \
            missing |= blm_own##BITS(spread, lane) & ~block->lane[lane];                          \
        return missing == 0;                                                                      \
    }                                                                                             \
                                                                                                  \
    BLM_FUNCTION int blm_insert##BITS(blm_block##BITS *block, uint64_t hash)                      \
    {                                                                                             \
        uint64_t spread = blm_spread(hash);                                                       \
        LANE missing = 0, collided = 0;                                                           \
                                                                                                  \
        for (unsigned lane = 1; lane < 8; lane++) {                                               \
            LANE own = blm_own##BITS(spread, lane), old = block->lane[lane];                      \
                                                                                                  \
            missing |= own & ~old;                                                                \
            collided |= own & old;                                                                \
            block->lane[lane] = old | own;                                                        \
        }                                                                                         \
        block->lane[0] |= collided;                                                               \
        return missing == 0;                                                                      \
    }                                                                                             \
                                                                                                  \
    BLM_FUNCTION int blm_delete##BITS(blm_block##BITS *block, uint64_t hash)                      \
    {                                                                                             \
        uint64_t spread = blm_spread(hash);                                                       \
        LANE clear = 0, free = (LANE)~block->lane[0];                                             \
                                                                                                  \
        if (!blm_query##BITS(block, hash))                                                        \
            return BLM_ABSENT;                                                                    \
        for (unsigned lane = 1; lane < 8; lane++)                                                 \
            clear |= blm_own##BITS(spread, lane) & free;                                          \
        if (clear == 0)                                                                           \
            return BLM_RETAINED;                                                                  \
        for (unsigned lane = 1; lane < 8; lane++)                                                 \
            block->lane[lane] &= ~(blm_own##BITS(spread, lane) & free);                           \
        return BLM_DELETED;                                                                       \
    }                                                                                             \
                                                                                                  \
    BLM_FUNCTION void blm_merge##BITS(blm_block##BITS *block, const blm_block##BITS *other)       \
    {                                                                                             \
        LANE collided = other->lane[0];                                                           \
                                                                                                  \
        for (unsigned lane = 1; lane < 8; lane++) {                                               \
            collided |= block->lane[lane] & other->lane[lane];                                    \
            block->lane[lane] |= other->lane[lane];                                               \
        }                                                                                         \
        block->lane[0] |= collided;                                                               \
    }                                                                                             \
                                                                                                  \
    BLM_FUNCTION size_t blm_query_batch##BITS(const blm_block##BITS *table, uint64_t nblocks,     \
                                              const uint64_t *hashes, size_t n,                   \
                                              uint64_t *present)                                  \
    {                                                                                             \
        size_t count = 0;                                                                         \
        uint64_t found = 0;                                                                       \
                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                          \
            unsigned hit = (unsigned)blm_query##BITS(&table[blm_index(hashes[i], nblocks)],       \
                                                     hashes[i]);                                  \
                                                                                                  \
            found |= (uint64_t)hit << (i % 64);                                                   \
            count += hit;                                                                         \
            if (i % 64 == 63 || i == n - 1) {                                                     \
                if (present != NULL)                                                              \
                    present[i / 64] = found;                                                      \
                found = 0;                                                                        \
            }                                                                                     \
        }                                                                                         \
        return count;                                                                             \
    }

BLM_OPERATIONS(512, uint64_t, 6)
BLM_OPERATIONS(256, uint32_t, 5)

/* ---- Hashes ------------------------------------------------------------------------------- */

/* Little-endian numbers in memory. Compilers make one load of each where the host can. */
BLM_FUNCTION uint32_t blm_load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

BLM_FUNCTION uint64_t blm_load64(const uint8_t *p)
{
    return blm_load32(p) | (uint64_t)blm_load32(p + 4) << 32;
}

BLM_FUNCTION uint64_t blm_rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* SipHash-1-3 with a result of 64 bits. */

typedef struct {
    uint64_t word[2]; /* the 16 bytes of the key, little-endian */
} blm_sip_key;

typedef struct {
    uint64_t v0, v1, v2, v3;
} blm_sip;

BLM_FUNCTION blm_sip blm_sip_begin(const blm_sip_key *key)
{
    blm_sip s;

    s.v0 = key->word[0] ^ UINT64_C(0x736f6d6570736575);
    s.v1 = key->word[1] ^ UINT64_C(0x646f72616e646f6d);
    s.v2 = key->word[0] ^ UINT64_C(0x6c7967656e657261);
    s.v3 = key->word[1] ^ UINT64_C(0x7465646279746573);
    return s;
}

BLM_FUNCTION void blm_sip_round(blm_sip *s)
{
    s->v0 += s->v1;
    s->v1 = blm_rotate(s->v1, 13) ^ s->v0;
    s->v0 = blm_rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = blm_rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = blm_rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = blm_rotate(s->v1, 17) ^ s->v2;
    s->v2 = blm_rotate(s->v2, 32);
}

/* Takes the next 8 bytes of the data, as a little-endian number. */
BLM_FUNCTION void blm_sip_word(blm_sip *s, uint64_t word)
{
    s->v3 ^= word;
    blm_sip_round(s);
    s->v0 ^= word;
}

/* Returns the hash. last has the bytes that are left, and above them the length of the data. */
BLM_FUNCTION uint64_t blm_sip_end(blm_sip *s, uint64_t last)
{
    blm_sip_word(s, last);
    s->v2 ^= 0xff;
    for (int i = 0; i < 3; i++)
        blm_sip_round(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

BLM_FUNCTION blm_sip_key blm_sip_key_of(const uint8_t bytes[16])
{
    blm_sip_key key;

    for (int i = 0; i < 2; i++)
        key.word[i] = blm_load64(bytes + 8 * i);
    return key;
}

/* Returns the hash of n bytes. */
BLM_FUNCTION uint64_t blm_siphash(const blm_sip_key *key, const void *data, size_t n)
{
    const uint8_t *p = (const uint8_t *)data;
    uint64_t last = (uint64_t)n << 56;
    blm_sip s = blm_sip_begin(key);
    size_t i = 0;

    for (; n - i >= 8; i += 8)
        blm_sip_word(&s, blm_load64(p + i));
    for (size_t j = i; j < n; j++)
        last |= (uint64_t)p[j] << (8 * (j - i));
    return blm_sip_end(&s, last);
}

/* Returns the hash of the 8 bytes of x, the least significant first. */
BLM_FUNCTION uint64_t blm_siphash_u64(const blm_sip_key *key, uint64_t x)
{
    blm_sip s = blm_sip_begin(key);

    blm_sip_word(&s, x);
    return blm_sip_end(&s, UINT64_C(8) << 56);
}

/* HighwayHash-64. */

typedef struct {
    uint64_t word[4]; /* the 32 bytes of the key, little-endian */
} blm_highway_key;

typedef struct {
    uint64_t v0[4], v1[4], mul0[4], mul1[4];
} blm_highway;

BLM_FUNCTION blm_highway blm_highway_begin(const blm_highway_key *key)
{
    static const uint64_t mul0[4] = {
        UINT64_C(0xdbe6d5d5fe4cce2f), UINT64_C(0xa4093822299f31d0),
        UINT64_C(0x13198a2e03707344), UINT64_C(0x243f6a8885a308d3)
    };
    static const uint64_t mul1[4] = {
        UINT64_C(0x3bd39e10cb0ef593), UINT64_C(0xc0acf169b5f18a8c),
        UINT64_C(0xbe5466cf34e90c6c), UINT64_C(0x452821e638d01377)
    };
    blm_highway s;

    for (int i = 0; i < 4; i++) {
        s.mul0[i] = mul0[i];
        s.mul1[i] = mul1[i];
        s.v0[i] = mul0[i] ^ key->word[i];
        s.v1[i] = mul1[i] ^ blm_rotate(key->word[i], 32);
    }
    return s;
}

/* Adds the bytes of two lanes a and b, in the order that HighwayHash has. */
BLM_FUNCTION void blm_highway_zipper(uint64_t *to, uint64_t a, uint64_t b)
{
    to[0] += (a >> 24 & 0xff) | (b >> 24 & 0xff00) | (a & 0xff0000) | (a >> 16 & 0xff000000) |
             (b >> 16 & UINT64_C(0xff) << 32) | (a << 32 & UINT64_C(0xff) << 40) |
             (b >> 8 & UINT64_C(0xff) << 48) | a << 56;
    to[1] += (b >> 24 & 0xff) | (a >> 24 & 0xff00) | (b & 0xff0000) | (b >> 16 & 0xff000000) |
             (b << 24 & UINT64_C(0xff) << 32) | (a >> 8 & UINT64_C(0xff) << 40) |
             (b << 48 & UINT64_C(0xff) << 48) | (a & UINT64_C(0xff) << 56);
}

/* Takes the next 32 bytes of the data, as little-endian numbers. */
BLM_FUNCTION void blm_highway_packet(blm_highway *s, const uint64_t packet[4])
{
    for (int i = 0; i < 4; i++) {
        s->v1[i] += packet[i] + s->mul0[i];
        s->mul0[i] ^= (s->v1[i] & 0xffffffff) * (s->v0[i] >> 32);
        s->v0[i] += s->mul1[i];
        s->mul1[i] ^= (s->v0[i] & 0xffffffff) * (s->v1[i] >> 32);
    }
    for (int i = 0; i < 4; i += 2)
        blm_highway_zipper(&s->v0[i], s->v1[i], s->v1[i + 1]);
    for (int i = 0; i < 4; i += 2)
        blm_highway_zipper(&s->v1[i], s->v0[i], s->v0[i + 1]);
}

/* Says that only n bytes of the next packet are of the data: 1 to 31. */
BLM_FUNCTION void blm_highway_resize(blm_highway *s, unsigned n)
{
    for (int i = 0; i < 4; i++) {
        uint32_t low = (uint32_t)s->v1[i], high = (uint32_t)(s->v1[i] >> 32);

        s->v0[i] += ((uint64_t)n << 32) + n;
        s->v1[i] = (uint64_t)(high << n | high >> (32 - n)) << 32 | (low << n | low >> (32 - n));
    }
}

BLM_FUNCTION uint64_t blm_highway_end(blm_highway *s)
{
    for (int i = 0; i < 4; i++) {
        uint64_t packet[4];

        for (int lane = 0; lane < 4; lane++)
            packet[lane] = blm_rotate(s->v0[lane ^ 2], 32);
        blm_highway_packet(s, packet);
    }
    return s->v0[0] + s->v1[0] + s->mul0[0] + s->mul1[0];
}

BLM_FUNCTION blm_highway_key blm_highway_key_of(const uint8_t bytes[32])
{
    blm_highway_key key;

    for (int i = 0; i < 4; i++)
        key.word[i] = blm_load64(bytes + 8 * i);
    return key;
}

/* Returns the hash of n bytes. */
BLM_FUNCTION uint64_t blm_highwayhash(const blm_highway_key *key, const void *data, size_t n)
{
    const uint8_t *p = (const uint8_t *)data;
    blm_highway s = blm_highway_begin(key);
    uint64_t packet[4];
    unsigned left, whole;

    for (; n >= 32; n -= 32, p += 32) {
        for (int i = 0; i < 4; i++)
            packet[i] = blm_load64(p + 8 * i);
        blm_highway_packet(&s, packet);
    }
    if (n == 0)
        return blm_highway_end(&s);

    left = (unsigned)n;
    whole = left & ~3u; /* the bytes of whole numbers of 32 bits, which stay where they are */
    for (int i = 0; i < 4; i++)
        packet[i] = 0;
    for (unsigned i = 0; i < whole; i++)
        packet[i / 8] |= (uint64_t)p[i] << (i % 8 * 8);
    if (left >= 16) {
        packet[3] |= (uint64_t)blm_load32(p + left - 4) << 32;
    } else if (left > whole) {
        packet[2] |= (uint64_t)p[whole] | (uint64_t)p[whole + (left - whole) / 2] << 8 |
                     (uint64_t)p[left - 1] << 16;
    }
    blm_highway_resize(&s, left);
    blm_highway_packet(&s, packet);
    return blm_highway_end(&s);
}

/* Returns the hash of the 8 bytes of x, the least significant first. */
BLM_FUNCTION uint64_t blm_highwayhash_u64(const blm_highway_key *key, uint64_t x)
{
    blm_highway s = blm_highway_begin(key);
    uint64_t packet[4] = {0, 0, 0, 0};

    packet[0] = x;
    blm_highway_resize(&s, 8);
    blm_highway_packet(&s, packet);
    return blm_highway_end(&s);
}

#ifndef __bpf__

/* AES-PMAC: the first half of PMAC with AES-128. */

typedef struct {
    uint8_t byte[16];
} blm_aes_block;

typedef struct {
    blm_aes_block round[11]; /* the round keys, of which the first is the key */
    blm_aes_block l, half;   /* the encryption of zeros, and it over x in GF(2^128) */
} blm_pmac_key;

/* AES instructions: BLM_AES says that the compiler has them, blm_aes_runs that the CPU has. */
#if __STDC_HOSTED__ && (__GNUC__ >= 6 || __clang_major__ >= 16) && !defined(_MSC_VER)
#ifdef __x86_64__
#define BLM_AES
#include <wmmintrin.h>

BLM_FUNCTION int blm_aes_runs(void)
{
    return __builtin_cpu_supports("aes") != 0;
}

__attribute__((target("aes"))) BLM_FUNCTION void blm_aes_native(const blm_pmac_key *key,
                                                                blm_aes_block *block)
{
    const __m128i *round = (const __m128i *)(const void *)key->round;
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)block);

    x = _mm_xor_si128(x, _mm_loadu_si128(round));
    for (int i = 1; i < 10; i++)
        x = _mm_aesenc_si128(x, _mm_loadu_si128(round + i));
    x = _mm_aesenclast_si128(x, _mm_loadu_si128(round + 10));
    _mm_storeu_si128((__m128i *)(void *)block, x);
}
#elif defined(__aarch64__) && defined(__linux__)
#define BLM_AES
#include <arm_neon.h>
#include <sys/auxv.h>

BLM_FUNCTION int blm_aes_runs(void)
{
    return (getauxval(AT_HWCAP) >> 3 & 1) != 0; /* HWCAP_AES */
}

__attribute__((target("+crypto"))) BLM_FUNCTION void blm_aes_native(const blm_pmac_key *key,
                                                                    blm_aes_block *block)
{
    uint8x16_t x = vld1q_u8(block->byte);

    for (int i = 0; i < 9; i++)
        x = vaesmcq_u8(vaeseq_u8(x, vld1q_u8(key->round[i].byte)));
    x = vaeseq_u8(x, vld1q_u8(key->round[9].byte));
    vst1q_u8(block->byte, veorq_u8(x, vld1q_u8(key->round[10].byte)));
}
#endif
#endif

/* Returns the products of 8 bytes with x in GF(2^8). */
BLM_FUNCTION uint64_t blm_aes_double(uint64_t a)
{
    uint64_t carry = a >> 7 & UINT64_C(0x0101010101010101);

    return (a << 1 & UINT64_C(0xfefefefefefefefe)) ^ carry ^ carry << 1 ^ carry << 3 ^ carry << 4;
}

/* Returns the products of 8 bytes with 8 others. */
BLM_FUNCTION uint64_t blm_aes_product(uint64_t a, uint64_t b)
{
    uint64_t product = 0;

    for (int i = 0; i < 8; i++, a = blm_aes_double(a)) {
        uint64_t bit = b >> i & UINT64_C(0x0101010101010101);

        product ^= a & ((bit << 8) - bit);
    }
    return product;
}

/*
 * Returns the S-box of 8 bytes: to each a^254, its rotations by 1 to 4 bits and 0x63 are added.
 * There is no table, whose look-ups would give keys away by the time that they take.
 */
BLM_FUNCTION uint64_t blm_aes_substitute(uint64_t a)
{
    uint64_t b = a, sum;

    for (int i = 0; i < 6; i++)
        b = blm_aes_product(blm_aes_product(b, b), a);
    sum = b = blm_aes_product(b, b);
    for (int i = 0; i < 4; i++) {
        b = (b << 1 & UINT64_C(0xfefefefefefefefe)) | (b >> 7 & UINT64_C(0x0101010101010101));
        sum ^= b;
    }
    return sum ^ UINT64_C(0x6363636363636363);
}

BLM_FUNCTION void blm_aes_add(blm_aes_block *to, const uint8_t from[16])
{
    for (int i = 0; i < 16; i++)
        to->byte[i] ^= from[i];
}

/* Encrypts a block: without AES instructions in some microseconds, whatever the key is. */
BLM_FUNCTION void blm_aes(const blm_pmac_key *key, blm_aes_block *block)
{
#ifdef BLM_AES
    if (blm_aes_runs()) {
        blm_aes_native(key, block);
        return;
    }
#endif
    for (unsigned round = 0; round < 10; round++) {
        uint64_t word[2];
        uint8_t row[16];

        blm_aes_add(block, key->round[round].byte);
        for (unsigned i = 0; i < 2; i++)
            word[i] = blm_aes_substitute(blm_load64(block->byte + 8 * i));
        for (unsigned i = 0; i < 16; i++) /* the rows shift */
            row[i] = (uint8_t)(word[5 * i % 16 / 8] >> (5 * i % 8 * 8));
        for (unsigned i = 0; i < 16; i++) { /* the columns mix, but in the last round */
            const uint8_t *column = row + i / 4 * 4;
            uint8_t b = column[(i + 1) % 4], rest = column[(i + 2) % 4] ^ column[(i + 3) % 4];

            block->byte[i] = row[i];
            if (round < 9)
                block->byte[i] = (uint8_t)blm_aes_double(row[i] ^ b) ^ b ^ rest;
        }
    }
    blm_aes_add(block, key->round[10].byte);
}

BLM_FUNCTION blm_pmac_key blm_pmac_key_of(const uint8_t bytes[16])
{
    blm_pmac_key key = {{{{0}}}, {{0}}, {{0}}};
    uint64_t constant = 1;
    uint8_t odd;

    blm_aes_add(&key.round[0], bytes);
    for (unsigned round = 1; round < 11; round++) {
        const uint8_t *before = key.round[round - 1].byte;
        uint32_t word = blm_load32(before + 12);

        word = (uint32_t)(blm_aes_substitute(word >> 8 | word << 24) ^ constant);
        for (unsigned i = 0; i < 16; i++) {
            if (i % 4 == 0)
                word ^= blm_load32(before + i);
            key.round[round].byte[i] = (uint8_t)(word >> (i % 4 * 8));
        }
        constant = blm_aes_double(constant);
    }
    blm_aes(&key, &key.l);
    odd = key.l.byte[15] & 1;
    for (unsigned i = 0; i < 16; i++)
        key.half.byte[i] = (uint8_t)(key.l.byte[i] >> 1 | (i > 0 ? key.l.byte[i - 1] << 7 : 0));
    key.half.byte[0] ^= (uint8_t)(odd << 7);
    key.half.byte[15] ^= (uint8_t)(odd * 0x43);
    return key;
}

/* Returns the hash of n bytes. */
BLM_FUNCTION uint64_t blm_pmac(const blm_pmac_key *key, const void *data, size_t n)
{
    const uint8_t *p = (const uint8_t *)data;
    blm_aes_block sum = {{0}}, offset = {{0}}, x;

    for (uint64_t number = 1; n > 16; number++, n -= 16, p += 16) {
        x = key->l; /* to be multiplied with x for each factor 2 of the number */
        for (uint64_t left = number; left % 2 == 0; left /= 2) {
            uint8_t carry = x.byte[0] >> 7;

            for (int i = 0; i < 15; i++)
                x.byte[i] = (uint8_t)(x.byte[i] << 1 | x.byte[i + 1] >> 7);
            x.byte[15] = (uint8_t)(x.byte[15] << 1 ^ carry * 0x87);
        }
        blm_aes_add(&offset, x.byte);
        x = offset;
        blm_aes_add(&x, p);
        blm_aes(key, &x);
        blm_aes_add(&sum, x.byte);
    }
    for (size_t i = 0; i < n; i++)
        sum.byte[i] ^= p[i];
    if (n == 16)
        blm_aes_add(&sum, key->half.byte);
    else
        sum.byte[n] ^= 0x80;
    blm_aes(key, &sum);
    return blm_load64(sum.byte);
}

/* Returns the hash of the 8 bytes of x, the least significant first. */
BLM_FUNCTION uint64_t blm_pmac_u64(const blm_pmac_key *key, uint64_t x)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(x >> (8 * i));
    return blm_pmac(key, bytes, 8);
}

#endif /* __bpf__ */

/* Any of the hashes, by the key. */

/* The hashes of files, by their numbers there. BPF has no AES-PMAC. */
enum { BLM_HIGHWAYHASH64 = 0, BLM_SIPHASH13 = 1, BLM_AESPMAC = 3 };

typedef struct {
    int algorithm;           /* one of these numbers */
    blm_highway_key highway; /* only of BLM_HIGHWAYHASH64 */
    blm_sip_key sip;         /* only of BLM_SIPHASH13 */
#ifndef __bpf__
    blm_pmac_key pmac;       /* only of BLM_AESPMAC */
#endif
} blm_key;

/* Returns the hash of n bytes. */
BLM_FUNCTION uint64_t blm_hash(const blm_key *key, const void *data, size_t n)
{
#ifndef __bpf__
    if (key->algorithm == BLM_AESPMAC)
        return blm_pmac(&key->pmac, data, n);
#endif
    if (key->algorithm == BLM_SIPHASH13)
        return blm_siphash(&key->sip, data, n);
    return blm_highwayhash(&key->highway, data, n);
}

/* Returns the hash of the 8 bytes of x, the least significant first. */
BLM_FUNCTION uint64_t blm_hash_u64(const blm_key *key, uint64_t x)
{
#ifndef __bpf__
    if (key->algorithm == BLM_AESPMAC)
        return blm_pmac_u64(&key->pmac, x);
#endif
    if (key->algorithm == BLM_SIPHASH13)
        return blm_siphash_u64(&key->sip, x);
    return blm_highwayhash_u64(&key->highway, x);
}

#ifndef BLM_NO_FILES

/* ---- Keys --------------------------------------------------------------------------------- */

/* What is wrong with a file, or with the key. */
enum {
    BLM_OK = 0,
    BLM_NOT_FILTER, /* other magic bytes */
    BLM_VERSION,    /* a version other than 3 and 4 */
    BLM_KIND,       /* a kind other than those below */
    BLM_LENGTH,     /* shorter or longer than the header says */
    BLM_CHECKSUM,   /* damaged */
    BLM_BOUNDS,     /* a number, a name or a padding byte that the format or the kind forbids */
    BLM_WRONG_KEY,  /* not the key of the filter */
    BLM_ALGORITHM,  /* a hash other than those above */
    BLM_KEY         /* a text, or bytes, of no key */
};

/* Returns an error in words. */
BLM_FUNCTION const char *blm_message(int error)
{
    switch (error) {
    case BLM_OK:
        return "no error";
    case BLM_NOT_FILTER:
        return "not a Bloomlane filter";
    case BLM_VERSION:
        return "unsupported file version";
    case BLM_KIND:
        return "unsupported kind of filter";
    case BLM_LENGTH:
        return "wrong length";
    case BLM_CHECKSUM:
        return "damaged: wrong checksum";
    case BLM_BOUNDS:
        return "number out of bounds";
    case BLM_WRONG_KEY:
        return "wrong hash key";
    case BLM_ALGORITHM:
        return "unsupported hash function";
    case BLM_KEY:
        return "not a hash key";
    }
    return "unknown error";
}

/*
 * Makes the key that has a form in bytes: "pmac:" and 16 bytes for AES-PMAC, "sip13:" and 16 bytes
 * for SipHash-1-3, 32 bytes for HighwayHash-64. The result is BLM_OK or BLM_KEY; the key then does
 * not change.
 */
BLM_FUNCTION int blm_key_of_bytes(blm_key *key, const uint8_t *bytes, size_t n)
{
    const char *tag = n == 21 ? "pmac:" : "sip13:";

    if (n == 32) {
        key->algorithm = BLM_HIGHWAYHASH64;
        key->highway = blm_highway_key_of(bytes);
        return BLM_OK;
    }
    if (n != 21 && n != 22)
        return BLM_KEY;
    for (; *tag != 0; tag++, bytes++) {
        if (*bytes != (uint8_t)*tag)
            return BLM_KEY;
    }
    if (n == 21) {
        key->algorithm = BLM_AESPMAC;
        key->pmac = blm_pmac_key_of(bytes);
    } else {
        key->algorithm = BLM_SIPHASH13;
        key->sip = blm_sip_key_of(bytes);
    }
    return BLM_OK;
}

/*
 * Makes the key that has a text: "pmac:" and 32 hex digits for AES-PMAC, "sip13:" and 32 hex digits
 * for SipHash-1-3, 64 hex digits for HighwayHash-64, in either case. The result is BLM_OK or
 * BLM_KEY; the key then does not change.
 */
BLM_FUNCTION int blm_key_of_text(blm_key *key, const char *text)
{
    const char *tag = *text == 'p' ? "pmac:" : *text == 's' ? "sip13:" : ""; /* p, s: no digits */
    size_t n = 0, size = *tag == 0 ? 32 : 16;
    uint8_t bytes[32];

    for (; *tag != 0; n++, size++, tag++, text++) {
        if (*text != *tag)
            return BLM_KEY;
        bytes[n] = (uint8_t)*text;
    }
    for (; n < size; n++) {
        unsigned byte = 0;

        for (int i = 0; i < 2; i++, text++) {
            if (*text >= '0' && *text <= '9')
                byte = byte << 4 | (unsigned)(*text - '0');
            else if (*text >= 'a' && *text <= 'f')
                byte = byte << 4 | (unsigned)(*text - 'a' + 10);
            else if (*text >= 'A' && *text <= 'F')
                byte = byte << 4 | (unsigned)(*text - 'A' + 10);
            else
                return BLM_KEY;
        }
        bytes[n] = (uint8_t)byte;
    }
    return *text == 0 ? blm_key_of_bytes(key, bytes, n) : BLM_KEY;
}

/* Returns x, rotated to the right. */
BLM_FUNCTION uint32_t blm_sha256_rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* Makes the SHA-256 of n bytes. */
BLM_FUNCTION void blm_sha256(uint8_t sum[32], const uint8_t *data, size_t n)
{
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
        0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
        0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
        0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
        0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
    };
    uint32_t state[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    };

    for (uint64_t at = 0; at < (uint64_t)n + 9; at += 64) {
        uint32_t word[64] = {0}, s[8];

        for (unsigned i = 0; i < 64; i++) {
            uint64_t from = at + i;
            uint32_t byte = from < n ? data[from] : from == n ? 0x80 : 0;

            word[i / 4] = word[i / 4] << 8 | byte;
        }
        if (at + 64 >= (uint64_t)n + 9) { /* the last block ends with the number of bits */
            word[14] = (uint32_t)((uint64_t)n >> 29);
            word[15] = (uint32_t)((uint64_t)n << 3);
        }
        for (unsigned i = 16; i < 64; i++) {
            uint32_t a = word[i - 15], b = word[i - 2];

            word[i] = word[i - 16] + word[i - 7] +
                      (blm_sha256_rotate(a, 7) ^ blm_sha256_rotate(a, 18) ^ a >> 3) +
                      (blm_sha256_rotate(b, 17) ^ blm_sha256_rotate(b, 19) ^ b >> 10);
        }
        for (unsigned i = 0; i < 8; i++)
            s[i] = state[i];
        for (unsigned i = 0; i < 64; i++) {
            uint32_t a = s[0], e = s[4];
            uint32_t t1 = s[7] + constants[i] + word[i] + ((e & s[5]) ^ (~e & s[6])) +
                          (blm_sha256_rotate(e, 6) ^ blm_sha256_rotate(e, 11) ^
                           blm_sha256_rotate(e, 25));
            uint32_t t2 = ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2])) +
                          (blm_sha256_rotate(a, 2) ^ blm_sha256_rotate(a, 13) ^
                           blm_sha256_rotate(a, 22));

            for (unsigned j = 7; j > 0; j--)
                s[j] = s[j - 1];
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (unsigned i = 0; i < 8; i++)
            state[i] += s[i];
    }
    for (unsigned i = 0; i < 32; i++)
        sum[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

/* Returns the fingerprint of a key, which files have. */
BLM_FUNCTION uint64_t blm_fingerprint(const blm_key *key)
{
    static const char highway[] = "bloomlane: the fingerprint of a hash key, version 1",
                      other[] = "bloomlane: the fingerprint of a hash key, version 2: ";
    const char *tag = key->algorithm == BLM_AESPMAC ? "pmac:" : "sip13:";
    uint8_t message[sizeof other - 1 + 22], sum[32];
    size_t n = 0;

    if (key->algorithm == BLM_HIGHWAYHASH64)
        return blm_highwayhash(&key->highway, highway, sizeof highway - 1);
    for (; other[n] != 0; n++)
        message[n] = (uint8_t)other[n];
    for (; *tag != 0; n++, tag++)
        message[n] = (uint8_t)*tag;
    for (size_t i = 0; i < 16; i++, n++)
        message[n] = (uint8_t)(key->algorithm == BLM_AESPMAC
                                   ? key->pmac.round[0].byte[i]
                                   : key->sip.word[i / 8] >> (i % 8 * 8));
    blm_sha256(sum, message, n);
    return blm_load64(sum);
}

/* ---- Files -------------------------------------------------------------------------------- */

/* The kinds of filters that can be asked. */
enum { BLM_DELETABLE = 1, BLM_BLOCKED };

/* A filter in the memory of its file, which must stay as it is. */
typedef struct {
    int kind;              /* BLM_DELETABLE or BLM_BLOCKED */
    int algorithm;         /* of the hashes: a number of a blm_key's algorithm */
    unsigned hashes;       /* the bits of a key: 7, or 1 to 64 in a blocked filter */
    uint64_t nblocks;      /* blocks of 64 bytes: 1 to 2^30 */
    uint64_t fingerprint;  /* of the hash key, or 0 where there is none */
    const uint8_t *blocks; /* in the file */
} blm_filter;

/* Returns the CRC-32C of n bytes. */
BLM_FUNCTION uint32_t blm_crc32c(const uint8_t *data, size_t n)
{
    uint32_t table[256], crc = 0xffffffff;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? 0x82f63b78 : 0);
    }
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
    return ~crc;
}

/* Reports whether a field of 16 bytes has a name, and zeros behind it. */
BLM_FUNCTION int blm_named(const uint8_t *field, const char *name)
{
    for (int i = 0; i < 16; i++) {
        if (field[i] != (uint8_t)*name)
            return 0;
        if (*name != 0)
            name++;
    }
    return 1;
}

BLM_FUNCTION int blm_zeros(const uint8_t *data, uint64_t from, uint64_t to)
{
    for (; from < to; from++) {
        if (data[from] != 0)
            return 0;
    }
    return 1;
}

/* The attributes of a file that are left. Their names ascend. */
typedef struct {
    const uint8_t *next;
    uint32_t left;
} blm_attributes;

/*
 * Takes the next attribute if it has this name and a value from low to high, both included, and
 * reports whether it has. A float64 that is not negative is above another if its bits are.
 */
BLM_FUNCTION int blm_take(blm_attributes *a, const char *name, uint64_t low, uint64_t high,
                          uint64_t *value)
{
    if (a->left == 0 || !blm_named(a->next, name))
        return 0;
    *value = blm_load64(a->next + 16);
    if (*value < low || *value > high)
        return 0;
    a->next += 24;
    a->left--;
    return 1;
}

#define BLM_MAX_COUNT UINT64_C(0x7fffffffffffffff)
#define BLM_MAX_MEMBERS (UINT64_C(1) << 40)
#define BLM_MAX_BLOCKS (UINT64_C(1) << 30)

/* Takes the hash, which files of HighwayHash-64 do not name. An unknown one is below 0. */
BLM_FUNCTION void blm_take_algorithm(blm_attributes *a, blm_filter *f)
{
    uint64_t number;

    f->algorithm = BLM_HIGHWAYHASH64;
    if (blm_take(a, "hash", 0, UINT64_MAX, &number))
        f->algorithm = number == BLM_SIPHASH13 || number == BLM_AESPMAC ? (int)number : -1;
}

/* Checks the attributes of a deletable filter, and returns the number of its sections, or 0. */
BLM_FUNCTION unsigned blm_take_deletable(blm_attributes *a, blm_filter *f)
{
    const uint64_t one = UINT64_C(0x3ff0000000000000), thousand = UINT64_C(0x408f400000000000),
                   thousandth = UINT64_C(0x3f50624dd2f1a9fc);
    uint64_t deleted, inserts, members, rate, block, refreshed = 0, kept = 0, reinserts = 0,
             retained, turnovers;

    if (!blm_take(a, "deleted", 0, BLM_MAX_COUNT, &deleted))
        return 0;
    blm_take_algorithm(a, f);
    if (!blm_take(a, "inserts", 0, BLM_MAX_COUNT, &inserts) ||
        !blm_take(a, "members", 1, BLM_MAX_MEMBERS, &members) ||
        !blm_take(a, "planned-rate", 1, one, &rate))
        return 0;
    if (blm_take(a, "refresh-block", 1, f->nblocks - 1, &block) &&
        (!blm_take(a, "refresh-deleted", 0, deleted, &refreshed) ||
         !blm_take(a, "refresh-retained", 0, BLM_MAX_COUNT, &kept)))
        return 0;
    if (!blm_take(a, "reinserts", thousandth, thousand, &reinserts))
        reinserts = 0;
    if (!blm_take(a, "retained", kept, BLM_MAX_COUNT, &retained) ||
        !blm_take(a, "turnovers", 0, reinserts != 0 ? 0 : thousand, &turnovers))
        return 0;
    return reinserts != 0 || turnovers != 0 ? 2 : 1;
}

/* Checks the attributes of a blocked filter, and returns the number of its sections, or 0. */
BLM_FUNCTION unsigned blm_take_blocked(blm_attributes *a, blm_filter *f)
{
    uint64_t value;

    if (!blm_take(a, "bits", 512 * f->nblocks, 512 * f->nblocks, &value))
        return 0;
    blm_take_algorithm(a, f);
    if (!blm_take(a, "hashes", 1, 64, &value))
        return 0;
    f->hashes = (unsigned)value;
    return blm_take(a, "inserts", 0, BLM_MAX_COUNT, &value) &&
           blm_take(a, "members", 1, BLM_MAX_MEMBERS, &value);
}

/* Returns n rounded up to a whole unit: a page in version 3, and a line in version 4. */
BLM_FUNCTION uint64_t blm_up(uint64_t n, uint32_t version)
{
    const uint64_t unit = version == 4 ? 64 : 4096;

    return (n + unit - 1) / unit * unit;
}

/* Checks the sections of a file, behind its attributes, and everything that follows from them. */
BLM_FUNCTION int blm_check_sections(const uint8_t *file, size_t size, uint32_t header,
                                    uint64_t at, unsigned sections)
{
    const uint64_t most = 8 * BLM_MAX_BLOCKS + 1, piece = 1 << 20;
    const uint32_t version = blm_load32(file + 8);
    uint64_t words[2], offset[2], pieces = 0, all = 0, sum, end;

    for (unsigned i = 0; i < sections; i++) {
        words[i] = blm_load64(file + at + 32 * i + 16);
        if (words[i] < 1 || words[i] > most)
            return BLM_BOUNDS;
        pieces += (8 * words[i] + piece - 1) / piece;
        all += 8 * words[i];
    }
    if (version == 4 && all >= 65536)
        return BLM_BOUNDS;
    sum = at + 32 * sections; /* of the first piece */
    end = sum + 4 * pieces;
    if (blm_up(end + 4, version) != header || !blm_zeros(file, end, header - 4))
        return BLM_BOUNDS;
    end = header;
    for (unsigned i = 0; i < sections; i++) {
        offset[i] = blm_up(end, version);
        if (blm_load64(file + at + 32 * i + 24) != offset[i])
            return BLM_BOUNDS;
        end = offset[i] + 8 * words[i];
    }
    if (blm_load64(file + 16) != end)
        return BLM_BOUNDS;
    if (size != end)
        return BLM_LENGTH;
    end = header;
    for (unsigned i = 0; i < sections; i++) {
        if (!blm_zeros(file, end, offset[i]))
            return BLM_BOUNDS;
        end = offset[i] + 8 * words[i];
        for (uint64_t from = offset[i]; from < end; from += piece, sum += 4) {
            size_t n = (size_t)(end - from < piece ? end - from : piece);

            if (blm_crc32c(file + from, n) != blm_load32(file + sum))
                return BLM_CHECKSUM;
        }
    }
    return BLM_OK;
}

/*
 * Checks all size bytes of a file of version 3 or 4, and makes f its filter. key is the key that the
 * filter had when it was saved, or NULL for a filter of hashes. The result is BLM_OK or what is
 * wrong; f then does not change.
 *
 * It accepts no file that Go refuses, but for one: the text of the section "lifetime", on which no
 * answer depends, may be any.
 */
BLM_FUNCTION int blm_open(blm_filter *f, const void *file, size_t size, const blm_key *key)
{
    static const uint8_t magic[8] = {0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a};
    const uint8_t *p = (const uint8_t *)file, *section;
    uint32_t header, attributes, sections;
    unsigned expected;
    blm_filter found;
    blm_attributes a;
    uint64_t words;
    int error;

    for (size_t i = 0; i < 8; i++) {
        if (i == size || p[i] != magic[i])
            return BLM_NOT_FILTER;
    }
    if (size < 64)
        return BLM_LENGTH;
    if (blm_load32(p + 8) != 3 && blm_load32(p + 8) != 4)
        return BLM_VERSION;
    header = blm_load32(p + 12);
    if (header <= 64 || header > UINT32_C(1) << 30 || blm_up(header, blm_load32(p + 8)) != header)
        return BLM_BOUNDS;
    if (size < header)
        return BLM_LENGTH;
    if (blm_crc32c(p, header - 4) != blm_load32(p + header - 4))
        return BLM_CHECKSUM;

    if (blm_named(p + 32, "deletable"))
        found.kind = BLM_DELETABLE;
    else if (blm_named(p + 32, "blocked"))
        found.kind = BLM_BLOCKED;
    else
        return BLM_KIND;
    attributes = blm_load32(p + 56);
    sections = blm_load32(p + 60);
    if (attributes > 64 || sections < 1 || sections > 2 ||
        64 + 24 * attributes + 32 * sections + 4 > header)
        return BLM_BOUNDS;
    if (blm_load64(p + 48) != (found.kind == BLM_DELETABLE ? 0xc7 : 0xc1))
        return BLM_BOUNDS;
    a.next = p + 64;
    a.left = attributes;
    section = a.next + 24 * attributes;
    words = blm_load64(section + 16);
    found.nblocks = words / 8;
    if (words % 8 != 0 || found.nblocks < 1 || found.nblocks > BLM_MAX_BLOCKS)
        return BLM_BOUNDS;
    if (found.kind == BLM_DELETABLE) {
        found.hashes = 7;
        expected = blm_take_deletable(&a, &found);
    } else {
        expected = blm_take_blocked(&a, &found);
    }
    if (expected != sections || a.left != 0)
        return BLM_BOUNDS;
    if (found.algorithm < 0)
        return BLM_ALGORITHM;
    if (!blm_named(section, found.kind == BLM_DELETABLE ? "blocks" : "bits") ||
        (sections == 2 && !blm_named(section + 32, "lifetime")))
        return BLM_BOUNDS;
    error = blm_check_sections(p, size, header, (uint64_t)(section - p), sections);
    if (error != BLM_OK)
        return error;

    found.fingerprint = blm_load64(p + 24);
    if (key != NULL &&
        (key->algorithm != found.algorithm || blm_fingerprint(key) != found.fingerprint))
        return BLM_WRONG_KEY;
    found.blocks = p + header;
    *f = found;
    return BLM_OK;
}

/* Reports whether the key of a hash is present: for every member, and for each false positive. */
BLM_FUNCTION int blm_query(const blm_filter *f, uint64_t hash)
{
    const uint8_t *block = f->blocks + (size_t)(64 * blm_index(hash, f->nblocks));
    unsigned all = 1;

    if (f->kind == BLM_DELETABLE) {
        blm_block512 lanes;

        for (unsigned lane = 0; lane < 8; lane++)
            lanes.lane[lane] = blm_load64(block + 8 * lane);
        return blm_query512(&lanes, hash);
    }
    for (unsigned i = 0; i < f->hashes && all != 0; i++) {
        unsigned position;

        hash *= UINT64_C(0xf1357aea2e62a9c5);
        position = (unsigned)(hash >> 55);
        all &= (unsigned)block[position / 8] >> position % 8;
        all &= 1;
    }
    return (int)all;
}

#endif /* BLM_NO_FILES */

#endif /* BLOOMLANE_H */
