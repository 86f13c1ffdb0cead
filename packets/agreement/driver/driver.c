/*
 * Runs bloomlane.h on frames, read as the packet program reads them: a command is a letter and what
 * it needs, numbers are of 32 bits in the order of this machine.
 *
 *   f  a file, a key        answers the number of blocks
 *   j  frames               answers a byte each: whether the source is in the table
 *   t  rounds, frames       answers the nanoseconds of the fastest round, in 64 bits
 *   i  an address           inserts it, and answers a byte: whether it was present
 *   d  an address           deletes it, and answers a byte: the status
 *   b                       answers all blocks
 *
 * Frames are their number, then each; a file, a key, an address or a frame is its size, then bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bloomlane.h"
#include "packet.h"

static blm_key key;
static blm_block512 *table;
static uint32_t nblocks;

static void fail(const char *why)
{
    fprintf(stderr, "driver: %s\n", why);
    exit(1);
}

static void take(void *to, size_t n)
{
    if (fread(to, 1, n, stdin) != n)
        fail("the input ends in a command");
}

static uint32_t number(void)
{
    uint32_t n;

    take(&n, sizeof n);
    return n;
}

/* Memory is of whole words, because the packet program reads such. */
static uint8_t *bytes(uint32_t *n)
{
    uint8_t *p;

    *n = number();
    p = malloc(*n + 8);
    if (p == NULL)
        fail("no memory");
    take(p, *n);
    return p;
}

static void answer(const void *p, size_t n)
{
    if (fwrite(p, 1, n, stdout) != n)
        fail("nobody reads");
}

static void read_filter(void)
{
    uint32_t size, key_size;
    uint8_t *file = bytes(&size), *secret = bytes(&key_size);
    blm_filter filter;
    int error = blm_key_of_bytes(&key, secret, key_size);

    if (error == BLM_OK)
        error = blm_open(&filter, file, size, &key);
    if (error != BLM_OK)
        fail(blm_message(error));
    nblocks = (uint32_t)filter.nblocks;
    table = malloc(nblocks * sizeof *table);
    if (table == NULL)
        fail("no memory");
    for (uint32_t i = 0; i < nblocks; i++)
        for (uint32_t lane = 0; lane < 8; lane++)
            table[i].lane[lane] = blm_load64(filter.blocks + 64 * (size_t)i + 8 * lane);
    free(file);
    free(secret);
    answer(&nblocks, sizeof nblocks);
}

static int dropped(const uint8_t *frame, uint32_t size)
{
    struct packet packet;
    uint64_t hash;

    packet_parse(&packet, frame, frame + size);
    if (packet.version == 0)
        return 0;
    hash = blm_hash(&key, packet.source.word, packet.version == 4 ? 4 : 16);
    return blm_query512(&table[blm_index(hash, nblocks)], hash);
}

static void judge(uint32_t rounds)
{
    uint32_t n = number(), *sizes = malloc(n * sizeof *sizes + 1);
    uint8_t **frames = malloc(n * sizeof *frames + 1), *verdicts = malloc(n + 1);
    uint64_t best = UINT64_MAX;

    if (sizes == NULL || frames == NULL || verdicts == NULL)
        fail("no memory");
    for (uint32_t i = 0; i < n; i++)
        frames[i] = bytes(&sizes[i]);
    for (uint32_t round = 0; round < rounds || round == 0; round++) {
        struct timespec begin, end;
        uint64_t took;

        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (uint32_t i = 0; i < n; i++)
            verdicts[i] = (uint8_t)dropped(frames[i], sizes[i]);
        clock_gettime(CLOCK_MONOTONIC, &end);
        took = (uint64_t)(end.tv_sec - begin.tv_sec) * 1000000000 + (uint64_t)end.tv_nsec -
               (uint64_t)begin.tv_nsec;
        if (took < best)
            best = took;
    }
    if (rounds == 0)
        answer(verdicts, n);
    else
        answer(&best, sizeof best);
    for (uint32_t i = 0; i < n; i++)
        free(frames[i]);
    free(frames);
    free(sizes);
    free(verdicts);
}

static void change(int command)
{
    uint32_t size;
    uint8_t *address = bytes(&size), result;
    uint64_t hash = blm_hash(&key, address, size);
    blm_block512 *block = &table[blm_index(hash, nblocks)];

    result = (uint8_t)(command == 'i' ? blm_insert512(block, hash) : blm_delete512(block, hash));
    answer(&result, 1);
    free(address);
}

int main(void)
{
    int command;

    while ((command = getchar()) != EOF) {
        if (command != 'f' && table == NULL)
            fail("there is no filter");
        switch (command) {
        case 'f':
            read_filter();
            break;
        case 'j':
            judge(0);
            break;
        case 't':
            judge(number());
            break;
        case 'i':
        case 'd':
            change(command);
            break;
        case 'b':
            answer(table, nblocks * sizeof *table);
            break;
        default:
            fail("there is no such command");
        }
        fflush(stdout);
    }
    return 0;
}
