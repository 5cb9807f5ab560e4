/** An intruder on the server asks the signer for signatures that it must refuse. */
import type { SignRequest } from '../../../signer/src/protocol/protocol.ts'
import { signerPolicy } from '../installation/files.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'
import { uuidOf } from '../virtual.ts'
import { approve, APPROVERS } from '../thief/approvals.ts'
import { ATTACKS, freshPayment, freshTronPayment, type Attack, type Context } from '../thief/attacks.ts'
import { APPROVERS_WITH_PASSKEYS, PASSKEY_TRIES } from '../thief/passkeys.ts'
import type { Action } from './action.ts'

interface Policy {
  enabled: boolean
  approvers: unknown[]
  networks: Record<string, { assets: Record<string, { maxPerIntent: string }> }>
}

const HOUR_MS = 3_600_000

/** Of the newest requests, so that some are still being carried out. */
const NEWEST = 30

const policyFileOf = ({ chains }: Simulation): Policy => signerPolicy(chains) as Policy

const contextOf = (simulation: Simulation, random: Random): Context => {
  const policy = policyFileOf(simulation)
  const mostOf = ({ network, intents: [intent] }: SignRequest): bigint =>
    BigInt(policy.networks[network]!.assets[intent!.asset]!.maxPerIntent)
  return { random, now: simulation.clock.now(), mostOf, newId: () => uuidOf(random.bytes(16)) }
}

/** Makes one of the newest requests into another one. */
const prepare = (simulation: Simulation, attack: Attack, random: Random): SignRequest | undefined => {
  const context = contextOf(simulation, random)
  for (const request of simulation.signer.signed.slice(-NEWEST).toReversed()) {
    const made = attack(request, context)
    if (made !== undefined) return made
  }
  return undefined
}

const ask = async ({ signer, problems }: Simulation, name: string, request: SignRequest): Promise<void> => {
  const { status } = await signer.ask('POST', '/sign', request)
  if (status === 200) problems.push(`the signer signs ${name} on ${request.network}`)
}

/** Which requests it changes depends on the order in which some were signed at once. */
const describe = ({ signer }: Simulation): string => `after ${signer.signed.length} requests`

/** Requests that are wrong in themselves. */
const attack: Action = {
  name: 'thief asks the signer',
  weight: ({ signer }) => (signer.signed.length === 0 ? 0 : 1),
  run: async (simulation, random) => {
    for (const [name, change] of Object.entries(ATTACKS)) {
      const request = prepare(simulation, change, random)
      if (request !== undefined) await ask(simulation, name, request)
    }
    return describe(simulation)
  },
}

/** Requests that would be signed at another time, or under another policy. */
const untimely: Action = {
  name: 'thief asks when nothing is signed',
  // The policy, or the signer, is another one meanwhile: two of them at once would mix these up.
  weight: ({ signer, together }) => (signer.signed.length === 0 || together > 1 ? 0 : 1),
  run: async (simulation, random) => {
    for (const [how, run] of Object.entries(UNTIMELY)) {
      const request = prepare(simulation, freshPayment, random)
      if (request !== undefined) await run(simulation, how, request)
    }
    return describe(simulation)
  },
}

const underPolicy = async (
  simulation: Simulation,
  change: (policy: Policy) => Policy,
  work: () => Promise<void>,
): Promise<void> => {
  const before = simulation.signer.policy
  simulation.signer.setPolicy(change(before as Policy))
  try {
    await work()
  } finally {
    simulation.signer.setPolicy(before)
  }
}

/** Every payment needs two approvers. */
const withApprovals = (policy: Policy, approvers: readonly object[] = APPROVERS): Policy => ({
  ...policy,
  approvers: [...approvers],
  networks: Object.fromEntries(
    Object.entries(policy.networks).map(([network, one]) => [
      network,
      {
        ...one,
        assets: Object.fromEntries(
          Object.entries(one.assets).map(([ticker, asset]) => [
            ticker,
            { ...asset, approvalsAbove: '0', approvalsNeeded: 2 },
          ]),
        ),
      },
    ]),
  ),
})

const UNTIMELY: Record<string, (simulation: Simulation, how: string, request: SignRequest) => Promise<void>> = {
  'for a closed intent': async (simulation, how, request) => {
    await simulation.signer.ask('POST', `/intents/${request.intents[0]!.id}/close`)
    return ask(simulation, how, request)
  },
  'while it is switched off': (simulation, how, request) =>
    underPolicy(
      simulation,
      (policy) => ({ ...policy, enabled: false }),
      () => ask(simulation, how, request),
    ),
  'with one approval of two': (simulation, how, request) =>
    underPolicy(
      simulation,
      (policy) => withApprovals(policy),
      () =>
        ask(simulation, how, {
          ...request,
          approvals: approve(request, APPROVERS[0]!.id, simulation.clock.now() + HOUR_MS),
        }),
    ),
  'with an older copy of its log': (simulation, how, request) =>
    simulation.signer.withOlderLog(() => ask(simulation, how, request)),
}

/** Each in a signer of its own, so that the program's signer has signed nothing of it. */
const passkeys: Action = {
  name: 'thief approves at the page of the signer',
  // The clock moves: a signed request of another action of the step could expire.
  weight: ({ signer, together }) => (signer.signed.length === 0 || together > 1 ? 0 : 0.5),
  run: async (simulation, random) => {
    const { clock, problems, signer } = simulation
    const policyOf = (approvers: readonly object[]): Policy => withApprovals(policyFileOf(simulation), approvers)
    for (const [at, attempt] of PASSKEY_TRIES.entries()) {
      for (const fresh of [freshPayment, freshTronPayment]) {
        const request = prepare(simulation, fresh, random.of('request', at))
        const another = prepare(simulation, fresh, random.of('another', at))
        if (request === undefined || another === undefined) continue
        const stolen = { requests: [request, another] as const, policyOf, now: clock.now, advance: clock.advance }
        const done = await signer.withCopy(policyOf(APPROVERS_WITH_PASSKEYS), (copy) => attempt(copy, stolen))
        if (done !== undefined) problems.push(`the signer ${done} on ${request.network}`)
      }
    }
    return describe(simulation)
  },
}

export const THIEF: readonly Action[] = [attack, untimely, passkeys]
