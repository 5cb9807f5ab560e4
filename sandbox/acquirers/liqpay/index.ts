import { startEmulator } from '../emulator/start.ts'
import type { Emulator, EmulatorOptions } from '../emulator/start.ts'
import { liqpayDialect } from './dialect.ts'
import type { LiqPayAccount } from './dialect.ts'
import { liqpayRoutes } from './routes.ts'

export type { LiqPayAccount } from './dialect.ts'

/** Throws PortInUse, and an Error when this is production. */
export function startLiqPay(account: LiqPayAccount, options: EmulatorOptions): Promise<Emulator> {
  return startEmulator(
    () => liqpayDialect(account),
    (context) => liqpayRoutes(context, account),
    { most: { payment: 2_999_900n, payout: 2_999_900n }, ...options },
  )
}
