// bloomfilter-bsd: the blocked filters of Lang, Neumann, Kemper and Boncz, "Performance-Optimal
// Filtering" (VLDB 2019). A batch answers by positions. Its keys and hashes have 32 bits.
#include <boost/integer/static_min_max.hpp>
#include <dtl/dtl.hpp>
#include <dtl/filter/blocked_bloomfilter/blocked_bloomfilter.hpp>
#include <dtl/filter/blocked_bloomfilter/zoned_blocked_bloomfilter.hpp>
#include <chrono>
#include <memory>

#include "anchors.hpp"

namespace {

template <typename Word, typename Logic>
Subject subject(std::string name, size_t bytes) {
    auto logic = std::make_shared<Logic>(bytes * 8);
    auto shared = share(name, bytes);  // the kernels of both instruction sets ask one table
    auto words = static_cast<Word *>(shared.first);
    auto insert = [=](const Keys &keys) {
        if (shared.second) logic->batch_insert(words, keys.low, keys.n);
    };

    // The library unrolls by what its calibration finds fastest, and so does this.
    using Run = size_t (*)(const Logic &, const Word *, const Keys &, void *);
    constexpr size_t lanes = dtl::simd::lane_count<uint32_t>;
    const Run runs[] = {
        [](const Logic &l, const Word *w, const Keys &keys, void *out) -> size_t {
            return l.template batch_contains<lanes>(w, keys.low, keys.n, (uint32_t *)out, 0);
        },
        [](const Logic &l, const Word *w, const Keys &keys, void *out) -> size_t {
            return l.template batch_contains<2 * lanes>(w, keys.low, keys.n, (uint32_t *)out, 0);
        },
        [](const Logic &l, const Word *w, const Keys &keys, void *out) -> size_t {
            return l.template batch_contains<4 * lanes>(w, keys.low, keys.n, (uint32_t *)out, 0);
        },
    };
    auto fastest = std::make_shared<Run>(nullptr);
    auto positions = [=](const Keys &keys, void *out) {
        if (!*fastest) {
            using clock = std::chrono::steady_clock;
            auto least = clock::duration::max();
            for (int round = 0; round < 300; round++) {
                for (Run run : runs) {
                    auto start = clock::now();
                    run(*logic, words, keys, out);
                    auto took = clock::now() - start;
                    if (took < least) least = took, *fastest = run;
                }
            }
        }
        return (*fastest)(*logic, words, keys, out);
    };
#ifdef __AVX512F__
    name += ", AVX-512";
#else
    name += ", AVX2";
#endif
    return {"bloomfilter-bsd " + name, insert, {{Form::positions, positions}}};
}

}  // namespace

std::vector<Subject> bloomfilter_bsd(size_t bytes) {
    if (bytes > 512 << 20) return {};  // a quarter of all keys of 32 bits would be members
    using Wide = dtl::blocked_bloomfilter<uint64_t>;
    using Narrow = dtl::blocked_bloomfilter<uint32_t>;
    using Zoned = dtl::zoned_blocked_bloomfilter<uint64_t>;
    return {
        subject<uint64_t, Wide::bbf<8, 8, 8>>("sectorized 64 x 8, k=8", bytes),
        subject<uint32_t, Narrow::bbf<8, 8, 8>>("sectorized 32 x 8, k=8", bytes),
        subject<uint64_t, Zoned::bbf<8, 2, 8>>("cache-sectorized 64 x 8, z=2, k=8", bytes),
        subject<uint64_t, Wide::bbf<1, 1, 6>>("register-blocked 64, k=6", bytes),
    };
}
