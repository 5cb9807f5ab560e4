import { isEvmNetwork, isRefused, type Network } from '@bursar/chainkit'
import { parseTransaction, type Output } from '@bursar/chainkit/bitcoin'
import { fromHex, isHex, parseSigned as parseEvm, serializeUnsigned as serializeEvm, toHex } from '@bursar/chainkit/evm'
import { parseSigned as parseTron, serializeUnsigned as serializeTron, type Contract } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import type { SignedTransaction } from '../../adapters/signer/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { adoptCoins } from './coins.ts'
import { insertAttempt, insertOutgoing, type AttemptFields } from './commands.ts'
import type { EvmCall } from './evm-plan.ts'
import { passTaken } from './nonces.ts'
import type { Attempt } from './transaction.ts'

/** The action of signed bytes, read from the bytes themselves. */
type SignedAction =
  | { kind: 'call'; call: EvmCall }
  | { kind: 'contract'; contract: Contract }
  | { kind: 'outputs'; outputs: readonly Output[] }

/** A transaction that the signer signed, in the form in which our database stores one. */
export interface SignedForm {
  hash: string
  raw: string
  unsigned: string
  /** the sender on account chains; null on Bitcoin, where its coins determine the senders */
  sender: string | null
  nonce: number | null
  /** outpoints, or address and nonce */
  keys: string[]
  /** most native units it pays the network; 0 on Bitcoin until it is in a block */
  networkFee: bigint
  expiresAt: Date | null
  signingKeys: Attempt['keys']
  action: SignedAction
}

/**
 * Reads the bytes of a transaction from the signer's answer. Throws an Error when they are missing or are another
 * transaction.
 */
export const readForm = (transaction: SignedTransaction): SignedForm => {
  const { network, hash, signed, keys, expiresAt } = transaction
  if (signed === undefined)
    throw new Error(
      `the signer does not return the bytes of ${hash} while its policy has ${network} or the asset switched off`,
    )
  const form = isEvmNetwork(network) ? evmForm(signed) : network === 'TRON' ? tronForm(signed) : bitcoinForm(signed)
  if (form.hash !== hash) throw new Error(`the bytes that the signer has for ${hash} are transaction ${form.hash}`)
  return { ...form, raw: signed, expiresAt: expiresAt === undefined ? null : new Date(expiresAt), signingKeys: keys }
}

type Read = Omit<SignedForm, 'raw' | 'expiresAt' | 'signingKeys'>

const evmForm = (signed: string): Read => {
  const parsed = isHex(signed) ? parseEvm(fromHex(signed)) : undefined
  if (!parsed || isRefused(parsed)) throw new Error('the signed bytes are no payment of an EVM chain')
  const { transaction, from, hash } = parsed
  const { to, value, data, gas } = transaction
  const price = transaction.type === 'legacy' ? transaction.gasPrice : transaction.maxFeePerGas
  const nonce = Number(transaction.nonce)
  return {
    hash,
    unsigned: toHex(serializeEvm(transaction)),
    sender: from,
    nonce,
    keys: [`${from}:${nonce}`],
    networkFee: gas * price,
    action: { kind: 'call', call: { to, value, data } },
  }
}

const tronForm = (signed: string): Read => {
  const parsed = parseTron(Buffer.from(signed, 'hex'))
  if (isRefused(parsed)) throw new Error('the signed bytes are no payment of TRON')
  const { transaction, from, hash } = parsed
  return {
    hash,
    unsigned: Buffer.from(serializeTron(transaction)).toString('hex'),
    sender: from,
    nonce: null,
    keys: [],
    networkFee: transaction.feeLimit,
    action: { kind: 'contract', contract: transaction.contract },
  }
}

/** The signed bytes do not contain the PSBT: an adopted transaction is never replaced, only broadcast again. */
const bitcoinForm = (signed: string): Read => {
  const parsed = parseTransaction(Buffer.from(signed, 'hex'))
  if (isRefused(parsed)) throw new Error('the signed bytes are no transaction of Bitcoin')
  const { txid, inputs, outputs } = parsed
  return {
    hash: txid,
    unsigned: signed,
    sender: null,
    nonce: null,
    keys: inputs.map((input) => `${input.txid}:${input.vout}`),
    networkFee: 0n,
    action: { kind: 'outputs', outputs },
  }
}

/**
 * Stores transactions that the signer signed for one payment and that the database has lost, as attempts of one
 * transaction: at most one of them can be mined. It is then processed like any other. Throws an Error when another
 * transaction has its nonce or one of its coins.
 * @param forms the first one first
 */
export const adoptSigned = async (
  tx: Tx,
  { id, network, forms }: { id: string; network: Network; forms: readonly SignedForm[] },
  moment: Moment,
): Promise<Effects> => {
  const { at } = moment
  const [first] = forms
  if (!first) throw new RangeError('there is no transaction to store')
  if (first.nonce !== null) await claimNonce(tx, network, first.sender!, first.nonce)
  const coins =
    network === 'BITCOIN' ? await adoptCoins(tx, network, id, forms) : { senders: [first.sender!], moves: [] }
  const keys = [...new Set(forms.flatMap((form) => form.keys))]
  const fieldsOf = ({ unsigned, signingKeys, networkFee, expiresAt }: SignedForm): AttemptFields => ({
    unsigned,
    signingKeys,
    networkFee,
    feeRate: {},
    ...(expiresAt && { expiresAt }),
  })
  await insertOutgoing(
    tx,
    { ...fieldsOf(first), id, network, purpose: 'payout', senders: coins.senders, nonce: first.nonce, keys },
    'signed',
    moment,
  )
  for (const [index, form] of forms.entries()) {
    if (index > 0) await insertAttempt(tx, id, network, index + 1, fieldsOf(form), at)
    await sql`update outgoing_attempts set raw = ${form.raw}, hash = ${form.hash}, signed_at = ${at}, asked_at = ${at}
      where outgoing_id = ${id} and attempt = ${index + 1}`.execute(tx)
  }
  await sql`update outgoing set attempt = ${forms.length} where id = ${id}`.execute(tx)
  if (first.nonce !== null) await passTaken(tx, network, first.sender!)
  return { ...noEffects, moves: coins.moves }
}

const claimNonce = async (tx: Tx, network: Network, address: string, nonce: number): Promise<void> => {
  await sql`insert into hot_wallets(network, address, next_nonce) select ${network}, address, ${nonce}::bigint from house_addresses
    where family = 'EVM' and account = 'hot' and address = ${address} on conflict do nothing`.execute(tx)
  // Lock the row that allocates nonces first, as all code that takes a nonce does.
  await sql`select from hot_wallets where network = ${network} and address = ${address} for update`.execute(tx)
  await sql`delete from free_nonces where network = ${network} and address = ${address} and nonce = ${nonce}`.execute(
    tx,
  )
  const { rows } = await sql<{ id: string; purpose: string; state: string }>`select id, purpose, state from outgoing
    where network = ${network} and senders[1] = ${address} and nonce = ${nonce} and state <> 'abandoned'`.execute(tx)
  if (rows[0]) {
    const { id, purpose, state } = rows[0]
    throw new Error(
      `nonce ${nonce} of ${address} is in use by the ${purpose} ${id}, which is ${state}: wait until a final block shows which of the two was mined`,
    )
  }
}
