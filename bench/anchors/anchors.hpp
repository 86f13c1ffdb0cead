// Filters that answer batches of 64-bit hashes, in one form: what main.cpp fills, checks and times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Keys are the same keys in the forms that libraries take.
struct Keys {
    const uint64_t *hashes;
    const uint32_t *low;          // the low halves, for filters whose keys have 32 bits
    const void *const *pointers;  // to the hashes, for filters that take keys one by one
    size_t n;

    Keys slice(size_t first, size_t count) const {
        return {hashes + first, low + first, pointers + first, count};
    }
};

// Form is how a batch answers.
enum class Form {
    bitmap,     // bit i of a uint64_t[]
    bytes,      // bool[]
    sets,       // uint16_t[], not zero if present
    positions,  // uint32_t[], ascending: those of the keys that are present
};

// Query answers a batch, and returns the number of positions, if the form has them.
struct Query {
    Form form;
    std::function<size_t(const Keys &, void *out)> run;
};

struct Subject {
    std::string name;
    std::function<void(const Keys &)> insert;
    std::vector<Query> queries;
};

// allocate returns zeros at the start of a page, on huge pages if the run is on them. They stay
// until the process ends.
void *allocate(size_t bytes);

// share returns memory that all callers with this name share, and whether this is the first call.
std::pair<void *, bool> share(const std::string &name, size_t bytes);

// Each returns its filters of the size, or none if it has none of it.
std::vector<Subject> bloomlane(size_t bytes);
std::vector<Subject> boost_bloom(size_t bytes);
std::vector<Subject> bloomfilter_bsd(size_t bytes);
std::vector<Subject> bloomfilter_bsd_avx2(size_t bytes);  // the same source without AVX-512
std::vector<Subject> rte_member(size_t bytes);
