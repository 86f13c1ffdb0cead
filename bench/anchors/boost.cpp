// Boost.Bloom: bulk queries. Hashes are passed through, because they are uniform.
#include <boost/bloom.hpp>
#include <memory>

#include "anchors.hpp"

namespace {

struct Identity {
    using is_avalanching = std::true_type;
    size_t operator()(uint64_t h) const { return h; }
};

template <typename T>
struct Pages {
    using value_type = T;
    Pages() = default;
    template <typename U>
    Pages(const Pages<U> &) {}
    T *allocate(size_t n) { return static_cast<T *>(::allocate(n * sizeof(T))); }
    void deallocate(T *, size_t) {}
    bool operator==(const Pages &) const { return true; }
    bool operator!=(const Pages &) const { return false; }
};

// queries returns all forms, where ask calls its function with each answer.
template <typename Ask>
std::vector<Query> queries(Ask ask) {
    auto bitmap = [ask](const Keys &keys, void *out) {
        auto words = static_cast<uint64_t *>(out);
        uint64_t word = 0;
        unsigned i = 0;
        ask(keys, [&](bool present) {
            word = word >> 1 | uint64_t(present) << 63;
            if (++i % 64 == 0) *words++ = word;
        });
        if (i % 64) *words = word >> (64 - i % 64);
        return size_t(0);
    };
    auto bytes = [ask](const Keys &keys, void *out) {
        auto next = static_cast<bool *>(out);
        ask(keys, [&](bool present) { *next++ = present; });
        return size_t(0);
    };
    auto positions = [ask](const Keys &keys, void *out) {
        auto next = static_cast<uint32_t *>(out);
        uint32_t i = 0;
        ask(keys, [&](bool present) {
            *next = i++;
            next += present;
        });
        return size_t(next - static_cast<uint32_t *>(out));
    };
    return {{Form::bitmap, bitmap}, {Form::bytes, bytes}, {Form::positions, positions}};
}

// add appends the bulk queries of a filter, and those of a loop over single keys, which the
// compiler inlines.
template <typename Block>
void add(std::vector<Subject> &all, const std::string &name, size_t bytes) {
    using Filter = boost::bloom::filter<uint64_t, 1, Block, 0, Identity, Pages<unsigned char>>;
    auto filter = std::make_shared<Filter>(bytes * 8);
    auto insert = [filter](const Keys &keys) {
        filter->insert(keys.hashes, keys.hashes + keys.n);
    };
    auto bulk = [filter](const Keys &keys, auto f) {
        filter->may_contain(keys.hashes, keys.hashes + keys.n,
                            [&](uint64_t, bool present) { f(present); });
    };
    auto loop = [filter](const Keys &keys, auto f) {
        for (size_t i = 0; i < keys.n; i++) f(filter->may_contain(keys.hashes[i]));
    };
    all.push_back({"Boost.Bloom " + name + ", bulk", insert, queries(bulk)});
    all.push_back({"Boost.Bloom " + name + ", loop", [](const Keys &) {}, queries(loop)});
}

}  // namespace

std::vector<Subject> boost_bloom(size_t bytes) {
    using namespace boost::bloom;
    std::vector<Subject> all;
    add<fast_multiblock64<8>>(all, "fast_multiblock64<8>", bytes);
    add<fast_multiblock32<8>>(all, "fast_multiblock32<8>", bytes);
    if (bytes <= 64 << 20) {  // slower than those two, and larger ones would take much memory
        add<fast_multiblock32<11>>(all, "fast_multiblock32<11>", bytes);
        add<block<uint64_t, 6>>(all, "block<uint64_t,6>", bytes);
    }
    return all;
}
