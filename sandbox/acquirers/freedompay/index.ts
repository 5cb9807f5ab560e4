import { startEmulator } from '../emulator/start.ts'
import type { Emulator, EmulatorOptions } from '../emulator/start.ts'
import { freedompayDialect } from './dialect.ts'
import type { FreedomPayAccount } from './dialect.ts'
import { freedompayRoutes } from './routes.ts'

export type { FreedomPayAccount } from './dialect.ts'

/** Throws PortInUse, and an Error when this is production. */
export function startFreedomPay(account: FreedomPayAccount, options: EmulatorOptions): Promise<Emulator> {
  return startEmulator(
    () => freedompayDialect(account),
    (context) => freedompayRoutes(context, account),
    { payoutMs: 50, ...options },
  )
}
