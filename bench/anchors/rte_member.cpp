// DPDK's rte_member: a vector of Bloom filters (vBF), without hugetlbfs, devices or ports. Its
// other form, a hash table, takes 32 bits per entry, and so cannot have 16 bits per key.
#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_member.h>

#include <algorithm>
#include <stdexcept>

#include "anchors.hpp"

namespace {

void require(bool ok, const char *what) {
    if (!ok) throw std::runtime_error(std::string("rte_member: ") + what);
}

// heap returns the socket of a heap in memory of ours, so that its pages are those of the others.
int heap(size_t bytes) {
    static int heaps = 0;
    if (heaps == 0) {
        std::vector<std::string> text = {"anchors",     "--no-huge", "--no-pci", "--no-telemetry",
                                         "--no-shconf", "-m",        "64",       "--log-level=3"};
        std::vector<char *> arguments;
        for (auto &argument : text) arguments.push_back(&argument[0]);
        require(rte_eal_init(arguments.size(), arguments.data()) >= 0, "the EAL does not start");
    }
    std::string name = "anchors" + std::to_string(heaps++);
    size_t page = 2 << 20, length = (bytes + 2 * page - 1) / page * page;
    require(rte_malloc_heap_create(name.c_str()) == 0, "no heap");
    void *memory = allocate(length);
    require(rte_malloc_heap_memory_add(name.c_str(), memory, length, nullptr, 0, page) == 0,
            "no memory in the heap");
    return rte_malloc_heap_get_socket(name.c_str());
}

}  // namespace

std::vector<Subject> rte_member(size_t bytes) {
    constexpr uint64_t set_bits = 1ull << 31;  // at most, in one set
    if (bytes > 512 << 20) return {};          // a key would ask for the words of eight sets
    rte_member_parameters parameters = {};
    std::string name = "anchors" + std::to_string(bytes);
    parameters.name = name.c_str();
    parameters.type = RTE_MEMBER_TYPE_VBF;
    parameters.num_keys = bytes / 2;
    parameters.num_set = bytes * 8 > set_bits ? bytes * 8 / set_bits : 1;
    parameters.key_len = sizeof(uint64_t);
    // A Bloom filter that has this rate at its best number of hashes takes 16 bits per key.
    parameters.false_positive_rate = 0.00047f * parameters.num_set;
    parameters.prim_hash_seed = 1;
    parameters.sec_hash_seed = 2;
    parameters.socket_id = heap(bytes);
    rte_member_setsum *sums = rte_member_create(&parameters);
    require(sums != nullptr, "no set");
    require(uint64_t(sums->bits) * sums->num_set == bytes * 8, "not 16 bits per key");

    auto insert = [=](const Keys &keys) {
        for (size_t i = 0; i < keys.n; i++) {
            int added = rte_member_add(sums, keys.pointers[i], 1 + i % sums->num_set);
            require(added >= 0, "no insert");
        }
    };
    auto sets = [=](const Keys &keys, void *out) {
        for (size_t i = 0; i < keys.n; i += RTE_MEMBER_LOOKUP_BULK_MAX) {
            rte_member_lookup_bulk(sums, const_cast<const void **>(keys.pointers + i),
                                   std::min<size_t>(RTE_MEMBER_LOOKUP_BULK_MAX, keys.n - i),
                                   static_cast<member_set_t *>(out) + i);
        }
        return size_t(0);
    };
    name = "rte_member vBF, k=" + std::to_string(sums->num_hashes);
    return {{name, insert, {{Form::sets, sets}}}};
}
