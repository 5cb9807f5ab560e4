/**
 * Requests of an attacker who has taken over the server, which the signer must refuse: requests that the server has
 * sent, changed in one place. Everything else of them is as the signer asks for it, so that one rule refuses each.
 */
import { isEvmNetwork, isRefused } from '@bursar/chainkit'
import * as bitcoin from '@bursar/chainkit/bitcoin'
import * as evm from '@bursar/chainkit/evm'
import * as tron from '@bursar/chainkit/tron'
import type { Intent, SignRequest } from '../../../signer/src/protocol/protocol.ts'
import type { Random } from '../../../sandbox/random.ts'

export interface Context {
  random: Random
  /** ms since the epoch */
  now: number
  /** the largest payment that the policy allows, base units */
  mostOf(request: SignRequest): bigint
  newId(): string
}

/** @returns the changed request; undefined: it cannot be changed so */
export type Attack = (request: SignRequest, context: Context) => SignRequest | undefined

/** Beyond every nonce that the signer has signed for. */
const FAR = 1_000_000n
/** With it a fee is more than the policy allows for a payment, and less than for an hour; wei for each unit of gas. */
const DEAR = 10n ** 14n

type EvmTransaction = evm.UnsignedTransaction

const evmAttack =
  (
    change: (
      given: { transaction: EvmTransaction; intent: Intent },
      context: Context,
      request: SignRequest,
    ) => { transaction?: Partial<EvmTransaction>; intent?: Partial<Intent> } | undefined,
    { keepsIntent = false, keepsNonce = false } = {},
  ): Attack =>
  (request, context) => {
    const [intent] = request.intents
    if (!isEvmNetwork(request.network) || request.purpose !== 'payout' || intent === undefined) return undefined
    const parsed = evm.parseUnsigned(evm.fromHex(request.unsigned as evm.Hex))
    if (isRefused(parsed)) return undefined
    const transaction = { ...parsed, nonce: keepsNonce ? parsed.nonce : parsed.nonce + FAR } as EvmTransaction
    const changed = change({ transaction, intent }, context, request)
    if (changed === undefined) return undefined
    const unsigned = evm.serializeUnsigned({ ...transaction, ...changed.transaction } as EvmTransaction)
    return {
      ...request,
      transactionId: context.newId(),
      unsigned: evm.toHex(unsigned),
      intents: [{ ...intent, id: keepsIntent ? intent.id : context.newId(), ...changed.intent }],
    }
  }

const isToken = ({ data }: EvmTransaction): boolean => data !== '0x'

const strangerOf = ({ random }: Context): evm.Hex => evm.checksumAddress(evm.toHex(random.bytes(20)))

/** The same payment to another address or of another amount. */
const paying = (transaction: EvmTransaction, { to, units }: { to: string; units: bigint }): Partial<EvmTransaction> =>
  isToken(transaction) ? { data: evm.encodeTransfer(to, units) } : { to: to as evm.Hex, value: units }

/** The same bytes again would be refused for that alone. */
const dearer = (transaction: EvmTransaction): Partial<EvmTransaction> =>
  transaction.type === 'legacy'
    ? { gasPrice: transaction.gasPrice + 1n }
    : { maxFeePerGas: transaction.maxFeePerGas + 1n }

const tronAttack =
  (
    change: (transaction: tron.UnsignedTransaction, context: Context) => Partial<tron.UnsignedTransaction> | undefined,
    { keepsIntent = false } = {},
  ): Attack =>
  (request, context) => {
    if (request.network !== 'TRON' || request.purpose !== 'payout') return undefined
    const transaction = tron.parseUnsigned(Buffer.from(request.unsigned, 'hex'))
    if (isRefused(transaction) || transaction.expiration <= context.now) return undefined
    const changed = change(transaction, context)
    if (changed === undefined) return undefined
    return {
      ...request,
      transactionId: context.newId(),
      unsigned: Buffer.from(tron.serializeUnsigned({ ...transaction, ...changed })).toString('hex'),
      intents: request.intents.map((intent) => (keepsIntent ? intent : { ...intent, id: context.newId() })),
    }
  }

