/*
 * Runs bloomlane.h for the tests: a command a line, an answer a line. Numbers are hexadecimal, bytes
 * are pairs of digits, or - for none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bloomlane.h"

static blm_block512 *table512;
static blm_block256 *table256;
static uint64_t nblocks;
static unsigned bits;

static uint8_t *file;
static blm_filter filter;
static blm_key filter_key;

static void fail(const char *why)
{
    fprintf(stderr, "driver: %s\n", why);
    exit(1);
}

static const char *word(void)
{
    const char *w = strtok(NULL, " \n");

    if (w == NULL)
        fail("an argument is missing");
    return w;
}

static uint64_t number(void)
{
    return strtoull(word(), NULL, 16);
}

/* Returns memory of exactly n bytes, so that a sanitizer sees what is read behind them. */
static void *memory(size_t n)
{
    void *p = calloc(n + (n == 0), 1);

    if (p == NULL)
        fail("no memory");
    return p;
}

static uint8_t *bytes(size_t *n)
{
    const char *digits = word();
    char pair[3] = {0, 0, 0};
    uint8_t *data;

    *n = strcmp(digits, "-") == 0 ? 0 : strlen(digits) / 2;
    data = (uint8_t *)memory(*n);
    for (size_t i = 0; i < *n; i++) {
        memcpy(pair, digits + 2 * i, 2);
        data[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return data;
}

static void print512(const blm_block512 *b)
{
    for (int i = 0; i < 8; i++)
        printf("%s%" PRIx64, i == 0 ? "" : " ", b->lane[i]);
}

static void print256(const blm_block256 *b)
{
    for (int i = 0; i < 8; i++)
        printf("%s%" PRIx32, i == 0 ? "" : " ", b->lane[i]);
}

static void make_table(void)
{
    free(table512);
    free(table256);
    table512 = NULL;
    table256 = NULL;
    bits = (unsigned)number();
    nblocks = number();
    if (bits == 512)
        table512 = (blm_block512 *)memory((size_t)nblocks * sizeof *table512);
    else
        table256 = (blm_block256 *)memory((size_t)nblocks * sizeof *table256);
}

static void change(const char *operation)
{
    uint64_t h = number(), i = blm_index(h, nblocks);
    int result = -1;

    if (strcmp(operation, "query") == 0)
        result = bits == 512 ? blm_query512(&table512[i], h) : blm_query256(&table256[i], h);
    else if (strcmp(operation, "insert") == 0)
        result = bits == 512 ? blm_insert512(&table512[i], h) : blm_insert256(&table256[i], h);
    else if (strcmp(operation, "delete") == 0)
        result = bits == 512 ? blm_delete512(&table512[i], h) : blm_delete256(&table256[i], h);
    printf("%d", result);
}

static void merge(void)
{
    uint64_t i = number();
    blm_block512 wide;
    blm_block256 narrow;

    for (int lane = 0; lane < 8; lane++) {
        wide.lane[lane] = number();
        narrow.lane[lane] = (uint32_t)wide.lane[lane];
    }
    if (bits == 512)
        blm_merge512(&table512[i], &wide);
    else
        blm_merge256(&table256[i], &narrow);
}

static void batch(void)
{
    size_t n = (size_t)number(), words = (n + 63) / 64, count;
    uint64_t *hashes = (uint64_t *)memory(8 * n), *present = (uint64_t *)memory(8 * words);

    for (size_t i = 0; i < n; i++)
        hashes[i] = number();
    memset(present, 0xff, 8 * words);
    if (bits == 512) {
        count = blm_query_batch512(table512, nblocks, hashes, n, present);
        if (blm_query_batch512(table512, nblocks, hashes, n, NULL) != count)
            fail("another count without answers");
    } else {
        count = blm_query_batch256(table256, nblocks, hashes, n, present);
        if (blm_query_batch256(table256, nblocks, hashes, n, NULL) != count)
            fail("another count without answers");
    }
    printf("%zx", count);
    for (size_t i = 0; i < words; i++)
        printf(" %" PRIx64, present[i]);
    free(hashes);
    free(present);
}

static void mask(void)
{
    unsigned of = (unsigned)number();
    uint64_t h = number();
    blm_block512 wide;
    blm_block256 narrow;

    if (of == 512) {
        blm_mask512(&wide, h);
        print512(&wide);
    } else {
        blm_mask256(&narrow, h);
        print256(&narrow);
    }
}

static void hash(const char *name)
{
    size_t key_size, size;
    uint8_t *key = bytes(&key_size), *data;
    uint64_t h;

    if (strcmp(name, "sip_u64") == 0) {
        blm_sip_key k = blm_sip_key_of(key);
        h = blm_siphash_u64(&k, number());
    } else if (strcmp(name, "highway_u64") == 0) {
        blm_highway_key k = blm_highway_key_of(key);
        h = blm_highwayhash_u64(&k, number());
    } else if (strcmp(name, "pmac_u64") == 0) {
        blm_pmac_key k = blm_pmac_key_of(key);
        h = blm_pmac_u64(&k, number());
    } else {
        data = bytes(&size);
        if (strcmp(name, "sip") == 0) {
            blm_sip_key k = blm_sip_key_of(key);
            h = blm_siphash(&k, data, size);
        } else if (strcmp(name, "pmac") == 0) {
            blm_pmac_key k = blm_pmac_key_of(key);
            h = blm_pmac(&k, data, size);
        } else {
            blm_highway_key k = blm_highway_key_of(key);
            h = blm_highwayhash(&k, data, size);
        }
        free(data);
    }
    printf("%" PRIx64, h);
    free(key);
}

static void open_file(void)
{
    FILE *in = fopen(word(), "rb");
    size_t key_size;
    uint8_t *key = bytes(&key_size);
    blm_filter before = filter;
    int changed;
    int error;
    long size = -1;

    free(file);
    if (in == NULL || fseek(in, 0, SEEK_END) != 0 || (size = ftell(in)) < 0)
        fail("no file");
    rewind(in);
    file = (uint8_t *)memory((size_t)size);
    if (fread(file, 1, (size_t)size, in) != (size_t)size)
        fail("the file cannot be read");
    fclose(in);
    if (key_size != 0 && blm_key_of_bytes(&filter_key, key, key_size) != BLM_OK)
        fail("no key");
    error = blm_open(&filter, file, (size_t)size, key_size == 0 ? NULL : &filter_key);
    free(key);
    changed = before.kind != filter.kind || before.algorithm != filter.algorithm ||
              before.hashes != filter.hashes || before.nblocks != filter.nblocks ||
              before.fingerprint != filter.fingerprint;
    if (error != BLM_OK && changed)
        fail("an error changed the filter");
    printf("%s", blm_message(error));
}

/* Prints whether AES instructions run. */
static void aes(void)
{
#ifdef BLM_AES
    printf("%d", blm_aes_runs());
#else
    printf("0");
#endif
}

/* Prints a key's algorithm and fingerprint, or what is wrong with the key. */
static void key(const char *form)
{
    blm_key k = {.algorithm = 7};
    size_t n;
    uint8_t *data;
    int error;

    if (strcmp(form, "key_text") == 0) {
        const char *text = word();

        n = strlen(text) + 1;
        data = (uint8_t *)memory(n);
        memcpy(data, text, n);
        error = blm_key_of_text(&k, (const char *)data);
    } else {
        data = bytes(&n);
        error = blm_key_of_bytes(&k, data, n);
    }
    free(data);
    if (error == BLM_OK)
        printf("%d %" PRIx64, k.algorithm, blm_fingerprint(&k));
    else if (k.algorithm != 7)
        fail("an error changed the key");
    else
        printf("%s", blm_message(error));
}

static void sha256(void)
{
    size_t n;
    uint8_t *data = bytes(&n), sum[32];

    blm_sha256(sum, data, n);
    for (int i = 0; i < 32; i++)
        printf("%02x", sum[i]);
    free(data);
}

static int run(const char *command)
{
    size_t n;
    uint8_t *data;

    if (strcmp(command, "table") == 0) {
        make_table();
    } else if (strcmp(command, "query") == 0 || strcmp(command, "insert") == 0 ||
               strcmp(command, "delete") == 0) {
        change(command);
    } else if (strcmp(command, "merge") == 0) {
        merge();
    } else if (strcmp(command, "batch") == 0) {
        batch();
    } else if (strcmp(command, "block") == 0) {
        if (bits == 512)
            print512(&table512[number()]);
        else
            print256(&table256[number()]);
    } else if (strcmp(command, "mask") == 0) {
        mask();
    } else if (strcmp(command, "index") == 0) {
        uint64_t h = number();
        printf("%" PRIx64, blm_index(h, number()));
    } else if (strcmp(command, "sip") == 0 || strcmp(command, "sip_u64") == 0 ||
               strcmp(command, "highway") == 0 || strcmp(command, "highway_u64") == 0 ||
               strcmp(command, "pmac") == 0 || strcmp(command, "pmac_u64") == 0) {
        hash(command);
    } else if (strcmp(command, "aes") == 0) {
        aes();
    } else if (strcmp(command, "sha256") == 0) {
        sha256();
    } else if (strcmp(command, "key_text") == 0 || strcmp(command, "key_bytes") == 0) {
        key(command);
    } else if (strcmp(command, "open") == 0) {
        open_file();
    } else if (strcmp(command, "algorithm") == 0) {
        printf("%d", filter.algorithm);
    } else if (strcmp(command, "present") == 0) {
        printf("%d", blm_query(&filter, number()));
    } else if (strcmp(command, "present_u64") == 0) {
        printf("%d", blm_query(&filter, blm_hash_u64(&filter_key, number())));
    } else if (strcmp(command, "present_bytes") == 0) {
        data = bytes(&n);
        printf("%d", blm_query(&filter, blm_hash(&filter_key, data, n)));
        free(data);
    } else {
        return 0;
    }
    return 1;
}

int main(void)
{
    static char line[1 << 16];

    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *command = strtok(line, " \n");

        if (command == NULL || !run(command))
            fail("an unknown command");
        putchar('\n');
        fflush(stdout);
    }
    free(table512);
    free(table256);
    free(file);
    return 0;
}
