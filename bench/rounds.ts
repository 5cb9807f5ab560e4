/** Rounds that count, after one that warms up: what is compared takes turns in each. `BENCH_ROUNDS=1` for a quick look. */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
