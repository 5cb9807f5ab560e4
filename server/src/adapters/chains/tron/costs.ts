import {
  addressOfEvmForm,
  bandwidthOf,
  burnOf,
  decodeTokenTransfer,
  encodeTokenTransfer,
  mostBurntBy,
  type Contract,
  type Prices,
  type Usage,
} from '@bursar/chainkit/tron'
import type { CostEstimate } from '../port.ts'
import { listOf, Malformed, objectOf } from '../shape.ts'
import { readIsActivated, readResources } from './accounts.ts'
import { estimateEnergy, readEnergyOf } from './calls.ts'
import { amountOf } from './fields.ts'
import type { TronNode } from './node.ts'

/** Names of the chain parameters. They change by vote; a missing one has no default. */
const PARAMETERS: Readonly<Record<keyof Prices, string>> = {
  energy: 'getEnergyFee',
  bandwidth: 'getTransactionFee',
  accountBandwidth: 'getCreateAccountFee',
  activation: 'getCreateNewAccountFeeInSystemContract',
}

export const readPrices = (node: TronNode): Promise<Prices> =>
  node.read('wallet/getchainparameters', {}, ({ chainParameter }) => {
    const values = new Map(
      listOf(chainParameter, 'chainParameter').map((one) => {
        const { key, value } = objectOf(one, 'a parameter')
        return [key, value]
      }),
    )
    const priceOf = (name: keyof Prices): bigint => {
      if (!values.has(PARAMETERS[name])) throw new Malformed(`no ${PARAMETERS[name]}`)
      return amountOf(values.get(PARAMETERS[name]), PARAMETERS[name])
    }
    return {
      energy: priceOf('energy'),
      bandwidth: priceOf('bandwidth'),
      accountBandwidth: priceOf('accountBandwidth'),
      activation: priceOf('activation'),
    }
  })

/** Values of maximum serialised length: times and fee limits of this century have these sizes. */
const LONGEST = { refBlockBytes: 'ffff', refBlockHash: 'ff'.repeat(8), expiration: 2 ** 42 - 1, timestamp: 2 ** 42 - 1 }
const LONGEST_FEE_LIMIT = 15_000_000_000n

/** @param random from 0 to 1 */
export const estimateCost = async (node: TronNode, contract: Contract, random: () => number): Promise<CostEstimate> => {
  const isCall = contract.kind === 'TriggerSmartContract'
  const estimate = isCall ? await estimateEnergy(node, contract) : { ok: true as const, energy: 0n, limit: 0n }
  if (!estimate.ok) return estimate
  const bandwidth = bandwidthOf({ ...LONGEST, feeLimit: isCall ? LONGEST_FEE_LIMIT : 0n, contract })
  const asNew = isCall ? await readEnergyToNewHolder(node, contract, random) : 0n
  const energyLimit = asNew > estimate.limit ? asNew : estimate.limit
  const usage: Usage = {
    bandwidth,
    energy: estimate.energy,
    ...(isCall && { energyLimit }),
    activates: await readActivates(node, contract),
  }
  const [prices, resources] = await Promise.all([readPrices(node), readResources(node, contract.owner)])
  return {
    ok: true,
    usage,
    burn: burnOf(usage, prices, resources),
    most: mostBurntBy({ ...usage, energy: energyLimit }, prices),
  }
}

/**
 * Energy of a token transfer to a receiver that holds none, which is about twice as much. A receiver can send its
 * tokens away between estimate and block; with too low a limit the payment then fails and the whole limit is burnt. 0
 * for other calls.
 */
const readEnergyToNewHolder = async (
  node: TronNode,
  call: Extract<Contract, { kind: 'TriggerSmartContract' }>,
  random: () => number,
): Promise<bigint> => {
  const transfer = decodeTokenTransfer(call.data)
  return transfer
    ? readEnergyOf(node, { ...call, data: encodeTokenTransfer(unusedAddress(random), transfer.units) })
    : 0n
}

/** A random address, whose key is unknown and which can't be predicted. */
const unusedAddress = (random: () => number): string =>
  addressOfEvmForm(
    Array.from({ length: 20 }, () => (1 + Math.floor(random() * 255)).toString(16).padStart(2, '0')).join(''),
  )

const readActivates = async (node: TronNode, contract: Contract): Promise<boolean> => {
  if (contract.kind === 'AccountCreateContract') return true
  return contract.kind === 'TransferContract' && !(await readIsActivated(node, contract.to))
}
