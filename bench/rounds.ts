/**
 * Number of measured rounds, after one to warm up; compared figures alternate within each. `BENCH_ROUNDS=1` gives a
 * quick result.
 */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)

/** For short measurements close to their goal: a machine's speed may change by half within a second. */
export const MANY_ROUNDS = 2 * ROUNDS - 1
