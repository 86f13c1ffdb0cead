// HighwayHash-64 of many keys of SIZE bytes each, -DSIZE=4 to 40: what a C programmer would write instead of
// the assembly. It follows package internal/highway, which defines the hash.
//
// The state has taken in all that is the same for every key: the hash key, and the size of keys below a
// packet. What more of the first round is constant clang finds and takes out of the loop. Where a choice
// makes a loop easier, clang has it: the compiler may assume that nothing overlaps.

#include <stdint.h>

enum { LANES = 4, PACKET = 8 * LANES, REST = SIZE % PACKET, ROUNDS = 4 };
typedef struct { uint64_t v0[LANES], v1[LANES], mul0[LANES], mul1[LANES]; } state;

// load_rest has the packet of the last bytes of a key: a multiple of 4 below a packet.
static inline void load_rest(uint64_t packet[LANES], const uint8_t *rest) {
	for (int i = 0; i < LANES; i++)
		packet[i] = 0;
	__builtin_memcpy(packet, rest, REST);
	if (REST >= PACKET / 2) {
		uint32_t last;
		__builtin_memcpy(&last, rest + REST - 4, 4);
		packet[3] = (uint64_t)last << 32;
	}
}

// HASHES defines the hashes of n keys, a multiple of step. With SVE clang would vectorise over keys too,
// into a loop whose number of keys depends on the CPU.
#define HASHES(name, step, hash) \
	void name(const state *restrict s, const uint8_t *restrict keys, uint64_t n, uint64_t *restrict hashes) { \
		_Pragma("clang loop vectorize(disable)") \
		for (; n != 0; n -= step, keys += step * SIZE, hashes += step) \
			hash(s, keys, hashes); \
	}

// Plain C, for the compiler to vectorise.
static inline uint64_t swap_halves(uint64_t x) { return x << 32 | x >> 32; }

static inline void plain_zipper_merge(uint64_t *to, const uint64_t *from) {
	for (int i = 0; i < LANES; i += 2) {
		uint64_t a = from[i], b = from[i + 1];
		to[i] += (a >> 24 & 0xff) | (b >> 24 & 0xff00) | (a & 0xff0000) | (a >> 16 & 0xff000000) |
			(b >> 16 & 0xffull << 32) | (a << 32 & 0xffull << 40) | (b >> 8 & 0xffull << 48) | a << 56;
		to[i + 1] += (b >> 24 & 0xff) | (a >> 24 & 0xff00) | (b & 0xff0000) | (b >> 16 & 0xff000000) |
			(b << 24 & 0xffull << 32) | (a >> 8 & 0xffull << 40) | (b << 48 & 0xffull << 48) | (a & 0xffull << 56);
	}
}

__attribute__((always_inline)) static inline void plain_update(state *s, const uint64_t *packet) {
	for (int i = 0; i < LANES; i++) {
		s->v1[i] += packet[i] + s->mul0[i];
		s->mul0[i] ^= (s->v1[i] & 0xffffffff) * (s->v0[i] >> 32);
		s->v0[i] += s->mul1[i];
		s->mul1[i] ^= (s->v0[i] & 0xffffffff) * (s->v1[i] >> 32);
	}
	plain_zipper_merge(s->v0, s->v1);
	plain_zipper_merge(s->v1, s->v0);
}

static inline void plain_resize(state *s, int n) {
	for (int i = 0; i < LANES; i++) {
		uint32_t lower = s->v1[i], upper = s->v1[i] >> 32;
		s->v0[i] += (uint64_t)n << 32 | n;
		s->v1[i] = (uint64_t)(upper << n | upper >> (32 - n)) << 32 | (lower << n | lower >> (32 - n));
	}
}

static inline void plain_one(const state *initial, const uint8_t *key, uint64_t *hash) {
	state s = *initial;
	uint64_t packet[LANES];
	if (SIZE >= PACKET) {
		__builtin_memcpy(packet, key, PACKET);
		plain_update(&s, packet);
	}
	if (SIZE > PACKET)
		plain_resize(&s, REST);
	if (REST != 0) {
		load_rest(packet, key + SIZE - REST);
		plain_update(&s, packet);
	}
#pragma unroll
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < LANES; i++)
			packet[i] = swap_halves(s.v0[(i + 2) % LANES]);
		plain_update(&s, packet);
	}
	*hash = s.v0[0] + s.v1[0] + s.mul0[0] + s.mul1[0];
}
HASHES(plain_hash, 1, plain_one)

#ifdef __ARM_NEON
// The same with the intrinsics of NEON, two keys at a time: a register is two lanes of one key, and one
// multiplication of two takes what two keys have in the same half.
#include <arm_neon.h>

