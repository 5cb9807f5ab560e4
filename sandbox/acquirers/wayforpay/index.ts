import { startEmulator } from '../emulator/start.ts'
import type { Emulator, EmulatorOptions } from '../emulator/start.ts'
import { wayforpayDialect } from './dialect.ts'
import type { WayForPayAccount } from './dialect.ts'
import { wayforpayRoutes } from './routes.ts'

export type { WayForPayAccount } from './dialect.ts'

/** The API and the page have one address here, but two at WayForPay. Throws PortInUse, and an Error in production. */
export function startWayForPay(account: WayForPayAccount, options: EmulatorOptions): Promise<Emulator> {
  return startEmulator(
    () => wayforpayDialect(account),
    (context) => wayforpayRoutes(context, account),
    { most: { payment: 2_999_900n, payout: 2_999_900n }, ...options },
  )
}
