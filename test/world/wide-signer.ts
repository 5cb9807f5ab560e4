/** The real signer, for tests of other subjects than its limits: it signs any amount of the assets of one network. */
import { join } from 'node:path'
import type { Network } from '@bursar/chainkit'
import type { Signer } from '../../server/src/adapters/signer/port.ts'
import type { Keyring } from '../../signer/src/keys/keyring.ts'
import { openMemory } from '../../signer/src/log/memory.ts'
import { readPolicy } from '../../signer/src/policy/policy.ts'
import { Signer as BursarSigner } from '../../signer/src/server/signer.ts'
import { withoutSocket } from '../setup/signer.ts'
import { keyring as testKeyring, policyFile, temporaryDirectory } from './signer.ts'

const MUCH = '1'.padEnd(30, '0')
const MUCH_OF_FEES = '1'.padEnd(20, '0')

export interface WideSigner {
  network: Network
  /** in the policy, by ticker, as checked addresses */
  assets: Readonly<Record<string, { contract?: string; cold?: string }>>
  /** parts of the network's policy that are not those of `policyFile` */
  policy?: object
  /** limits of fees that are not wide */
  fee?: object
  /** absent: the keys of `test/world/keys.ts` */
  keyring?: Keyring
  /** ms */
  now(): number
}

interface RunningWideSigner {
  signer: Signer
  /**
   * Starts it again over the same log, with keys of the same first seed and changed parts of the policy; `signer` then
   * asks the new one.
   */
  restart(keyring: Keyring, policy?: object): Promise<void>
  close(): Promise<void>
}

/** @returns its log has to be closed */
export const openWideSigner = async (wanted: WideSigner): Promise<RunningWideSigner> => {
  const { network, now, keyring = testKeyring } = wanted
  const { fee, ...given } = policyFile.networks[network]
  const wide = { enabled: true, maxPerIntent: MUCH, maxPerHour: MUCH, maxPerDay: MUCH }
  const rules = {
    ...given,
    // Movements of our own coins are allowed where a test says so.
    sweep: undefined,
    consolidation: undefined,
    // A test chain that makes blocks at once is ahead of the clock.
    ...(network === 'TRON' && { maxLifetimeMs: 3_600_000 }),
    fee: {
      ...fee,
      maxUnits: MUCH_OF_FEES,
      maxPerHour: MUCH_OF_FEES,
      maxPerDay: MUCH_OF_FEES,
      ...(network === 'BITCOIN' && { maxPerMille: '100000', maxMilliSatPerVb: '1000000' }),
      ...wanted.fee,
    },
    assets: Object.fromEntries(Object.entries(wanted.assets).map(([ticker, asset]) => [ticker, { ...wide, ...asset }])),
    ...wanted.policy,
  }
  const policyWith = (changed: object = {}) =>
    readPolicy(JSON.stringify({ ...policyFile, networks: { [network]: { ...rules, ...changed } } }))
  const logFile = join(temporaryDirectory(), 'log')
  const start = async (keys: Keyring, changed?: object) => {
    const policy = policyWith(changed)
    const { masterFingerprint, next } = keys.publicKeys
    const header = { kind: 'log', version: 1, at: now(), masterFingerprint } as const
    const { log, history } = await openMemory(logFile, header, { second: next?.masterFingerprint })
    return { log, signer: withoutSocket(new BursarSigner({ policy, keyring: keys, log, history, now })) }
  }
  const { log: firstLog, signer } = await start(keyring)
  let log = firstLog
  return {
    signer,
    restart: async (keys, changed) => {
      await log.close()
      const started = await start(keys, changed)
      log = started.log
      Object.assign(signer, started.signer)
    },
    close: () => log.close(),
  }
}
