/** UnDelegateResourceContract: reclaims unlocked lent resources, with their share of the usage. */
import { isAddress } from '../address.ts'
import type { Address } from '../address.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { stakeOf, sunOfATrx, totalLimit } from '../resources/stake.ts'
import { takeOver, use } from '../resources/usage.ts'
import { accountAt, plus, putAccount, requireAccount } from '../state/account.ts'
import type { Resource, Usage } from '../state/account.ts'
import { indexLoan, loanAt, noLoan, putLoan, stakedFor } from '../state/records.ts'
import { requireOwner, requireResource } from './context.ts'
import type { Context, Outcome } from './context.ts'
import { unlockExpired } from './delegate.ts'

type Return = ContractValue<'UnDelegateResourceContract'>

const badResource = 'ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]'

/** Throws InvalidContract. */
export const validateUndelegate = ({ state, now }: Context, value: Return): void => {
  const { owner_address: from, receiver_address: to, balance } = value
  requireOwner(state, from)
  if (!isAddress(to)) throw new InvalidContract('Invalid receiverAddress')
  if (to === from) throw new InvalidContract('receiverAddress must not be the same as ownerAddress')
  const [open, locked] = [loanAt(state, { from, to, locked: false }), loanAt(state, { from, to, locked: true })]
  if (open === undefined && locked === undefined) throw new InvalidContract('delegated Resource does not exist')
  if (balance <= 0n) throw new InvalidContract('unDelegateBalance must be more than 0 TRX')
  const resource = requireResource(value.resource, badResource)
  const unlocked = locked !== undefined && locked.expires[resource] < now ? locked.amount[resource] : 0n
  const free = (open?.amount[resource] ?? 0n) + unlocked
  if (free < balance) {
    const what =
      resource === 'ENERGY'
        ? 'insufficient delegateFrozenBalance(Energy)'
        : 'insufficient delegatedFrozenBalance(BANDWIDTH)'
    throw new InvalidContract(`${what}, request=${balance}, unlock_balance=${free}`)
  }
}

export const executeUndelegate = (context: Context, value: Return): Outcome => {
  validateUndelegate(context, value)
  const { state, now, slot } = context
  const { owner_address: from, receiver_address: to, balance } = value
  const resource = requireResource(value.resource, badResource)
  const { moved, borrower } = takeFromReceiver(context, to, resource, balance)
  unlockExpired(state, from, to, now)
  const key = { from, to, locked: false }
  const open = loanAt(state, key) ?? noLoan
  putLoan(state, key, { ...open, amount: plus(open.amount, resource, -balance) })
  indexLoan(state, from, to)
  const owner = requireAccount(state, from)
  const usage = moved > 0n ? takeOver(owner.usage[resource], borrower, moved, slot) : owner.usage[resource]
  putAccount(state, from, {
    ...owner,
    frozen: plus(owner.frozen, resource, balance),
    lent: plus(owner.lent, resource, -balance),
    usage: { ...owner.usage, [resource]: usage },
  })
  return {}
}

/** The receiver's use moves in proportion to its stake, and never more than the stake taken back is worth. */
const takeFromReceiver = (
  { state, slot }: Context,
  to: Address,
  resource: Resource,
  balance: bigint,
): { moved: bigint; borrower: Usage } => {
  const receiver = accountAt(state, to)
  if (receiver === undefined) throw new Error(`a borrower has no account: ${to}`)
  const current = use(receiver.usage[resource], 0n, slot)
  const worth = (balance * totalLimit(state, resource)) / (sunOfATrx * stakedFor(state, resource))
  const share = (current.used * balance) / stakeOf(receiver, resource)
  const moved = share < worth ? share : worth
  const borrower = { ...current, used: current.used - moved }
  putAccount(state, to, {
    ...receiver,
    borrowed: plus(receiver.borrowed, resource, -balance),
    usage: { ...receiver.usage, [resource]: borrower },
  })
  return { moved, borrower }
}
