/** Faults in parts that the simulation does not have, by name: which part. */
export const OUTSIDE_THE_SIMULATION: Readonly<Record<string, string>> = {}
