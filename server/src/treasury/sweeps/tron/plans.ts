import type { Contract, Usage } from '@bursar/chainkit/tron'
import { planTron, tronPayment, type NewOutgoing } from '../../../chain/transactions/index.ts'
import type { Sweep } from '../sweep.ts'
import type { TronStep } from './choice.ts'
import type { TronSweepDeps } from './deps.ts'
import { bytesOf, type TronView } from './looking.ts'

/** The owner's address and the key of a sweep. */
export type Swept = Pick<Sweep, 'address' | 'derivationIndex'>

/** The next transaction of a sweep. */
export interface TronPlanned {
  outgoing: NewOutgoing
  /** sun of stake that it lends */
  lends: bigint | null
}

type Deps = { runtime: Pick<TronSweepDeps['runtime'], 'newId'> } & Pick<TronSweepDeps, 'hotAddress'>

/** Plans the transfer to the hot address by the deposit address itself. */
export const planTransfer = (
  deps: Deps,
  view: TronView,
  { address, derivationIndex }: Swept,
  transfer: Contract,
  usage: Usage,
): TronPlanned => ({
  outgoing: planned(deps, view, {
    contract: transfer,
    usage,
    purpose: 'sweep',
    sender: address,
    key: { account: 'deposit', branch: 0, index: derivationIndex },
  }),
  lends: null,
})

/** Plans the transaction by which the hot address gives the deposit address its missing resources. */
export const planPreparing = (
  deps: Deps,
  view: TronView,
  { address }: Swept,
  step: Exclude<TronStep, { kind: 'send' }>,
  isActivated: boolean,
): TronPlanned => {
  const contract = preparing(deps.hotAddress, address, step)
  const activates = !isActivated && step.kind !== 'lend'
  return {
    outgoing: byHot(deps, view, contract, step.kind === 'top-up' ? 'gas' : 'resources', activates),
    lends: step.kind === 'lend' ? step.stake : null,
  }
}

/** Plans a transaction of the hot address that stakes, lends, takes back or sends. */
export const byHot = (
  deps: Deps,
  view: Pick<TronView, 'reference' | 'prices'>,
  contract: Contract,
  purpose: 'gas' | 'resources',
  activates = false,
): NewOutgoing =>
  planned(deps, view, {
    contract,
    purpose,
    sender: deps.hotAddress,
    key: { account: 'hot', branch: 0, index: 0 },
    usage: { bandwidth: bytesOf(contract, view.reference), energy: 0n, activates },
  })

const preparing = (owner: string, address: string, step: Exclude<TronStep, { kind: 'send' }>): Contract => {
  if (step.kind === 'activate') return { kind: 'AccountCreateContract', owner, account: address }
  if (step.kind === 'top-up') return tronPayment({ from: owner, to: address, units: step.sun, contract: null })
  // Without a lock period, because it is taken back as soon as the sweep has ended.
  return {
    kind: 'DelegateResourceContract',
    owner,
    resource: 'ENERGY',
    amount: step.stake,
    receiver: address,
    lock: false,
    lockPeriod: 0n,
  }
}

const planned = (
  { runtime }: Deps,
  { reference, prices }: Pick<TronView, 'reference' | 'prices'>,
  {
    contract,
    usage,
    purpose,
    sender,
    key,
  }: {
    contract: Contract
    usage: Usage
    purpose: NewOutgoing['purpose']
    sender: string
    key: NewOutgoing['signingKeys'][number]
  },
): NewOutgoing => {
  const id = runtime.newId()
  const plan = planTron({ id, contract, reference, usage, prices })
  return {
    id,
    network: 'TRON',
    purpose,
    senders: [sender],
    nonce: null,
    keys: [],
    ...plan,
    signingKeys: [key],
    feeRate: { ...prices, ...usage },
  }
}
