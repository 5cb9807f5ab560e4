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

/** Margin above an estimate of energy, in thousandths: a contract's dynamic factor may change before the block. */
const ENERGY_MARGIN = 250n
/** Long enough for a node that lags, short enough that a lost payment can soon be made again. */
export const LIFETIME_MS = 10 * 60_000
/** Range of the timestamps of transactions made together, so that equal payments are different transactions. */
const TIMESTAMP_SPREAD = 2 ** 20

/**
 * Returns the form in which TRON accepts a payment of TRX: to a contract's address, a call with TRX and without data.
 * java-tron refuses a plain transfer to a contract (proposal 35, `TransferActuator.java`), and a call of an address
 * that is not one.
 */
export const inPayableForm = async (
  adapter: Pick<TronChainAdapter, 'isContract'>,
  payment: Contract,
): Promise<Contract> => {
  if (payment.kind !== 'TransferContract' || !(await adapter.isContract(payment.to))) return payment
  return contractCallPaying(payment)
}

/** Converts a payment of TRX to a call of the receiving contract. */
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

/** Returns the contract of a TRON payment, without times: a transfer of TRX, or `transfer` on a token's contract. */
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
 * Plans a TRON transaction.
 * @param reference a block that no fork can remove, and the time of the head (ms since the epoch)
 * @param id UUID of the transaction in our database; its random digits vary the timestamp
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
    contract.kind === 'TriggerSmartContract'
      ? feeLimitFor(usage.energyLimit ?? usage.energy, prices, ENERGY_MARGIN)
      : 0n
  const timestamp = time - (Number.parseInt(request.id.slice(-8), 16) % TIMESTAMP_SPREAD)
  const transaction = { refBlockBytes, refBlockHash, contract, expiration, timestamp, feeLimit }
  return {
    unsigned: Buffer.from(serializeUnsigned(transaction)).toString('hex'),
    networkFee: mostBurntBy({ ...usage, energy: 0n }, prices) + feeLimit,
    expiresAt: new Date(expiration),
  }
}

/** Decodes the contract of a stored transaction. */
export const tronContractOf = (unsigned: string): Contract => {
  const transaction = parseUnsigned(Buffer.from(unsigned, 'hex'))
  if (isRefused(transaction)) throw new Error(`a stored transaction does not parse: ${transaction.message}`)
  return transaction.contract
}
