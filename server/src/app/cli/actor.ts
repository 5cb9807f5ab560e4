import { operatorHere } from './recording.ts'
/** The operating system's login of the operator, stored with each of the operator's decisions. */
export const actor = (): string => `cli:${operatorHere(process.env).login}`
