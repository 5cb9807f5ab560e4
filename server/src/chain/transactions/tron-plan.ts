import { isRefused } from '@bursar/chainkit'
import {
  feeLimitFor,
  mostBurntBy,
  parseUnsigned,
  serializeUnsigned,
  encodeTokenTransfer,
  type BlockReference,
  type Contract,
  type Prices,
  type Usage,
} from '@bursar/chainkit/tron'
import type { TronChainAdapter } from '../../adapters/chains/port.ts'

/** Room above an estimate of energy, in thousandths: a contract's dynamic factor may change before the block. */
const ENERGY_ROOM = 250n
/** Long enough for a node that is behind, short enough that what is lost can be paid anew soon. */
export const LIFETIME_MS = 10 * 60_000
/** Timestamps of transactions made together lie so far apart: equal payments are then different transactions. */
const TIMESTAMP_SPREAD = 2 ** 20

/**
 * The form in which TRON takes a payment of TRX: a contract's address is paid by a call of it that sends TRX and says
 * nothing. java-tron refuses a plain transfer there (proposal 35, `TransferActuator.java`), and a call of what is no
 * contract.
 */
export const inPayableForm = async (
  adapter: Pick<TronChainAdapter, 'isContract'>,
  payment: Contract,
): Promise<Contract> => {
  if (payment.kind !== 'TransferContract' || !(await adapter.isContract(payment.to))) return payment
  return contractCallPaying(payment)
}

/** The same payment of TRX as a call of the contract that receives it. */
export const contractCallPaying = ({
  owner,
  to,
  amount,
}: Extract<Contract, { kind: 'TransferContract' }>): Contract => ({
  kind: 'TriggerSmartContract',
  owner,
  contract: to,
  callValue: amount,
  data: '0x',
})

/**
 * What a transaction of TRON does, without when. The call that pays: TRX directly, a token by `transfer` on its
 * contract.
 */
export const tronPayment = (payment: { from: string; to: string; units: bigint; contract: string | null }): Contract =>
  payment.contract === null
    ? { kind: 'TransferContract', owner: payment.from, to: payment.to, amount: payment.units }
    : {
        kind: 'TriggerSmartContract',
        owner: payment.from,
        contract: payment.contract,
        callValue: 0n,
        data: encodeTokenTransfer(payment.to, payment.units),
      }

export interface TronPlan {
  /** `raw_data`, hex */
  unsigned: string
  /** sun, at most */
  networkFee: bigint
  expiresAt: Date
}

/**
 * @param reference a block that no fork takes away, and the time of the head (ms since the epoch)
 * @param id UUID of the transaction in our books, from whose random digits its timestamp is made
 */
export const planTron = (request: {
  id: string
  contract: Contract
  reference: BlockReference & { time: number }
  usage: Usage
  prices: Prices
  /** ms; ten minutes when it is signed here */
  lifetimeMs?: number
}): TronPlan => {
  const { contract, usage, prices } = request
  const { time, refBlockBytes, refBlockHash } = request.reference
  const expiration = time + (request.lifetimeMs ?? LIFETIME_MS)
  const feeLimit =
    contract.kind === 'TriggerSmartContract' ? feeLimitFor(usage.energyLimit ?? usage.energy, prices, ENERGY_ROOM) : 0n
  const timestamp = time - (Number.parseInt(request.id.slice(-8), 16) % TIMESTAMP_SPREAD)
  const transaction = { refBlockBytes, refBlockHash, contract, expiration, timestamp, feeLimit }
  return {
    unsigned: Buffer.from(serializeUnsigned(transaction)).toString('hex'),
    networkFee: mostBurntBy({ ...usage, energy: 0n }, prices) + feeLimit,
    expiresAt: new Date(expiration),
  }
}

/** What a stored transaction does. */
export const tronContractOf = (unsigned: string): Contract => {
  const transaction = parseUnsigned(Buffer.from(unsigned, 'hex'))
  if (isRefused(transaction)) throw new Error(`a stored transaction does not parse: ${transaction.message}`)
  return transaction.contract
}
