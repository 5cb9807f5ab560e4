/** DelegateResourceContract: lends bandwidth or energy from own stake to another account, with or without a lock. */
import { base58Of, isAddress } from '../address.ts'
import type { Address } from '../address.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { lendable, sunOfATrx } from '../resources/stake.ts'
import { accountAt, plus, putAccount, requireAccount } from '../state/account.ts'
import type { Resource } from '../state/account.ts'
import { indexLoan, loanAt, noLoan, putLoan } from '../state/records.ts'
import type { State } from '../state/state.ts'
import { requireOwner, requireResource } from './context.ts'
import type { Context, Outcome } from './context.ts'

type Delegation = ContractValue<'DelegateResourceContract'>

const slotMs = 3_000n
/** Three days, when the lender names no period. */
const usualLockPeriod = 86_400n
const badResource = 'ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]'

/** Throws InvalidContract. */
export const validateDelegate = (context: Context, value: Delegation): void => {
  const { state, slot } = context
  const { owner_address: owner, receiver_address: to, balance } = value
  const account = requireOwner(state, owner)
  if (balance < sunOfATrx) throw new InvalidContract('delegateBalance must be more than 1TRX')
  const resource = requireResource(value.resource, badResource)
  if (lendable(state, account, resource, slot) < balance) {
    const name = resource === 'ENERGY' ? 'FreezeEnergyV2' : 'FreezeBandwidthV2'
    throw new InvalidContract(`delegateBalance must be less than available ${name} balance`)
  }
  if (!isAddress(to)) throw new InvalidContract('Invalid receiverAddress')
  if (to === owner) throw new InvalidContract('receiverAddress must not be the same as ownerAddress')
  const receiver = accountAt(state, to)
  if (receiver === undefined) throw new InvalidContract(`Account[${base58Of(to)}] does not exist`)
  if (value.lock) validateLock(context, value, resource)
  if (receiver.type === 'Contract') throw new InvalidContract('Do not allow delegate resources to contract addresses')
}

const validateLock = ({ state, values, now }: Context, value: Delegation, resource: Resource): void => {
  const period = lockPeriodOf(value)
  if (period < 0n || period > values.getMaxDelegateLockPeriod)
    throw new InvalidContract(
      `The lock period of delegate resource cannot be less than 0 and cannot exceed ${values.getMaxDelegateLockPeriod}!`,
    )
  const locked = loanAt(state, { from: value.owner_address, to: value.receiver_address, locked: true })
  const remaining = (locked?.expires[resource] ?? 0n) - now
  if (period * slotMs < remaining)
    throw new InvalidContract(
      `The lock period for ${resource} this time cannot be less than the remaining time[${remaining}ms] of the last lock period for ${resource}!`,
    )
}

export const executeDelegate = (context: Context, value: Delegation): Outcome => {
  validateDelegate(context, value)
  const { state, now } = context
  const { owner_address: from, receiver_address: to, balance, lock } = value
  const resource = requireResource(value.resource, badResource)
  unlockExpired(state, from, to, now)
  const key = { from, to, locked: lock }
  const loan = loanAt(state, key) ?? noLoan
  const expires = lock ? now + lockPeriodOf(value) * slotMs : 0n
  putLoan(state, key, {
    amount: plus(loan.amount, resource, balance),
    expires: { ...loan.expires, [resource]: expires },
  })
  indexLoan(state, from, to)
  const receiver = requireAccount(state, to)
  putAccount(state, to, { ...receiver, borrowed: plus(receiver.borrowed, resource, balance) })
  const owner = requireAccount(state, from)
  putAccount(state, from, {
    ...owner,
    frozen: plus(owner.frozen, resource, -balance),
    lent: plus(owner.lent, resource, balance),
  })
  return {}
}

/** Moves expired locked loans to the unlocked ones. */
export const unlockExpired = (state: State, from: Address, to: Address, now: bigint): void => {
  const locked = loanAt(state, { from, to, locked: true })
  if (locked === undefined) return
  let [held, open] = [locked, loanAt(state, { from, to, locked: false }) ?? noLoan]
  for (const resource of ['BANDWIDTH', 'ENERGY'] as const) {
    if (held.expires[resource] >= now) continue
    open = { ...open, amount: plus(open.amount, resource, held.amount[resource]) }
    held = { amount: { ...held.amount, [resource]: 0n }, expires: { ...held.expires, [resource]: 0n } }
  }
  putLoan(state, { from, to, locked: true }, held)
  putLoan(state, { from, to, locked: false }, open)
}

const lockPeriodOf = ({ lock_period: period }: Delegation): bigint => (period === 0n ? usualLockPeriod : period)