enum { KEYS = 2 };
typedef struct { uint64x2_t of[KEYS]; } pair;
typedef struct { pair v0, v1, mul0, mul1; } half; // lanes 0 and 1, or 2 and 3

static inline pair splat(const uint64_t *lanes) {
	pair x;
	for (int i = 0; i < KEYS; i++)
		x.of[i] = vld1q_u64(lanes);
	return x;
}

static inline half load_half(const state *s, int lane) {
	return (half){splat(s->v0 + lane), splat(s->v1 + lane), splat(s->mul0 + lane), splat(s->mul1 + lane)};
}

static inline pair add(pair x, pair y) {
	for (int i = 0; i < KEYS; i++)
		x.of[i] = vaddq_u64(x.of[i], y.of[i]);
	return x;
}

#define HALVES vreinterpretq_u32_u64

// xor_product adds the lower halves of x times the upper ones of y to sum, without carry.
static inline pair xor_product(pair sum, pair x, pair y) {
	uint32x4_t low = vuzp1q_u32(HALVES(x.of[0]), HALVES(x.of[1]));
	uint32x4_t high = vuzp2q_u32(HALVES(y.of[0]), HALVES(y.of[1]));
	sum.of[0] = veorq_u64(sum.of[0], vmull_u32(vget_low_u32(low), vget_low_u32(high)));
	sum.of[1] = veorq_u64(sum.of[1], vmull_high_u32(low, high));
	return sum;
}

static inline pair zipper(pair x) {
	static const uint64_t bytes[2] = {0x000f010e05020c03, 0x070806090d0a040b};
	for (int i = 0; i < KEYS; i++)
		x.of[i] = vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(x.of[i]), vreinterpretq_u8_u64(vld1q_u64(bytes))));
	return x;
}

static inline pair swapped(pair x) {
	for (int i = 0; i < KEYS; i++)
		x.of[i] = vreinterpretq_u64_u32(vrev64q_u32(HALVES(x.of[i])));
	return x;
}

__attribute__((always_inline)) static inline half neon_update(half h, pair packet) {
	h.v1 = add(h.v1, add(packet, h.mul0));
	h.mul0 = xor_product(h.mul0, h.v1, h.v0);
	h.v0 = add(h.v0, h.mul1);
	h.mul1 = xor_product(h.mul1, h.v0, h.v1);
	h.v0 = add(h.v0, zipper(h.v1));
	h.v1 = add(h.v1, zipper(h.v0));
	return h;
}

static inline half neon_resize(half h, int n) {
	uint64_t size = (uint64_t)n << 32 | n;
	for (int i = 0; i < KEYS; i++) {
		uint32x4_t v1 = HALVES(h.v1.of[i]);
		h.v0.of[i] = vaddq_u64(h.v0.of[i], vdupq_n_u64(size));
		h.v1.of[i] = vreinterpretq_u64_u32(vorrq_u32(vshlq_u32(v1, vdupq_n_s32(n)), vshlq_u32(v1, vdupq_n_s32(n - 32))));
	}
	return h;
}

static inline void neon_two(const state *s, const uint8_t *keys, uint64_t *hashes) {
	half a = load_half(s, 0), b = load_half(s, 2);
	pair lower, upper;
	if (SIZE >= PACKET) {
		for (int i = 0; i < KEYS; i++) {
			lower.of[i] = vreinterpretq_u64_u8(vld1q_u8(keys + i * SIZE));
			upper.of[i] = vreinterpretq_u64_u8(vld1q_u8(keys + i * SIZE + PACKET / 2));
		}
		a = neon_update(a, lower), b = neon_update(b, upper);
	}
	if (SIZE > PACKET)
		a = neon_resize(a, REST), b = neon_resize(b, REST);
	if (REST != 0) {
		for (int i = 0; i < KEYS; i++) {
			uint64_t packet[LANES];
			load_rest(packet, keys + (i + 1) * SIZE - REST);
			lower.of[i] = vld1q_u64(packet), upper.of[i] = vld1q_u64(packet + 2);
		}
		a = neon_update(a, lower), b = neon_update(b, upper);
	}
#pragma unroll
	for (int round = 0; round < ROUNDS; round++) {
		lower = swapped(b.v0), upper = swapped(a.v0);
		a = neon_update(a, lower), b = neon_update(b, upper);
	}
	pair sum = add(add(a.v0, a.v1), add(a.mul0, a.mul1));
	for (int i = 0; i < KEYS; i++)
		hashes[i] = vgetq_lane_u64(sum.of[i], 0);
}
HASHES(neon_hash, KEYS, neon_two)
#endif
