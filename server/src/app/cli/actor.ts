import { operatorHere } from './recording.ts'
/** Who types, as the machine knows them: written beside what they decide. */
export const actor = (): string => `cli:${operatorHere(process.env).login}`
