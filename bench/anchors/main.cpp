// anchors times batches of queries on tables of one size: Bloomlane's, and those of libraries in C
// and C++, on the same hashes, bits per key and pages, in interleaved rounds. It writes a table in
// Markdown to stdout.
//
//	anchors KIB ROUNDS [small-pages] [boost]
//
// "boost" leaves all but Bloomlane and Boost.Bloom out.
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>

#include "anchors.hpp"

extern "C" char *bloomlane_implementation();

namespace {

constexpr size_t bits_per_key = 16;
constexpr size_t slice_keys = 4096;
constexpr size_t cached = 64 << 20;  // a larger table is not in a cache after a pass
constexpr size_t slices = 256;       // of queries; four times as many for a larger table
bool huge = true, boost_only = false;

[[noreturn]] void fail(const Subject &subject, const char *what) {
    throw std::runtime_error(subject.name + ": " + what);
}

uint64_t mix(uint64_t x) {  // the finalizer of SplitMix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

uint64_t member(uint64_t i) { return mix(i + 1); }
uint64_t other(uint64_t i) { return mix(i + (1ull << 62)); }

// Stream is keys in all forms.
struct Stream {
    std::vector<uint64_t> hashes;
    std::vector<const void *> pointers;
    uint32_t *low;
    Keys keys;

    explicit Stream(size_t n)
        : hashes(n), pointers(n), low(static_cast<uint32_t *>(allocate(4 * n))) {
        for (size_t i = 0; i < n; i++) pointers[i] = &hashes[i];
        keys = {hashes.data(), low, pointers.data(), n};
    }
    void set(size_t i, uint64_t h) { hashes[i] = h, low[i] = uint32_t(h); }
};

// Row is a subject and what was measured of it.
struct Row {
    Subject subject;
    double rate = 0;
    struct Figures {
        std::vector<double> least;  // ns, by slice
        double instructions = 0;
    };
    std::vector<Figures> figures;

    double ns(size_t form) const {
        auto &least = figures[form].least;
        return std::accumulate(least.begin(), least.end(), 0.0) / (least.size() * slice_keys);
    }
};

void fill(std::vector<Row> &rows, size_t members) {
    Stream part(slice_keys);
    for (size_t first = 0; first < members; first += slice_keys) {
        for (size_t i = 0; i < slice_keys; i++) part.set(i, member(first + i));
        for (Row &row : rows) row.subject.insert(part.keys);
    }
}

// is_present reads the answers of a slice, of which n are positions.
std::vector<bool> is_present(Form form, const void *out, size_t n) {
    std::vector<bool> present(slice_keys);
    for (size_t i = 0; i < slice_keys; i++) {
        switch (form) {
        case Form::bitmap: present[i] = ((const uint64_t *)out)[i / 64] >> i % 64 & 1; break;
        case Form::bytes: present[i] = ((const bool *)out)[i]; break;
        case Form::sets: present[i] = ((const uint16_t *)out)[i] != 0; break;
        case Form::positions:
            if (i < n) present[((const uint32_t *)out)[i]] = true;
        }
    }
    return present;
}

// check compares the answers with the truth and with each other, and measures the rate.
void check(Row &row, const Keys &keys, const std::vector<bool> &truth, void *out) {
    size_t absent = 0, wrong = 0;
    for (size_t first = 0; first < keys.n; first += slice_keys) {
        std::vector<bool> before;
        for (auto &query : row.subject.queries) {
            size_t n = query.run(keys.slice(first, slice_keys), out);
            auto present = is_present(query.form, out, n);
            if (!before.empty() && before != present) fail(row.subject, "its forms differ");
            before = present;
        }
        for (size_t i = 0; i < slice_keys; i++) {
            if (truth[first + i] && !before[i]) fail(row.subject, "a member is absent");
            absent += !truth[first + i];
            wrong += !truth[first + i] && before[i];
        }
    }
    row.rate = double(wrong) / absent;
}

// warm brings keys into the cache, in all forms.
void warm(const Keys &keys) {
    static volatile uint64_t sink;
    uint64_t sum = 0;
    for (size_t i = 0; i < keys.n; i += 8) {
        sum += keys.hashes[i] + keys.low[i] + (keys.pointers[i] != nullptr);
    }
    sink = sum;
}

void time_pass(Query &query, Row::Figures &figures, const Keys &keys, void *out) {
    using clock = std::chrono::steady_clock;
    for (size_t slice = 0; slice < keys.n / slice_keys; slice++) {
        Keys some = keys.slice(slice * slice_keys, slice_keys);
        warm(some);
        auto start = clock::now();
        query.run(some, out);
        std::chrono::duration<double, std::nano> took = clock::now() - start;
        figures.least[slice] = std::min(figures.least[slice], took.count());
    }
}

// count returns the instructions of a query of n keys. It steps through them in another process,
// because few virtual machines have counters.
double count(Query &query, const Keys &keys, size_t n, void *out) {
    pid_t child = fork();
    if (child == 0) {
        query.run(keys.slice(0, n), out);
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        query.run(keys.slice(0, n), out);
        raise(SIGSTOP);
        _exit(0);
    }
    int status, signal = SIGSTOP;
    waitpid(child, &status, 0);
    double steps = 0;
    for (; WIFSTOPPED(status) && (steps == 0 || signal != SIGSTOP); steps++) {
        bool ours = signal == SIGSTOP || signal == SIGTRAP;
        ptrace(PTRACE_SINGLESTEP, child, 0, ours ? 0 : signal);
        waitpid(child, &status, 0);
        signal = WSTOPSIG(status);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return steps;
}

// cell returns what a table has of the forms.
std::string cell(const Row &row, std::vector<Form> forms) {
    for (size_t i = 0; i < row.figures.size(); i++) {
        Form form = row.subject.queries[i].form;
        if (std::find(forms.begin(), forms.end(), form) == forms.end()) continue;
        char text[64];
        snprintf(text, sizeof text, "%.2f (%.0f)", row.ns(i), row.figures[i].instructions);
        return text;
    }
    return "–";
}

void print(const std::vector<Row> &rows, size_t bytes) {
    printf("\n**%zu KiB, %zu members**, pages of %s, Bloomlane by %s: "
           "ns (instructions) per key\n\n",
           bytes >> 10, bytes * 8 / bits_per_key, huge ? "2 MiB" : "4 KiB",
           bloomlane_implementation());
    printf("| filter | false positives | bitmap | bytes | positions |\n");
    printf("| --- | ---: | ---: | ---: | ---: |\n");
    double ours[2] = {1e9, 1e9}, others[2] = {1e9, 1e9};  // answers per key, and positions
    for (auto &row : rows) {
        printf("| %s | %.3f %% | %s | %s | %s |\n", row.subject.name.c_str(), 100 * row.rate,
               cell(row, {Form::bitmap}).c_str(), cell(row, {Form::bytes, Form::sets}).c_str(),
               cell(row, {Form::positions}).c_str());
        for (size_t i = 0; i < row.figures.size(); i++) {
            double *best = row.subject.name.find("Bloomlane") == 0 ? ours : others;
            double &least = best[row.subject.queries[i].form == Form::positions];
            least = std::min(least, row.ns(i));
        }
    }
    printf("\nThe fastest of Bloomlane takes %.2f of the time of the fastest other for a bitmap "
           "or bytes, and %.2f for positions.\n", ours[0] / others[0], ours[1] / others[1]);
    fflush(stdout);
}

void measure(size_t bytes, int rounds) {
    size_t asked = bytes > cached ? 4 * slices : slices, stream_keys = asked * slice_keys;
    std::vector<Row> rows;
    std::vector all = {bloomlane, boost_bloom, bloomfilter_bsd, bloomfilter_bsd_avx2, rte_member};
    if (boost_only) all.resize(2);
    for (auto make : all) {
        for (auto &subject : make(bytes)) {
            Row::Figures none = {std::vector<double>(asked, 1e18)};
            rows.push_back({subject, 0, {subject.queries.size(), none}});
        }
    }
    size_t members = bytes * 8 / bits_per_key;
    fill(rows, members);

    Stream stream(stream_keys);
    std::vector<bool> truth(stream_keys);
    for (size_t i = 0; i < stream_keys; i++) {
        uint64_t r = mix(~i);
        truth[i] = r >> 63;
        stream.set(i, truth[i] ? member(r % members) : other(i));
    }
    void *out = allocate(slice_keys * 4 + 64);
    for (auto &row : rows) check(row, stream.keys, truth, out);
    fprintf(stderr, "%zu KiB: filled and checked\n", bytes >> 10);
    for (int round = 0; round < rounds; round++) {
        for (auto &row : rows) {
            for (size_t i = 0; i < row.figures.size(); i++) {
                auto &query = row.subject.queries[i];
                if (bytes <= cached) time_pass(query, row.figures[i], stream.keys, out);
                time_pass(query, row.figures[i], stream.keys, out);
            }
        }
    }
    fprintf(stderr, "%zu KiB: timed\n", bytes >> 10);
    for (auto &row : rows) {
        for (size_t i = 0; i < row.figures.size(); i++) {
            auto &query = row.subject.queries[i];
            double more = count(query, stream.keys, 512, out);
            row.figures[i].instructions = (more - count(query, stream.keys, 256, out)) / 256;
        }
    }
    print(rows, bytes);
}

}  // namespace

void *allocate(size_t bytes) {
    size_t page = 2 << 20, length = (bytes + page - 1) / page * page;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = mmap(nullptr, length + page, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory = reinterpret_cast<void *>((uintptr_t(memory) + page - 1) / page * page);
    madvise(memory, length, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return memory;
}

std::pair<void *, bool> share(const std::string &name, size_t bytes) {
    static std::map<std::string, void *> all;
    auto [entry, first] = all.try_emplace(name);
    if (first) entry->second = allocate(bytes);
    return {entry->second, first};
}

int main(int argc, char **argv) try {
    size_t bytes = argc > 2 ? strtoul(argv[1], nullptr, 10) << 10 : 0;
    int rounds = argc > 2 ? atoi(argv[2]) : 0;
    if (bytes < 16 << 10 || bytes & (bytes - 1) || rounds < 1) {
        fprintf(stderr, "usage: anchors KIB ROUNDS [small-pages] [boost]\n"
                        "KIB is a power of two, 16 or more\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "small-pages")) huge = false;
        if (!strcmp(argv[i], "boost")) boost_only = true;
    }
    measure(bytes, rounds);
} catch (const std::exception &e) {
    fprintf(stderr, "anchors: %s\n", e.what());
    return 1;
}
