import { userInfo } from 'node:os'

/** Who types, as the machine knows them: written beside what they decide. */
export const actor = (): string => `cli:${userInfo().username}`
