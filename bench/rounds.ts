/**
 * Rounds that count, after one that warms up: what is compared takes turns in each. `BENCH_ROUNDS=1` for a quick look.
 */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)

/** For what is short and close to its goal: machines change their speed by a half from one second to the next. */
export const MANY_ROUNDS = 2 * ROUNDS - 1
