// Bloomlane's tables, by the package in bloomlane, which is linked as an archive.
#include "anchors.hpp"
#include "libbloomlane.h"

std::vector<Subject> bloomlane(size_t bytes) {
    std::vector<Subject> all;
    for (int width : {512, 256}) {
        auto words = static_cast<uint64_t *>(allocate(bytes));
        auto batch = [=](const Keys &keys) -> bloomlane_batch {
            return {width, words, bytes, const_cast<uint64_t *>(keys.hashes), keys.n};
        };
        auto insert = [=](const Keys &keys) { bloomlane_insert(batch(keys)); };
        auto bitmap = [=](const Keys &keys, void *out) {
            bloomlane_query(batch(keys), static_cast<uint64_t *>(out));
            return size_t(0);
        };
        auto positions = [=](const Keys &keys, void *out) {
            return bloomlane_select(batch(keys), static_cast<uint32_t *>(out));
        };
        all.push_back({"Bloomlane Table" + std::to_string(width),
                       insert,
                       {{Form::bitmap, bitmap}, {Form::positions, positions}}});
    }
    return all;
}
