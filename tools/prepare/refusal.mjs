/** A condition the user can change; its message says how. */
export class Refusal extends Error {}
