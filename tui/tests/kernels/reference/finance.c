#include "reference.h"

static double below(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static void black_scholes(const float *spot, const float *strike, const float *years, float *call, float *put_, int n, float rate, float volatility)
{
    for (int i = 0; i < n; i++) {
        double s = spot[i], k = strike[i], t = years[i], v = volatility, r = rate;
        double d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
        call[i] = (float)(s * below(d1) - k * exp(-r * t) * below(d2));
        put_[i] = (float)(k * exp(-r * t) * below(-d2) - s * below(-d1));
    }
}

static void american_put(const float *spot, const float *strike, const float *years, float *value, int n, float rate, float volatility)
{
    for (int i = 0; i < n; i++) {
        double v[65], dt = years[i] / 64, up = exp(volatility * sqrt(dt)), p = (exp(rate * dt) - 1 / up) / (up - 1 / up);
        for (int t = 64; t >= 0; t--)
            for (int j = 0; j <= t; j++) {
                double now = strike[i] - spot[i] * pow(up, 2 * j - t);
                double hold = t == 64 ? 0 : exp(-rate * dt) * (p * v[j + 1] + (1 - p) * v[j]);
                v[j] = fmax(hold, now);
            }
        value[i] = (float)v[0];
    }
}

static void asian_call(double *result, uint32_t seed, int paths, int steps, float spot, float strike, float rate, float volatility, float years)
{
    double dt = years / steps, sum = 0, squares = 0;
    for (int path = 0; path < paths; path++) {
        double s = spot, total = 0;
        for (int t = 0; t < steps; t++) {
            uint32_t counter[2] = {(uint32_t)(path * steps + t), 1};
            philox(seed, counter);
            double radius = sqrt(-2 * log(1 - (counter[0] >> 8) / 16777216.0));
            double z = radius * cos(2 * PI * (counter[1] >> 8) / 16777216.0);
            s *= exp((rate - volatility * volatility / 2) * dt + volatility * sqrt(dt) * z);
            total += s;
        }
        double paid = fmax(total / steps - strike, 0) * exp(-rate * years);
        sum += paid;
        squares += paid * paid;
    }
    result[0] = sum / paths;
    result[1] = sqrt((squares / paths - result[0] * result[0]) / paths);
}

static void max_drawdown(const float *prices, float *out, int days, int series)
{
    for (int s = 0; s < series; s++) {
        out[s] = 0;
        for (int d = 0; d < days; d++)
            for (int before = 0; before < d; before++)
                out[s] = fmaxf(out[s], 1 - prices[d * series + s] / prices[before * series + s]);
    }
}

static void averages(const double *prices, double *simple, double *exponential, int n, int window, double alpha)
{
    for (int i = 0; i < n; i++) {
        int first = most_of(0, i + 1 - window);
        simple[i] = 0;
        for (int k = first; k <= i; k++)
            simple[i] += prices[k] / (i + 1 - first);
        exponential[i] = i ? (1 - alpha) * exponential[i - 1] + alpha * prices[i] : prices[0];
    }
}
