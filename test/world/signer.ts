import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isRefused, seedIndex } from '@bursar/chainkit'
import { REPLACEABLE, accountPath, addressOf, parseAddress, writePsbt } from '@bursar/chainkit/bitcoin'
import type { KeyOrigin, Psbt, PsbtInput, PsbtOutput } from '@bursar/chainkit/bitcoin'
import { encodeTransfer, serializeUnsigned, toHex } from '@bursar/chainkit/evm'
import type { Eip1559Transaction, Hex, UnsignedTransaction } from '@bursar/chainkit/evm'
import { temporaryFolder } from '../setup/temporary.ts'
import { approvalMessage } from '../../signer/src/policy/approval.ts'
import { Keyring } from '../../signer/src/keys/keyring.ts'
import type { LogOptions, SignatureLog } from '../../signer/src/log/log.ts'
import { openMemory } from '../../signer/src/log/memory.ts'
import { readPolicy } from '../../signer/src/policy/policy.ts'
import type { Approval, Intent, KeyReference, SignRequest } from '../../signer/src/protocol/protocol.ts'
import { Refusal } from '../../signer/src/protocol/refusal.ts'
import type { RefusalCode } from '../../signer/src/protocol/refusal.ts'
import { Signer } from '../../signer/src/server/signer.ts'

/** The common base of the signer's tests: a known seed, a policy with every rule in it, and requests that obey it. */

/** BIP 39 seed of "test x11 junk". */
const JUNK_SEED =
  '9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0'
export const JUNK_WORDS: string = `${'test '.repeat(11)}junk`

export const seed = (): Buffer => Buffer.from(JUNK_SEED, 'hex')
export const keyring = Keyring.open(seed(), 'regtest')
export const SECOND_WORDS = `${'abandon '.repeat(11)}about`
const SECOND_BYTES =
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4'
/** The same seed, and an active second one: the seed of `SECOND_WORDS`. */
export const twoSeeds = Keyring.open(seed(), 'regtest', Buffer.from(SECOND_BYTES, 'hex'))

export const USDT: Hex = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
export const USDC: Hex = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
/** On TRON: Tether's contract, and another. */
export const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
export const TRON_USDC = 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'
export const STRANGER: Hex = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const STRANGER_SCRIPT = Uint8Array.from([0x00, 0x14, ...new Uint8Array(20).fill(9)])
export const BITCOIN_STRANGER = addressOf(STRANGER_SCRIPT, 'regtest')!
export const BITCOIN_OTHER = addressOf(Uint8Array.from([0x00, 0x20, ...new Uint8Array(32).fill(8)]), 'regtest')!

export interface Approver {
  id: string
  publicKey: string
  privateKey: KeyObject
}