const bitcoinAttack =
  (change: (psbt: bitcoin.Psbt, context: Context, intents: readonly Intent[]) => bitcoin.Psbt | undefined): Attack =>
  (request, context) => {
    if (request.network !== 'BITCOIN' || request.purpose !== 'payout') return undefined
    const psbt = bitcoin.parsePsbt(Buffer.from(request.unsigned, 'hex'))
    if (isRefused(psbt)) return undefined
    const changed = change(psbt, context, request.intents)
    if (changed === undefined) return undefined
    const unsigned = Buffer.from(bitcoin.writePsbt(changed)).toString('hex')
    return { ...request, transactionId: context.newId(), unsigned }
  }

/** Changes the first output that has, or has not, an origin of ours. */
const withOutput = (
  psbt: bitcoin.Psbt,
  isOurs: boolean,
  change: (output: bitcoin.PsbtOutput) => Partial<bitcoin.PsbtOutput>,
): bitcoin.Psbt | undefined => {
  const at = psbt.outputs.findIndex(({ origins }) => origins.length > 0 === isOurs)
  if (at === -1) return undefined
  return { ...psbt, outputs: psbt.outputs.map((one, place) => (place === at ? { ...one, ...change(one) } : one)) }
}

const witnessScript = ({ random }: Context): Uint8Array => Buffer.concat([Buffer.from('0014', 'hex'), random.bytes(20)])

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'another destination': evmAttack(({ transaction, intent }, context) => ({
    transaction: paying(transaction, { to: strangerOf(context), units: BigInt(intent.units) }),
  })),
  'a unit more': evmAttack(({ transaction, intent }) => ({
    transaction: paying(transaction, { to: intent.to, units: BigInt(intent.units) + 1n }),
  })),
  'another contract': evmAttack(({ transaction }, context) =>
    isToken(transaction) ? { transaction: { to: strangerOf(context) } } : undefined,
  ),
  'another chain': evmAttack(({ transaction }) => ({ transaction: { chainId: transaction.chainId + 1n } })),
  'any fee': evmAttack(({ transaction }) => ({
    transaction:
      transaction.type === 'legacy' ? { gasPrice: DEAR } : { maxFeePerGas: DEAR, maxPriorityFeePerGas: DEAR },
  })),
  'more than a payment may be': evmAttack(({ transaction, intent }, context, request) => {
    const units = context.mostOf(request) + 1n
    return { transaction: paying(transaction, { to: intent.to, units }), intent: { units: String(units) } }
  }),
  'a payment again by another nonce': evmAttack(() => ({}), { keepsIntent: true }),
  'another payment by a nonce': evmAttack(({ transaction }) => ({ transaction: dearer(transaction) }), {
    keepsNonce: true,
  }),
  'a payment to another destination': evmAttack(
    ({ transaction, intent }, context) => {
      const to = strangerOf(context)
      return { transaction: paying(transaction, { to, units: BigInt(intent.units) }), intent: { to } }
    },
    { keepsIntent: true, keepsNonce: true },
  ),
  'a TRON payment again before it expires': tronAttack(({ timestamp }) => ({ timestamp: timestamp + 1 }), {
    keepsIntent: true,
  }),
  'a sun more': tronAttack(({ contract }) =>
    contract.kind === 'TransferContract' ? { contract: { ...contract, amount: contract.amount + 1n } } : undefined,
  ),
  'change to a stranger': bitcoinAttack((psbt, context) =>
    withOutput(psbt, true, () => ({ script: witnessScript(context) })),
  ),
  'bitcoins to a stranger': bitcoinAttack((psbt, context) =>
    withOutput(psbt, false, () => ({ script: witnessScript(context) })),
  ),
}

/** A payment that the signer would sign: of its own intent and nonce, to any address. */
export const freshPayment = evmAttack(() => ({}))

/** The same on TRON, where a timestamp of its own makes it another transaction. */
export const freshTronPayment = tronAttack(({ timestamp }, { random }) => ({
  timestamp: timestamp + 1 + random.int(1_000),
}))
