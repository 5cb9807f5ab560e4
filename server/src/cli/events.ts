import type { Command } from './command.ts'

export const eventCommands: readonly Command[] = []