function makeApprover(id: string): Approver {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { id, publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'), privateKey }
}

export const approvers = ['alice', 'bob', 'carol'].map(makeApprover)

/** An approval that ends an hour after the time at which the clock of `openSigner` stands still. */
export function approve(
  approver: Approver,
  network: SignRequest['network'],
  intent: Intent,
  expiresAt = 1_700_000_000_000 + 3_600_000,
): Approval {
  const message = Buffer.from(approvalMessage(network, intent, expiresAt))
  return { keyId: approver.id, expiresAt, signature: sign(null, message, approver.privateKey).toString('hex') }
}

/** Where sweeps go. */
export const TREASURY: Hex = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const sweep = {
  enabled: true,
  treasury: TREASURY,
  maxFee: '50000000000000000',
  maxTopUp: '1000000000000000',
  domains: { USDC: { name: 'USD Coin', version: '2' } },
}

const evmAssets = (decimals: number, native: string): object => ({
  [native]: { enabled: true, maxPerIntent: '1000', maxPerHour: '3000', maxPerDay: '5000' },
  USDT: {
    enabled: true,
    contract: USDT,
    maxPerIntent: `1${'0'.repeat(decimals + 3)}`,
    maxPerHour: `3${'0'.repeat(decimals + 3)}`,
    maxPerDay: `9${'0'.repeat(decimals + 3)}`,
    approvalsAbove: `5${'0'.repeat(decimals + 2)}`,
    approvalsNeeded: 2,
  },
  USDC: { enabled: false, contract: USDC, maxPerIntent: '1', maxPerHour: '1', maxPerDay: '1' },
})

/** As an operator would write it. */
export const policyFile = {
  version: 1,
  enabled: true,
  networks: {
    BITCOIN: {
      enabled: true,
      chain: 'regtest',
      fee: {
        maxUnits: '20000',
        maxPerMille: '100',
        maxMilliSatPerVb: '100000',
        maxPerHour: '50000',
        maxPerDay: '90000',
      },
      assets: { BTC: { enabled: true, maxPerIntent: '1000000', maxPerHour: '3000000', maxPerDay: '5000000' } },
      consolidation: { enabled: true },
    },
    ETHEREUM: {
      enabled: true,
      chainId: '31337',
      fee: { maxUnits: '10000000000000000', maxPerHour: '50000000000000000', maxPerDay: '90000000000000000' },
      assets: evmAssets(6, 'ETH'),
      sweep,
    },
    BINANCE_SMART_CHAIN: {
      enabled: true,
      chainId: '31356',
      fee: { maxUnits: '10000000000000000', maxPerHour: '50000000000000000', maxPerDay: '90000000000000000' },
      assets: evmAssets(18, 'BNB'),
      sweep,
    },
    TRON: {
      enabled: true,
      maxLifetimeMs: 600_000,
      fee: {
        maxUnits: '30000000',
        maxPerHour: '200000000',
        maxPerDay: '900000000',
        bandwidthPrice: '1000',
        activation: '1100000',
      },
      treasury: {
        enabled: true,
        maxUnits: '50000000000',
        stake: { maxPerHour: '60000000000', maxPerDay: '100000000000' },
        loan: { maxPerHour: '80000000000', maxPerDay: '200000000000' },
      },
      sweep: { enabled: true, maxTopUp: '20000000' },
      assets: {
        TRX: { enabled: true, maxPerIntent: '1000', maxPerHour: '3000', maxPerDay: '5000' },
        USDT: {
          enabled: true,
          contract: TRON_USDT,
          maxPerIntent: '1000000000',
          maxPerHour: '3000000000',
          maxPerDay: '9000000000',
          approvalsAbove: '500000000',
          approvalsNeeded: 2,
        },
        USDC: { enabled: false, contract: TRON_USDC, maxPerIntent: '1', maxPerHour: '1', maxPerDay: '1' },
      },
    },
  },
  approvers: approvers.map(({ id, publicKey }) => ({ id, publicKey })),
}

export const temporaryDirectory = (): string => temporaryFolder('signer')

export interface TestSigner {
  signer: Signer
  log: SignatureLog
  logFile: string
}

export interface SignerOptions {
  policy?: object
  now?: () => number
  logFile?: string
  log?: LogOptions
  approvalsAt?: string
  /** absent: `keyring` */
  keyring?: Keyring
}

/**
 * A signer in this process, with a real log, and a clock that stands still unless it is moved. The caller closes its
 * log.
 */
export async function openSigner(options: SignerOptions = {}): Promise<TestSigner> {
  const { policy = policyFile, now = () => 1_700_000_000_000, logFile = join(temporaryDirectory(), 'log') } = options
  const header = {
    kind: 'log',
    version: 1,
    at: now(),
    masterFingerprint: keyring.publicKeys.masterFingerprint,
  } as const
  const keys = options.keyring ?? keyring
  const second = keys.publicKeys.next?.masterFingerprint
  const { log, history } = await openMemory(logFile, header, { ...options.log, second })
  const { approvalsAt } = options
  const signer = new Signer({
    policy: readPolicy(JSON.stringify(policy)),
    keyring: keys,
    log,
    history,
    now,
    ...(approvalsAt !== undefined && { approvalsAt }),
  })
  return { signer, log, logFile }
}

/** The same, for one test. */
export async function makeSigner(options: SignerOptions = {}): Promise<TestSigner> {
  const made = await openSigner(options)
  onTestFinished(() => made.log.close())
  return made
}

export const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

export function intentOf(number: number, more: Partial<Intent> = {}): Intent {
  return { id: uuid(number), asset: 'USDT', to: STRANGER, units: '1000000', ...more }
}

export const hotKey: KeyReference = { account: 'hot', branch: 0, index: 0 }

/** An unsigned transaction of the hot wallet on Ethereum that pays an intent. */
export function evmTransaction(intent: Intent, more: Partial<Eip1559Transaction> = {}): Eip1559Transaction {
  const payment =
    intent.asset === 'USDT'
      ? { to: USDT, value: 0n, data: encodeTransfer(intent.to, BigInt(intent.units)) }
      : { to: intent.to as Hex, value: BigInt(intent.units), data: '0x' as const }
  return {
    type: 'eip1559',
    chainId: 31337n,
    nonce: 0n,
    gas: 100_000n,
    maxFeePerGas: 20n * 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 9n,
    ...payment,
    ...more,
  }
}

export const unsignedHex = (transaction: UnsignedTransaction): string => toHex(serializeUnsigned(transaction))

export function evmRequest(
  intent: Intent,
  more: Partial<Eip1559Transaction> = {},
  request: Partial<SignRequest> = {},
): SignRequest {
  return {
    network: 'ETHEREUM',
    transactionId: uuid(0xffff),
    purpose: 'payout',
    intents: [intent],
    unsigned: unsignedHex(evmTransaction(intent, more)),
    keys: [hotKey],
    ...request,
  }
}

export function fillerRequest(more: Partial<Eip1559Transaction> = {}, key: KeyReference = hotKey): SignRequest {
  const nothing = { to: keyring.evmAddress(key), value: 0n, data: '0x' as const }
  const unsigned = unsignedHex({ ...evmTransaction(intentOf(0)), gas: 21_000n, ...nothing, ...more })
  return { network: 'ETHEREUM', transactionId: uuid(0xfffe), purpose: 'filler', intents: [], unsigned, keys: [key] }
}

export function originOf(key: KeyReference, account: 'deposit' | 'hot' = key.account): KeyOrigin {
  const { seed: owner, index } = seedIndex(key.index)
  const { publicKeys } = twoSeeds
  const { masterFingerprint } = owner === 'first' ? publicKeys : publicKeys.next!
  return {
    publicKey: twoSeeds.bitcoinAddress(key).publicKey,
    masterFingerprint: Number.parseInt(masterFingerprint, 16),
    path: [...accountPath(account, 'regtest'), key.branch, index],
  }
}

function bitcoinInput(number: number, units: bigint, key: KeyReference): PsbtInput {
  const { script } = twoSeeds.bitcoinAddress(key)
  const txid = (number + 1).toString(16).padStart(64, 'b')
  return { txid, vout: 0, units, script, sequence: REPLACEABLE, origins: [originOf(key)] }
}

export function bitcoinIntent(number: number, units = 100_000n, to = BITCOIN_STRANGER): Intent {
  return { id: uuid(number), asset: 'BTC', to, units: units.toString() }
}

export function changeOutput(units: bigint, index = 0): PsbtOutput {
  const key = { account: 'hot', branch: 1, index } as const
  return { script: twoSeeds.bitcoinAddress(key).script, units, origins: [originOf(key)] }
}

function scriptOf(address: string): Uint8Array {
  const parsed = parseAddress(address, 'regtest')
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed.script
}

export interface BitcoinPlan {
  intents: Intent[]
  inputs: { number: number; units: bigint; key: KeyReference }[]
  fee?: bigint
  /** Index of the change address; 0 when absent */
  changeIndex?: number
  /** Changes the PSBT before it is written */
  alter?: (psbt: Psbt) => Psbt
  request?: Partial<SignRequest>
}

/** A payout that pays the intents from the inputs and returns the rest to the hot wallet's change. */
export function bitcoinRequest({
  intents,
  inputs,
  fee = 1_000n,
  changeIndex = 0,
  alter = (psbt) => psbt,
  request = {},
}: BitcoinPlan): SignRequest {
  const payments = intents.map(({ to, units }) => ({ script: scriptOf(to), units: BigInt(units), origins: [] }))
  const rest =
    inputs.reduce((sum, { units }) => sum + units, -fee) - payments.reduce((sum, { units }) => sum + units, 0n)
  const psbt: Psbt = {
    version: 0,
    transactionVersion: 2,
    lockTime: 0,
    inputs: inputs.map(({ number, units, key }) => bitcoinInput(number, units, key)),
    outputs: rest > 0n ? [...payments, changeOutput(rest, changeIndex)] : payments,
  }
  return {
    network: 'BITCOIN',
    transactionId: uuid(0xfffd),
    purpose: 'payout',
    intents,
    unsigned: Buffer.from(writePsbt(alter(psbt))).toString('hex'),
    keys: inputs.map(({ key }) => key),
    ...request,
  }
}

export const depositKey = (index: number): KeyReference => ({ account: 'deposit', branch: 0, index })

/** The answer of a signer to a request. */
export async function codeOf(signer: Signer, request: SignRequest): Promise<RefusalCode | 'signed'> {
  try {
    await signer.sign(request)
    return 'signed'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

/** The answer of a signer that has signed nothing yet to a request. */
export async function refusalOf(request: SignRequest, policy: object = policyFile): Promise<RefusalCode | 'signed'> {
  return codeOf((await makeSigner({ policy })).signer, request)
}
