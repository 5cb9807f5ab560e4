/** Runs the emulators of real acquirers that BURSAR_EMULATORS names. Their accounts get orders before the bank's. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Emulator, EmulatorOptions } from '../acquirers/emulator/start.ts'
import { startFreedomPay } from '../acquirers/freedompay/index.ts'
import { startLiqPay } from '../acquirers/liqpay/index.ts'
import { startWayForPay } from '../acquirers/wayforpay/index.ts'
import type { Supervisor } from '../supervise.ts'

export const emulatedKinds = ['liqpay', 'wayforpay', 'freedompay'] as const
export type EmulatedKind = (typeof emulatedKinds)[number]

/** An account in the format of `BURSAR_ACQUIRERS_FILE`. */
export type EmulatedAccount = Readonly<Record<string, unknown>> & { readonly name: EmulatedKind }

/** Sandbox keys, which protect nothing: an emulator that runs as a program prints them. */
const key = (kind: EmulatedKind): string => `emulated-${kind}-key`
/** LiqPay comes first and accepts less than WayForPay, so that the amount determines the acquirer if both run. */
const limits = {
  liqpay: { payIn: { UAH: { least: '25', most: '9999' } }, payout: { UAH: { least: '1', most: '5000' } } },
  wayforpay: { payIn: { UAH: { least: '25', most: '29999' } }, payout: { UAH: { least: '1', most: '14500' } } },
  freedompay: { payIn: { KZT: { least: '12000', most: '300000' } }, payout: { KZT: { least: '1', most: '299000' } } },
} as const

/** Throws PortInUse. @param keysFolder folder of the files with the accounts' secrets */
export async function startEmulators(
  supervisor: Supervisor,
  kinds: readonly EmulatedKind[],
  { dir, keysFolder, log }: { dir: string; keysFolder: string; log: (line: string) => void },
): Promise<EmulatedAccount[]> {
  const accounts: EmulatedAccount[] = []
  for (const kind of kinds) {
    const file = join(keysFolder, `acquirer-${kind}`)
    writeFileSync(file, key(kind), { mode: 0o600 })
    const emulator = await supervisor.start(`the emulator of ${kind}`, () =>
      start(kind, { port: 0, dir: join(dir, kind), log }),
    )
    log(`the emulator of ${kind} is on ${emulator.url}; controls below ${emulator.url}/__control`)
    accounts.push(emulatedAccount(kind, emulator.url, file))
  }
  return accounts
}

/** @param file file with its secret */
export function emulatedAccount(kind: EmulatedKind, url: string, file: string): EmulatedAccount {
  return { name: kind, kind, ...limits[kind], ...members(kind, url, file) }
}

function start(kind: EmulatedKind, options: EmulatorOptions): Promise<Emulator> {
  if (kind === 'liqpay')
    return startLiqPay({ publicKey: 'sandbox_i00000000001', privateKey: key(kind), version: 3 }, options)
  if (kind === 'wayforpay')
    return startWayForPay(
      { merchantAccount: 'emulated_merchant', secretKey: key(kind), domain: 'shop.example' },
      options,
    )
  return startFreedomPay({ merchantId: '500001', secretKey: key(kind), payoutSecretKey: key(kind) }, options)
}

function members(kind: EmulatedKind, url: string, file: string): object {
  if (kind === 'liqpay') return { url, publicKey: 'sandbox_i00000000001', privateKeyFile: file }
  if (kind === 'wayforpay')
    return {
      apiUrl: url,
      payUrl: url,
      merchantAccount: 'emulated_merchant',
      secretKeyFile: file,
      domain: 'shop.example',
    }
  return { url, merchantId: '500001', secretKeyFile: file, payoutSecretKeyFile: file, testing: true, spacingMs: 100 }
}
