/** Lookups and changes with ids that are not the merchant's: the answer is that of an id which nothing has. */
import { randomUUID } from 'node:crypto'
import type { Operation } from '@bursar/contract'
import type { Random } from '../../../sandbox/random.ts'
import type { Answer } from '../connection.ts'
import { KINDS, type FuzzWorld } from '../objects.ts'
import { contractFaultsOf, jsonOf, refusalOf } from '../oracles/answers.ts'
import { bytesOf, signedDraft } from '../request.ts'
import { aboutOf, mustHoldNothingOf, type Case } from './case.ts'
import { KIND_OF, signedOperations } from './valid.ts'

const lookups = signedOperations.filter(({ id }) => id in KIND_OF)

/** The answer without its request id. */
const saidOf = (answer: Answer, id: string): string => {
  const { requestId: _, ...said } = refusalOf(answer) ?? { requestId: '' }
  return JSON.stringify({ status: answer.status, said }).toLowerCase().replaceAll(id.toLowerCase(), 'ID')
}

/** The answer to an id that nothing has, by operation: learned from the api itself. */
const ofNothing = new Map<string, string>()

const mustSayNothing =
  (operation: Operation, id: string, isUnknown: boolean): Case['judge'] =>
  (answers) => {
    const [answer] = answers
    if (answer === undefined) return ['no answer']
    if (answer.status !== 404) return [`status ${answer.status}, not 404: ${answer.body.toString().slice(0, 200)}`]
    const faults = contractFaultsOf(operation, answer)
    const said = saidOf(answer, id)
    if (isUnknown) ofNothing.set(operation.id, said)
    const expected = ofNothing.get(operation.id)
    return expected === undefined || expected === said ? faults : [...faults, `${said} instead of ${expected}`]
  }

const IDS: Readonly<Record<string, (world: FuzzWorld, operation: Operation, random: Random) => string>> = {
  "another merchant's": ({ owned }, { id }, random) => random.pick(owned[1].ids[KIND_OF[id]!]),
  "another merchant's, in upper case": ({ owned }, { id }, random) =>
    random.pick(owned[1].ids[KIND_OF[id]!]).toUpperCase(),
  'of another kind': ({ owned }, { id }, random) => {
    const kind = random.pick(KINDS.filter((one) => one !== KIND_OF[id]))
    return random.pick(owned[random.pick([0, 1] as const)].ids[kind])
  },
  "a merchant's": ({ owned }, _operation, random) => owned[random.pick([0, 1] as const)].account.id,
  unknown: () => randomUUID(),
}

export const makeForeignLookup = (world: FuzzWorld, random: Random): Case => {
  const operation = random.pick(lookups)
  const kind = random.pick(Object.keys(IDS))
  const id = IDS[kind]!(world, operation, random)
  const target = operation.path.replace(':id', id)
  const body = operation.method === 'POST' && random.chance(0.5) ? '{}' : undefined
  const parts = [bytesOf(signedDraft({ method: operation.method, target, body }, world.owned[0].account))]
  return {
    kind: `foreign id: ${kind}`,
    about: aboutOf(parts),
    parts,
    effect: 'nothing',
    judge: mustSayNothing(operation, id, kind === 'unknown'),
  }
}

const NO_IDS = [
  '0',
  'null',
  '-',
  '_',
  'a'.repeat(64),
  '1e400',
  'NaN',
  'batch',
  'fee',
  '00000000-0000-0000-0000-000000000000',
] as const

/** Texts that are no ids: 404 too. */
export const makeNoId = (world: FuzzWorld, random: Random): Case => {
  const operation = random.pick(lookups)
  const id = random.pick(NO_IDS)
  const target = operation.path.replace(':id', id)
  const parts = [bytesOf(signedDraft({ method: operation.method, target }, world.owned[0].account))]
  const isServed = signedOperations.some(({ method, path }) => method === operation.method && path === target)
  return {
    kind: 'no id',
    about: aboutOf(parts),
    parts,
    effect: 'nothing',
    judge: (answers) => {
      const [answer] = answers
      if (answer === undefined) return ['no answer']
      return isServed || answer.status === 404
        ? contractFaultsOf(operation, answer)
        : [`status ${answer.status}, not 404`]
    },
  }
}

/** Lists and searches hold nothing of another merchant. */
export const makeForeignSearch = (world: FuzzWorld, random: Random): Case => {
  const [own, other] = random.chance(0.5) ? world.owned : [world.owned[1], world.owned[0]]
  const kind = random.pick(['localId', 'events', 'own object'] as const)
  const [target, operationId] = {
    localId: () => [`/merchants/withdrawals?localId=${random.pick(other.localIds)}`, 'findWithdrawals'],
    events: () => [`/merchants/events?after=${random.int(30)}&limit=${1 + random.int(100)}`, 'listEvents'],
    'own object': () => {
      const operation = random.pick(lookups.filter(({ method }) => method === 'GET'))
      return [operation.path.replace(':id', random.pick(own.ids[KIND_OF[operation.id]!])), operation.id]
    },
  }[kind]() as [string, string]
  const operation = signedOperations.find(({ id }) => id === operationId)!
  const parts = [bytesOf(signedDraft({ method: 'GET', target }, own.account))]
  return {
    kind: `search: ${kind}`,
    about: aboutOf(parts),
    parts,
    effect: 'nothing',
    judge: mustHoldNothingOf(other, operation, (answer, text) => {
      if (kind === 'localId' && (jsonOf(answer) as unknown[]).length > 0)
        return ['a localId of another merchant is found']
      const mayRefuse = kind === 'own object' && target.endsWith('/compliance')
      return answer.status === 200 || mayRefuse ? [] : [`status ${answer.status}: ${text.slice(0, 200)}`]
    }),
  }
}
