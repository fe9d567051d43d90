export void sgemm_cells(const uniform float a[], const uniform float b[], uniform float c[], uniform int32 n, uniform int32 k, uniform int32 m) {
    for (uniform int i = 0; i < n; i++)
        foreach (j = 0 ... m) {
            float sum = 0;
            for (uniform int p = 0; p < k; p++) sum += a[i * k + p] * b[p * m + j];
            c[i * m + j] = sum;
        }
}

export void sgemm_rows(const uniform float a[], const uniform float b[], uniform float c[], uniform int32 n, uniform int32 k, uniform int32 m) {
    for (uniform int i = 0; i < n; i++) {
        foreach (j = 0 ... m) c[i * m + j] = 0;
        for (uniform int p = 0; p < k; p++)
            foreach (j = 0 ... m) c[i * m + j] += a[i * k + p] * b[p * m + j];
    }
}

#define DOWN 4
#define ACROSS (2 * programCount)

export void sgemm_tiles(const uniform float a[], const uniform float b[], uniform float c[], uniform int32 n, uniform int32 k, uniform int32 m) {
    for (uniform int i = 0; i < n; i += DOWN)
        for (uniform int j = 0; j < m; j += ACROSS) {
            float left[DOWN], right[DOWN];
            #pragma unroll
            for (uniform int y = 0; y < DOWN; y++) left[y] = right[y] = 0;
            for (uniform int p = 0; p < k; p++) {
                float first = b[p * m + j + programIndex], second = b[p * m + j + programCount + programIndex];
                #pragma unroll
                for (uniform int y = 0; y < DOWN; y++) {
                    left[y] += a[(i + y) * k + p] * first;
                    right[y] += a[(i + y) * k + p] * second;
                }
            }
            #pragma unroll
            for (uniform int y = 0; y < DOWN; y++) {
                c[(i + y) * m + j + programIndex] = left[y];
                c[(i + y) * m + j + programCount + programIndex] = right[y];
            }
        }
}

export void sgemm_library(const uniform float a[], const uniform float b[], uniform float c[], uniform int32 n, uniform int32 k, uniform int32 m) {
    sgemm_tiles(a, b, c, n, k, m);
}
