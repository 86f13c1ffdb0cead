// What a C programmer would write instead of the assembly: the loops that the report puts through
// the same compiler's model. They follow package fallback, which defines every operation, and are
// compiled once for each size of a block, with -DSIZE=512 or -DSIZE=256.
//
// Where a choice makes a loop easier, clang has it and the assembly does not: a batch is full words
// of 64 keys, the status of a delete is always wanted, and the compiler may assume that nothing
// overlaps. As in the assembly, a key that is deleted is expected to be present.

#include <stdint.h>

#if SIZE == 512
typedef uint64_t lane;
#define B 6 // bits of a position
#else
typedef uint32_t lane;
#define B 5
#endif

enum { LANES = 8, W = SIZE / LANES, WORD = 64 };
#define MULTIPLIER 0x9E3779B97F4A7C15
typedef lane block[LANES];

#define likely(x) __builtin_expect(!!(x), 1)

static inline uint64_t block_index(uint64_t h, uint64_t nblocks) {
	return (unsigned __int128)h * nblocks >> 64;
}

// ANSWERS defines a batch whose answers are gathered in words.
#define ANSWERS(name, operate) \
	uint64_t name(block *restrict table, uint64_t nblocks, const uint64_t *restrict hashes, \
	              uint64_t words, uint64_t *restrict present) { \
		uint64_t count = 0; \
		for (; words != 0; words--) { \
			uint64_t found = 0; \
			for (int i = 0; i < WORD; i++) { \
				uint64_t h = *hashes++; \
				uint64_t present = operate(&table[block_index(h, nblocks)], h * MULTIPLIER); \
				found = found >> 1 | present << 63; \
			} \
			*present++ = found; \
			count += __builtin_popcountll(found); \
		} \
		return count; \
	}

// STATUSES defines a batch of deletes.
#define STATUSES(name, operate) \
	uint64_t name(block *restrict table, uint64_t nblocks, const uint64_t *restrict hashes, \
	              uint64_t n, uint8_t *restrict status) { \
		uint64_t count = 0; \
		for (; n != 0; n--) { \
			uint64_t h = *hashes++; \
			unsigned s = operate(&table[block_index(h, nblocks)], h * MULTIPLIER); \
			count += s >> 1; \
			*status++ = s; \
		} \
		return count; \
	}

// Plain C, for the compiler to vectorise. Lane 0 of a mask is empty, which is written as a factor so
// that all lanes are alike.
static inline void plain_mask(lane *mask, uint64_t g) {
	for (int i = 0; i < LANES; i++)
		mask[i] = (lane)(i != 0) << (g >> (64 - B * i & 63) & (W - 1));
}

static inline int plain_query_one(block *b, uint64_t g) {
	block mask;
	plain_mask(mask, g);
	lane missing = 0;
	for (int i = 0; i < LANES; i++)
		missing |= mask[i] & ~(*b)[i];
	return missing == 0;
}
ANSWERS(plain_query, plain_query_one)

static inline int plain_insert_one(block *b, uint64_t g) {
	block mask;
	plain_mask(mask, g);
	lane missing = 0, collided = 0;
	for (int i = 0; i < LANES; i++) {
		missing |= mask[i] & ~(*b)[i];
		collided |= mask[i] & (*b)[i];
		(*b)[i] |= mask[i];
	}
	(*b)[0] |= collided;
	return missing == 0;
}
ANSWERS(plain_insert, plain_insert_one)

static inline int plain_delete_one(block *b, uint64_t g) {
	block mask;
	plain_mask(mask, g);
	lane missing = 0, cleared = 0, free = ~(*b)[0];
	for (int i = 0; i < LANES; i++)
		missing |= mask[i] & ~(*b)[i];
	if (!likely(missing == 0))
		return 0;
	for (int i = 0; i < LANES; i++) {
		cleared |= mask[i] & free;
		(*b)[i] &= ~(mask[i] & free);
	}
	return 1 + (cleared != 0);
}
STATUSES(plain_delete, plain_delete_one)

void plain_merge(block *restrict dst, const block *restrict src, uint64_t n) {
	for (; n != 0; n--, dst++, src++) {
		lane collided = 0;
		for (int i = 0; i < LANES; i++) {
			collided |= (*dst)[i] & (*src)[i];
			(*dst)[i] |= (*src)[i];
		}
		(*dst)[0] |= collided;
	}
}

void plain_match(const block *restrict b, const block *restrict masks, uint64_t words, uint64_t *restrict present) {
	for (; words != 0; words--) {
		uint64_t found = 0;
		for (int k = 0; k < WORD; k++, masks++) {
			lane missing = 0;
			for (int i = 0; i < LANES; i++)
				missing |= (*masks)[i] & ~(*b)[i];
			found = found >> 1 | (uint64_t)(missing == 0) << 63;
		}
		*present++ = found;
	}
}

#ifdef __ARM_NEON
// The same with the intrinsics of NEON: a block is ROWS registers.
#include <arm_neon.h>

