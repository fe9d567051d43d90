static void multiply(const uniform int32 starts[], const uniform int32 columns[], const uniform double values[], const uniform double x[],
                     uniform double out[], uniform int n) {
    foreach (i = 0 ... n) {
        double sum = 0;
        int end = starts[i + 1];
        for (int j = starts[i]; j < end; j++) sum += values[j] * x[columns[j]];
        out[i] = sum;
    }
}

static uniform double inner(const uniform double a[], const uniform double b[], uniform int n) {
    double sum = 0;
    foreach (i = 0 ... n) sum += a[i] * b[i];
    return reduce_add(sum);
}

export uniform int32 gmres(const uniform int32 starts[], const uniform int32 columns[], const uniform double values[],
                           const uniform double b[], uniform double x[], uniform double basis[], uniform double small, uniform int32 n,
                           uniform int32 m, uniform int32 k) {
    uniform double *uniform triangle = uniform new uniform double[m * (m + 1)];
    uniform double *uniform cosines = uniform new uniform double[m];
    uniform double *uniform sines = uniform new uniform double[m];
    uniform double *uniform right = uniform new uniform double[m + 1];
    uniform double size = sqrt(inner(b, b, n));
    right[0] = size;
    foreach (i = 0 ... n) basis[i] = b[i] / size;
    uniform int steps = 0;
    for (; steps < m && abs(right[steps]) > small * size; steps++) {
        uniform int j = steps;
        uniform double *uniform column = triangle + j * (m + 1), *uniform next = basis + (j + 1) * n;
        multiply(starts, columns, values, basis + j * n, next, n);
        for (uniform int p = 0; p <= j; p++) {
            const uniform double *uniform one = basis + p * n;
            uniform double part = inner(next, one, n);
            column[p] = part;
            foreach (i = 0 ... n) next[i] -= part * one[i];
        }
        uniform double rest = sqrt(inner(next, next, n));
        foreach (i = 0 ... n) next[i] /= rest;
        for (uniform int p = 0; p < j; p++) {
            uniform double above = column[p], below = column[p + 1];
            column[p] = cosines[p] * above + sines[p] * below;
            column[p + 1] = cosines[p] * below - sines[p] * above;
        }
        uniform double both = sqrt(column[j] * column[j] + rest * rest);
        cosines[j] = column[j] / both;
        sines[j] = rest / both;
        column[j] = both;
        right[j + 1] = -sines[j] * right[j];
        right[j] *= cosines[j];
    }
    for (uniform int j = steps - 1; j >= 0; j--) {
        for (uniform int p = j + 1; p < steps; p++) right[j] -= triangle[p * (m + 1) + j] * right[p];
        right[j] /= triangle[j * (m + 1) + j];
    }
    foreach (i = 0 ... n) x[i] = 0;
    for (uniform int j = 0; j < steps; j++) {
        uniform double part = right[j];
        foreach (i = 0 ... n) x[i] += part * basis[j * n + i];
    }
    delete triangle;
    delete cosines;
    delete sines;
    delete right;
    return steps;
}
