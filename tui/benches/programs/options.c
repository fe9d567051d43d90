#include <math.h>
#include <stdint.h>

static float below(float x) {
    float k = 1 / (1 + 0.2316419f * fabsf(x));
    float tail = 0.3989422804f * expf(-0.5f * x * x) * k *
                 (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return x < 0 ? tail : 1 - tail;
}

void black_scholes(const float *restrict spot, const float *restrict strike, const float *restrict years, const float *restrict rate,
                   const float *restrict volatility, float *restrict call, int32_t n) {
    for (int i = 0; i < n; i++) {
        float spread = volatility[i] * sqrtf(years[i]);
        float d1 = (logf(spot[i] / strike[i]) + (rate[i] + 0.5f * volatility[i] * volatility[i]) * years[i]) / spread;
        call[i] = spot[i] * below(d1) - strike[i] * expf(-rate[i] * years[i]) * below(d1 - spread);
    }
}

void binomial_tree(const float *restrict spot, const float *restrict strike, const float *restrict years, const float *restrict rate,
                   const float *restrict volatility, float *restrict call, int32_t n) {
    enum { STEPS = 64 };
    for (int i = 0; i < n; i++) {
        float step = years[i] / STEPS, up = expf(volatility[i] * sqrtf(step)), grows = expf(rate[i] * step);
        float rises = (grows - 1 / up) / (up - 1 / up), values[STEPS + 1];
        for (int k = 0; k <= STEPS; k++) {
            float value = spot[i] * powf(up, 2 * k - STEPS) - strike[i];
            values[k] = value > 0 ? value : 0;
        }
        for (int last = STEPS; last > 0; last--)
            for (int k = 0; k < last; k++) values[k] = ((1 - rises) * values[k] + rises * values[k + 1]) / grows;
        call[i] = values[0];
    }
}