#if SIZE == 512
enum { ROWS = 4 };
typedef uint64x2_t row;
typedef int64x2_t counts;
#define LOAD vld1q_u64
#define STORE vst1q_u64
#define AND vandq_u64
#define OR vorrq_u64
#define ANDNOT vbicq_u64
#define SHIFT vshlq_u64
#define SPLAT vdupq_n_u64
#define SIGNED vreinterpretq_s64_u64
#define WORDS vreinterpretq_u32_u64
#define WIDE(x) (x)
static const int64_t shifts[LANES] = {0, -58, -52, -46, -40, -34, -28, -22};
#define WINDOW(g, i) (g)
#else
enum { ROWS = 2 };
typedef uint32x4_t row;
typedef int32x4_t counts;
#define LOAD vld1q_u32
#define STORE vst1q_u32
#define AND vandq_u32
#define OR vorrq_u32
#define ANDNOT vbicq_u32
#define SHIFT vshlq_u32
#define SPLAT vdupq_n_u32
#define SIGNED vreinterpretq_s32_u32
#define WORDS(x) (x)
#define WIDE vreinterpretq_u64_u32
static const int32_t shifts[LANES] = {0, -27, -22, -17, -15, -10, -5, 0};
#define WINDOW(g, i) ((uint32_t)((g) >> ((i) == 0 ? 32 : 29))) // lanes 0 to 3 and 4 to 7 of 5 bits each
#endif
static const lane ones[LANES] = {0, 1, 1, 1, 1, 1, 1, 1};
enum { PER_ROW = LANES / ROWS };

#if SIZE == 512
#define LOAD_SHIFTS vld1q_s64
#else
#define LOAD_SHIFTS vld1q_s32
#endif

typedef struct { row r[ROWS]; } rows;

static inline rows neon_load(const block *b) {
	rows x;
	for (int i = 0; i < ROWS; i++)
		x.r[i] = LOAD(*b + PER_ROW * i);
	return x;
}

static inline rows neon_mask(uint64_t g) {
	rows x;
	for (int i = 0; i < ROWS; i++) {
		row position = AND(SHIFT(SPLAT(WINDOW(g, i)), LOAD_SHIFTS(shifts + PER_ROW * i)), SPLAT(W - 1));
		x.r[i] = SHIFT(LOAD(ones + PER_ROW * i), SIGNED(position));
	}
	return x;
}

// any returns the OR of the rows, and is_zero whether a row is empty.
static inline row neon_any(rows x) {
	row sum = OR(x.r[0], x.r[1]);
	for (int i = 2; i < ROWS; i += 2)
		sum = OR(sum, OR(x.r[i], x.r[i + 1]));
	return sum;
}

static inline int is_zero(row x) {
	uint32x4_t pairs = vpmaxq_u32(WORDS(x), WORDS(x));
	return vgetq_lane_u64(vreinterpretq_u64_u32(pairs), 0) == 0;
}

static inline int neon_all_set(rows b, rows mask) {
	for (int i = 0; i < ROWS; i++)
		mask.r[i] = ANDNOT(mask.r[i], b.r[i]);
	return is_zero(neon_any(mask));
}

// fold returns a row whose lane 0 is the OR of all lanes, and whose others are empty.
static inline row neon_fold(rows x) {
	uint64x2_t sum = WIDE(neon_any(x));
	uint64x1_t half = vorr_u64(vget_low_u64(sum), vget_high_u64(sum));
#if SIZE == 512
	return vcombine_u64(half, vdup_n_u64(0));
#else
	uint32x2_t pair = vreinterpret_u32_u64(half);
	pair = vorr_u32(pair, vrev64_u32(pair));
	return vcombine_u32(vset_lane_u32(0, pair, 1), vdup_n_u32(0));
#endif
}

static inline void neon_union(block *b, rows x, rows y) {
	rows both;
	for (int i = 0; i < ROWS; i++) {
		both.r[i] = AND(x.r[i], y.r[i]);
		x.r[i] = OR(x.r[i], y.r[i]);
	}
	x.r[0] = OR(x.r[0], neon_fold(both));
	for (int i = 0; i < ROWS; i++)
		STORE(*b + PER_ROW * i, x.r[i]);
}

static inline int neon_query_one(block *b, uint64_t g) {
	return neon_all_set(neon_load(b), neon_mask(g));
}
ANSWERS(neon_query, neon_query_one)

static inline int neon_insert_one(block *b, uint64_t g) {
	rows x = neon_load(b), mask = neon_mask(g);
	neon_union(b, x, mask);
	return neon_all_set(x, mask);
}
ANSWERS(neon_insert, neon_insert_one)

static inline int neon_delete_one(block *b, uint64_t g) {
	rows x = neon_load(b), free = neon_mask(g);
	if (!likely(neon_all_set(x, free)))
		return 0;
	row collided = SPLAT(x.r[0][0]);
	for (int i = 0; i < ROWS; i++) {
		free.r[i] = ANDNOT(free.r[i], collided);
		STORE(*b + PER_ROW * i, ANDNOT(x.r[i], free.r[i]));
	}
	return 1 + !is_zero(neon_any(free));
}
STATUSES(neon_delete, neon_delete_one)

void neon_merge(block *restrict dst, const block *restrict src, uint64_t n) {
	for (; n != 0; n--, dst++, src++)
		neon_union(dst, neon_load(dst), neon_load(src));
}

void neon_match(const block *restrict b, const block *restrict masks, uint64_t words, uint64_t *restrict present) {
	rows x = neon_load(b);
	for (; words != 0; words--) {
		uint64_t found = 0;
		for (int k = 0; k < WORD; k++, masks++)
			found = found >> 1 | (uint64_t)neon_all_set(x, neon_load(masks)) << 63;
		*present++ = found;
	}
}
#endif
