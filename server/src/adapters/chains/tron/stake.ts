import { hexOfAddress } from '@bursar/chainkit/tron'
import type { ResourceSupply, Stake } from '../port.ts'
import { listOf, Malformed, objectOf, textOf } from '../shape.ts'
import { addressOf, amountOf, countOf, isNothing, type Fields } from './fields.ts'
import { readOrHead, readOrNothing } from './heads.ts'
import type { TronNode } from './node.ts'

const LENDABLE = 'wallet/getcandelegatedmaxsize'
const LOANS = 'walletsolidity/getdelegatedresourcev2'
const ENERGY_CODE = 1

/** Decodes how an account's TRX is divided (Stake 2.0); all 0 for an account that is not activated. */
export const decodeStake = (account: Fields): Stake => {
  const resources = objectOf(account['account_resource'] ?? {}, 'account_resource')
  const staked = { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n }
  for (const one of listOf(account['frozenV2'] ?? [], 'frozenV2')) {
    const { type = 'BANDWIDTH', amount } = objectOf(one, 'a stake')
    if (type !== 'BANDWIDTH' && type !== 'ENERGY' && type !== 'TRON_POWER')
      throw new Malformed(`a stake for ${textOf(type, 'its type')}`)
    staked[type] += amountOf(amount, 'amount')
  }
  return {
    spendable: amountOf(account['balance'], 'balance'),
    staked,
    lent: {
      BANDWIDTH: amountOf(account['delegated_frozenV2_balance_for_bandwidth'], 'delegated for bandwidth'),
      ENERGY: amountOf(resources['delegated_frozenV2_balance_for_energy'], 'delegated for energy'),
    },
    unfreezing: listOf(account['unfrozenV2'] ?? [], 'unfrozenV2').map((one) => {
      const { unfreeze_amount: amount, unfreeze_expire_time: at } = objectOf(one, 'an unfreezing')
      return { amount: amountOf(amount, 'unfreeze_amount'), at: countOf(at, 'unfreeze_expire_time') }
    }),
  }
}

/** Total sun that the account owns: liquid, staked, lent and unstaking. */
export const ownedOf = ({ spendable, staked, lent, unfreezing }: Stake): bigint =>
  spendable +
  staked.BANDWIDTH +
  staked.ENERGY +
  staked.TRON_POWER +
  lent.BANDWIDTH +
  lent.ENERGY +
  unfreezing.reduce((sum, { amount }) => sum + amount, 0n)

/** Stake for energy, in sun, that the account can lend now. */
export const readLendable = (node: TronNode, address: string): Promise<bigint> =>
  node.read(LENDABLE, { owner_address: hexOfAddress(address), type: ENERGY_CODE }, ({ max_size: most }) =>
    amountOf(most, 'max_size'),
  )

/**
 * Stake for energy, in sun, that one account has lent to another, in the solidified state.
 * @param height the state must be of this block or a later one; a lagging machine does not know the loan
 */
export const readLoan = async (node: TronNode, from: string, to: string, height: number): Promise<bigint> => {
  const answer = await readOrHead(
    node,
    LOANS,
    { fromAddress: hexOfAddress(from), toAddress: hexOfAddress(to) },
    ({ delegatedResource }) =>
      listOf(delegatedResource, 'delegatedResource')
        .map((one) => objectOf(one, 'a loan'))
        .filter((loan) => !isNothing(loan))
        .reduce((sum, loan) => {
          if (addressOf(loan['from'], 'from') !== from || addressOf(loan['to'], 'to') !== to)
            throw new Malformed('a loan of others')
          return sum + amountOf(loan['frozen_balance_for_energy'], 'frozen_balance_for_energy')
        }, 0n),
  )
  if ('found' in answer) return answer.found
  if (answer.head.height < height)
    throw node.unavailable(LOANS, `no loan at block ${answer.head.height}, which is before ${height}`)
  return 0n
}

/** Network-wide resource totals, as the node reports them for an account; null when it is not activated. */
export const readSupply = (node: TronNode, address: string): Promise<ResourceSupply | null> =>
  readOrNothing(node, 'wallet/getaccountresource', { address: hexOfAddress(address) }, (fields) => ({
    energy: amountOf(fields['TotalEnergyLimit'], 'TotalEnergyLimit'),
    stakedForEnergy: amountOf(fields['TotalEnergyWeight'], 'TotalEnergyWeight'),
    freeBandwidth: amountOf(fields['freeNetLimit'], 'freeNetLimit'),
  }))
