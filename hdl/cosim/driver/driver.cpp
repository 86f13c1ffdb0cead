// Drives one Verilated model: reads batches of records from standard input and answers each with a
// record on standard output. The documentation of package cosim says what a record is.
//
// A batch is a count (32 bits) and as many records; its answer is as many records. All numbers are
// in the byte order of this machine, every port as wide as Verilator makes its type. model_ports.h,
// which is generated beside this file, lists the ports and the sizes.
//
// Arguments: +mutant=N chooses a planted mutation, +wave=FILE writes the waveform of the run,
// +coverage=FILE its coverage, +verilator+… are Verilator's own.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "Vmodel.h"
#include "model_ports.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

namespace {

using Record = const uint8_t*;

#define SIZE(port) +sizeof(Vmodel::port)
#define SIZE_OF_INPUTS (0 INPUTS(SIZE))
#define SIZE_OF_OUTPUTS (0 OUTPUTS(SIZE))

// What a record has behind the ports when the top is an AXI4-Stream slave.
constexpr size_t CONTROL = STREAM;
enum : uint8_t { PUSH = 1, OFFER = 2 };              // of an input record
enum : uint8_t { TAKEN = 1, OFFERED = 2, PATH = 4 }; // of its answer

static_assert(SIZE_OF_INPUTS + CONTROL == IN_BYTES, "the ports have other types than expected");
static_assert(SIZE_OF_OUTPUTS + CONTROL == OUT_BYTES, "the ports have other types than expected");

class Driver {
    VerilatedContext& context;
    Vmodel& top;
#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> wave;
#endif
#if STREAM
    std::deque<std::vector<uint8_t>> queue; // records whose beats wait to be taken
    bool held = false;                      // the first of them was offered and not taken
#endif

    void load(Record record) {
#define LOAD(port)                                   \
    std::memcpy(&top.port, record, sizeof top.port); \
    record += sizeof top.port;
        INPUTS(LOAD)
#undef LOAD
    }

    void store(uint8_t* answer) const {
#define STORE(port)                                  \
    std::memcpy(answer, &top.port, sizeof top.port); \
    answer += sizeof top.port;
        OUTPUTS(STORE)
#undef STORE
    }

#if STREAM
    // Puts the first beat of the queue on the slave's ports, whatever the record has there.
    void offer(const std::vector<uint8_t>& beat) {
        Record record = beat.data();
#define LOAD_BEAT(port)                                                                            \
    if (std::strncmp(#port, "s_axis_", 7) == 0) std::memcpy(&top.port, record, sizeof top.port);   \
    record += sizeof top.port;
        INPUTS(LOAD_BEAT)
#undef LOAD_BEAT
    }
#endif

    void eval() {
        top.eval();
#if VM_TRACE_FST
        if (wave) wave->dump(context.time());
#endif
        context.timeInc(1);
    }

public:
    Driver(VerilatedContext& context, Vmodel& top) : context(context), top(top) {
#if VM_TRACE_FST
        const std::string argument = context.commandArgsPlusMatch("wave=");
        if (!argument.empty()) {
            wave.reset(new VerilatedFstC);
            top.trace(wave.get(), 99);
            wave->open(argument.substr(std::strlen("+wave=")).c_str());
        }
#endif
#if CLOCK
        top.clk = 0; // the first eval with clk = 1 would be no edge
#endif
        eval();
    }

    ~Driver() {
#if VM_TRACE_FST
        if (wave) wave->close();
#endif
        top.final();
#if VM_COVERAGE
        const std::string argument = context.commandArgsPlusMatch("coverage=");
        if (!argument.empty()) context.coveragep()->write(argument.substr(std::strlen("+coverage=")).c_str());
#endif
    }

    void cycle(Record record, uint8_t* answer) {
        load(record);
#if STREAM
        const uint8_t control = record[SIZE_OF_INPUTS];
        if (control & PUSH) queue.emplace_back(record, record + IN_BYTES);
        const bool valid = !queue.empty() && (held || (control & OFFER));
        if (valid) offer(queue.front());
        top.s_axis_tvalid = valid;

        // A combinational path from m_axis_tready to s_axis_tready shows as a difference.
        top.m_axis_tready = !top.m_axis_tready;
        top.eval();
        const bool ready = top.s_axis_tready;
        top.m_axis_tready = !top.m_axis_tready;
#endif
        eval();
        store(answer);
#if STREAM
        const bool taken = valid && top.s_axis_tready;
        answer[SIZE_OF_OUTPUTS] =
            (taken ? TAKEN : 0) | (valid ? OFFERED : 0) | (ready != top.s_axis_tready ? PATH : 0);
        held = valid && !taken;
        if (taken) queue.pop_front();
#endif
#if CLOCK
        top.clk = 1;
        eval();
        top.clk = 0;
#endif
    }
};

} // namespace

int main(int argc, char** argv) {
    // What Verilator prints, such as $display, must not get between the answers.
    FILE* const out = fdopen(dup(STDOUT_FILENO), "wb");
    if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
    VerilatedContext context;
    context.commandArgs(argc, argv);
#if VM_TRACE
    context.traceEverOn(true);
#endif
    Vmodel top{&context};
    Driver driver{context, top};
    std::vector<uint8_t> records, answers;
    uint32_t count;
    while (std::fread(&count, sizeof count, 1, stdin) == 1) {
        records.resize(size_t{count} * IN_BYTES);
        answers.resize(size_t{count} * OUT_BYTES);
        if (std::fread(records.data(), 1, records.size(), stdin) != records.size()) {
            std::fprintf(stderr, "the input ends inside a batch of %u records\n", count);
            return 1;
        }
        for (size_t i = 0; i < count; i++) driver.cycle(&records[i * IN_BYTES], &answers[i * OUT_BYTES]);
        if (std::fwrite(answers.data(), 1, answers.size(), out) != answers.size() || std::fflush(out) != 0)
            return 1; // nobody reads
    }
    return 0;
}
