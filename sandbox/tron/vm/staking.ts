/**
 * TRON's stake opcodes (freezing, unfreezing and lending by contract code), and the stake of a destroyed contract. Each
 * is listed as an internal transaction that only nodes with `vm.saveFeaturedInternalTx` show (rows T-3 and T-4).
 * Source: java-tron OperationActions and Program.
 *
 * A contract that executes VOTEWITNESS (0xd8), WITHDRAWREWARD (0xd9), WITHDRAWEXPIREUNFREEZE (0xdd) or
 * UNDELEGATERESOURCE (0xdf) fails here as with an invalid opcode. They change the contract's own account alone, and
 * Bursar has no contract on TRON.
 */
import type { EVMOpts } from '@ethereumjs/evm'
import { addressOfEvm } from '../address.ts'
import type { Address } from '../address.ts'
import { bytesOf } from '../bytes.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import { executeDelegate } from '../contracts/delegate.ts'
import { countStake, executeFreeze } from '../contracts/freeze.ts'
import { executeUnfreeze, freeAt, waiting } from '../contracts/unfreeze.ts'
import type { Context } from '../contracts/context.ts'
import { accountAt, newAccount, plus, putAccount, requireAccount } from '../state/account.ts'
import type { Resource } from '../state/account.ts'
import type { Trail } from './trail.ts'

/** The current run. */
export interface Running {
  readonly context: Context
  readonly trail: Trail
}

interface Frame {
  readonly stack: { pop(): bigint; push(value: bigint): void }
  readonly env: { readonly address: { readonly bytes: Uint8Array } }
}

const energy = 10_000

/** java-tron's TRON_POWER (2) and unknown resources are refused: this chain has no votes. */
const resources: readonly Resource[] = ['BANDWIDTH', 'ENERGY']
const noteOf: Readonly<Record<Resource, string>> = { BANDWIDTH: 'Bandwidth', ENERGY: 'Energy' }

type Act = (context: Context, owner: Address, amount: bigint, resource: Resource, receiver: Address) => unknown

const acts: readonly {
  readonly opcode: number
  readonly name: string
  readonly note: string
  readonly hasReceiver: boolean
  readonly act: Act
}[] = [
  {
    opcode: 0xda,
    name: 'FREEZEBALANCEV2',
    note: 'freezeBalanceV2For',
    hasReceiver: false,
    act: (context, owner_address, frozen_balance, resource) =>
      executeFreeze(context, { owner_address, frozen_balance, resource }),
  },
  {
    opcode: 0xdb,
    name: 'UNFREEZEBALANCEV2',
    note: 'unfreezeBalanceV2For',
    hasReceiver: false,
    act: (context, owner_address, unfreeze_balance, resource) =>
      executeUnfreeze(context, { owner_address, unfreeze_balance, resource }),
  },
  {
    opcode: 0xde,
    name: 'DELEGATERESOURCE',
    note: 'delegateResourceOf',
    hasReceiver: true,
    act: (context, owner_address, balance, resource, receiver_address) =>
      executeDelegate(context, { owner_address, balance, resource, receiver_address, lock: false, lock_period: 0n }),
  },
]

export const stakingOpcodes = (running: () => Running): NonNullable<EVMOpts['customOpcodes']> => [
  ...acts.map(({ opcode, name, note, hasReceiver, act }) => ({
    opcode,
    opcodeName: name,
    baseFee: energy,
    logicFunction: (frame: unknown) => {
      const { stack, env } = frame as Frame
      const { context, trail } = running()
      const [kind, amount] = [stack.pop(), stack.pop()]
      const owner = addressOfEvm(env.address.bytes)
      const receiver = hasReceiver ? addressOfWord(stack.pop()) : owner
      const resource = resources[Number(kind)]
      const refuse = trail.featured(
        owner,
        receiver,
        amount,
        note + (resource === undefined ? 'UnknownType' : noteOf[resource]),
      )
      try {
        if (resource === undefined) throw new InvalidContract('Unknown ResourceCode')
        act(context, owner, amount, resource, receiver)
        stack.push(1n)
      } catch (error) {
        if (!(error instanceof InvalidContract)) throw error
        refuse()
        stack.push(0n)
      }
    },
  })),
  {
    opcode: 0xdc,
    opcodeName: 'CANCELALLUNFREEZEV2',
    baseFee: energy,
    logicFunction: (frame: unknown) => {
      const { stack, env } = frame as Frame
      cancelUnfreezing(running(), addressOfEvm(env.address.bytes))
      stack.push(1n)
    },
  },
]

/**
 * Stakes unfreezing TRX again, and pays out the TRX that has waited long enough. The entry has details as with
 * `saveCancelAllUnfreezeV2Details` (row T-5: Program.cancelAllUnfreezeV2Action and CancelAllUnfreezeV2Processor).
 */
const cancelUnfreezing = ({ context: { state, now }, trail }: Running, owner: Address): void => {
  const free = freeAt(requireAccount(state, owner), now)
  const again = { BANDWIDTH: 0n, ENERGY: 0n }
  for (const { resource, amount } of waiting(requireAccount(state, owner), now)) {
    again[resource] += amount
    const account = requireAccount(state, owner)
    countStake(state, account, resource, amount)
    putAccount(state, owner, { ...account, frozen: plus(account.frozen, resource, amount) })
  }
  const account = requireAccount(state, owner)
  putAccount(state, owner, { ...account, balance: account.balance + free, unfreezing: [] })
  trail.featured(
    owner,
    owner,
    0n,
    'cancelAllUnfreezeV2',
    `{"BANDWIDTH":${again.BANDWIDTH},"ENERGY":${again.ENERGY},"TRON_POWER":0}`,
  )
  if (free > 0n) trail.featured(owner, owner, free, 'withdrawExpireUnfreezeWhileCanceling')
}

export const addressOfWord = (word: bigint): Address =>
  addressOfEvm(bytesOf(word.toString(16).padStart(64, '0')).subarray(12))

/**
 * Transfers the stake of a destroyed contract: stake goes to its heir without an entry. Unfrozen TRX that has waited
 * long enough is paid out; it is added to the destruction's entry and also has its own entry.
 */
export const leaveStake = ({ context: { state, now }, trail }: Running, contract: Address, heir: Address): void => {
  const owner = requireAccount(state, contract)
  const free = freeAt(owner, now)
  // Row T-7: Program.suicide2 lists a contract that is its own heir with its balance, and moves nothing.
  if (heir === contract) return trail.destroyed(contract, heir, owner.balance)
  trail.destroyed(contract, heir, owner.balance + free)
  if (free > 0n) trail.featured(contract, heir, free, 'withdrawExpireUnfreezeWhileSuiciding')
  if (free === 0n && owner.frozen.BANDWIDTH === 0n && owner.frozen.ENERGY === 0n) return
  const before = accountAt(state, heir) ?? newAccount(now)
  const frozen = resources.reduce((sum, resource) => plus(sum, resource, owner.frozen[resource]), before.frozen)
  putAccount(state, heir, { ...before, balance: before.balance + free, frozen })
  putAccount(state, contract, { ...owner, frozen: { BANDWIDTH: 0n, ENERGY: 0n }, unfreezing: [] })
}
