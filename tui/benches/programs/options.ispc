#define STEPS 64

static inline float below(float x) {
    float k = 1 / (1 + 0.2316419f * abs(x));
    float tail = 0.3989422804f * exp(-0.5f * x * x) * k *
                 (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return x < 0 ? tail : 1 - tail;
}

export void black_scholes(const uniform float spot[], const uniform float strike[], const uniform float years[], const uniform float rate[],
                          const uniform float volatility[], uniform float call[], uniform int32 n) {
    foreach (i = 0 ... n) {
        float spread = volatility[i] * sqrt(years[i]);
        float d1 = (log(spot[i] / strike[i]) + (rate[i] + 0.5f * volatility[i] * volatility[i]) * years[i]) / spread;
        call[i] = spot[i] * below(d1) - strike[i] * exp(-rate[i] * years[i]) * below(d1 - spread);
    }
}

export void binomial_tree(const uniform float spot[], const uniform float strike[], const uniform float years[], const uniform float rate[],
                          const uniform float volatility[], uniform float call[], uniform int32 n) {
    foreach (i = 0 ... n) {
        float step = years[i] / STEPS;
        float up = exp(volatility[i] * sqrt(step));
        float grows = exp(rate[i] * step);
        float rises = (grows - 1 / up) / (up - 1 / up), values[STEPS + 1];
        for (uniform int k = 0; k <= STEPS; k++) {
            float power = (float)(2 * k - STEPS);
            values[k] = max(spot[i] * pow(up, power) - strike[i], 0.0f);
        }
        for (uniform int last = STEPS; last > 0; last--)
            for (uniform int k = 0; k < last; k++) values[k] = ((1 - rises) * values[k] + rises * values[k + 1]) / grows;
        call[i] = values[0];
    }
}
