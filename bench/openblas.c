/* A peer for the comparison of matrix products: OpenBLAS (or any CBLAS).
 *
 *     cc -O2 -o openblas openblas.c -lopenblas
 *
 * It answers each line of its standard input
 *
 *     gemm blas TRANSA TRANSB M N K ACCUMULATE SECONDS
 *
 * with the seconds that one such product takes, and "core" with the name of the
 * processor that the library chose its kernels for. The variables
 * OPENBLAS_NUM_THREADS and OPENBLAS_CORETYPE choose threads and kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cblas.h>

extern char *openblas_get_corename(void);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* At least n random numbers, kept from one question to the next. */
static float *numbers(int slot, size_t n) {
    static float *memory[3];
    static size_t size[3];
    if (size[slot] < n) {
        free(memory[slot]);
        memory[slot] = malloc(n * sizeof(float));
        size[slot] = n;
        for (size_t i = 0; i < n; i++) memory[slot][i] = (float)rand() / RAND_MAX - 0.5f;
    }
    return memory[slot];
}

static void gemm(int ta, int tb, int m, int n, int k, const float *a, const float *b, float *c, int accumulate) {
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k,
                1, a, ta ? m : k, b, tb ? k : n, accumulate, c, n);
}

/* One row times a matrix is another call of BLAS, which a user would make. */
static void gemv(int tb, int n, int k, const float *x, const float *b, float *y, int accumulate) {
    if (tb)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, n, k, 1, b, k, x, 1, accumulate, y, 1);
    else
        cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, b, n, x, 1, accumulate, y, 1);
}

/* The time of one call: the first says how many follow, and counts only if it takes all the time. */
static double once(int ta, int tb, int m, int n, int k, int accumulate, double seconds, int vector) {
    float *a = numbers(0, (size_t)m * k), *b = numbers(1, (size_t)k * n), *c = numbers(2, (size_t)m * n);
    int calls = 1;
    double took = 0;
    for (int round = 0; round < 2; round++) {
        double start = now();
        for (int i = 0; i < calls; i++) {
            if (vector) gemv(tb, n, k, a, b, c, accumulate);
            else gemm(ta, tb, m, n, k, a, b, c, accumulate);
        }
        took = (now() - start) / calls;
        if (round == 0) {
            if (took >= seconds) break;
            calls = (int)(seconds / (took > 1e-7 ? took : 1e-7));
        }
    }
    return took;
}

int main(void) {
    char line[256], impl[32];
    int ta, tb, m, n, k, accumulate;
    double seconds;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "gemm %31s %d %d %d %d %d %d %lf", impl, &ta, &tb, &m, &n, &k, &accumulate, &seconds) == 8) {
            double best = once(ta, tb, m, n, k, accumulate, seconds, 0);
            if (m == 1 && !ta) {
                double other = once(ta, tb, m, n, k, accumulate, seconds, 1);
                if (other < best) best = other;
            }
            printf("%.6g\n", best);
        } else if (strncmp(line, "core", 4) == 0) {
            printf("%s\n", openblas_get_corename());
        } else {
            printf("! there is no such question\n");
        }
        fflush(stdout);
    }
    return 0;
}
