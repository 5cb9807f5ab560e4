/** Lists: queries with one fault, and filters that name objects of another merchant. */
import type { Random } from '../../../sandbox/random.ts'
import type { FuzzWorld } from '../objects.ts'
import { jsonOf } from '../oracles/answers.ts'
import { bytesOf, signedDraft } from '../request.ts'
import { aboutOf, mustHoldNothingOf, mustRefuse, type Case } from './case.ts'
import { cursorOf, idsOf, isList, type Fields } from './list-fields.ts'
import { signedOperations } from './valid.ts'
import { encodeQuery } from './values.ts'

const lists = signedOperations.filter(isList)

/** Values that no list accepts, by the parameter. */
const BAD: Readonly<Record<string, readonly string[]>> = {
  limit: ['0', '-1', '1001', '1e3', ' 1', '1.0', '٣'],
  after: ['bm8', 'AAAA', '../..', 'null', 'a'.repeat(257), '%00', 'bGlzdERlcG9zaXRzL3g'],
  timeFrom: ['-1', '1.5', '2026-01-01', '99999999999999', 'NaN', '0x1'],
  timeTo: ['-1', 'now', '1e9', '٣'],
  format: ['xml', 'CSV', 'json,csv', '__proto__'],
  ids: ['x', '1', ',', 'a'.repeat(36), "';--", '*'],
  status: ['done', '0', 'PENDING,DONE', "' or 1=1 --"],
  ticker: ['DOGE', 'btc', '__proto__', 'constructor', '%'],
  blockchain: ['DOGECHAIN', 'tron', '__proto__'],
  amountFrom: ['-1', '1e3', 'NaN', '1,5', '1'],
  amountTo: ['-1', '.5', 'Infinity', '1'],
  hash: ['a b', "';", 'a'.repeat(81), '%'],
}

export const makeBrokenList = (world: FuzzWorld, random: Random): Case => {
  const operation = random.pick(lists)
  const names = Object.keys(BAD).filter((name) => name in operation.query!.properties)
  const name = random.pick(names)
  // An amount has no ticker beside it, so that each of its values is refused.
  const fields = { ...NEEDED[operation.id], [name]: random.pick(BAD[name]!) }
  const target = `${operation.path}?${encodeQuery(Object.entries(fields))}`
  const parts = [bytesOf(signedDraft({ method: 'GET', target }, world.owned[0].account))]
  return { kind: `broken list: ${name}`, about: aboutOf(parts), parts, effect: 'nothing', judge: mustRefuse(operation) }
}
/** Parameters without which a list is refused. */
const NEEDED: Readonly<Record<string, Fields>> = { listEntries: { ticker: 'USDT' } }

/** Filters that name something of another merchant: nothing fits. A cursor of it: only own items follow. */
export const makeForeignList = (world: FuzzWorld, random: Random): Case => {
  const [own, other] = random.chance(0.5) ? world.owned : [world.owned[1], world.owned[0]]
  const operation = random.pick(lists)
  const { properties } = operation.query!
  const foreignFilters: Fields = {
    ids: random.pick(idsOf(other)),
    localId: random.pick(other.localIds),
    ...(operation.id === 'listDeposits' && { address: random.pick(other.addresses) }),
    after: cursorOf(operation, random.pick(idsOf(other))),
  }
  const name = random.pick(Object.keys(foreignFilters).filter((one) => one in properties))
  const isCsv = random.chance(0.3)
  const query = { ...NEEDED[operation.id], [name]: foreignFilters[name]!, ...(isCsv && { format: 'csv' }) }
  const target = `${operation.path}?${encodeQuery(Object.entries(query))}`
  const parts = [bytesOf(signedDraft({ method: 'GET', target }, own.account))]
  return {
    kind: `foreign list: ${name}${isCsv ? ', CSV' : ''}`,
    about: aboutOf(parts),
    parts,
    effect: 'nothing',
    judge: mustHoldNothingOf(other, operation, (answer, text) => {
      // A cursor that is no key of the list is refused.
      if (answer.status !== 200 && !(name === 'after' && answer.status === 400))
        return [`status ${answer.status}: ${text.slice(0, 200)}`]
      if (name === 'after') return []
      const shown = isCsv ? text.split('\r\n').length - 2 : (jsonOf(answer) as { items: unknown[] }).items.length
      return shown === 0 ? [] : [`${shown} items fit a filter that names objects of another merchant`]
    }),
  }
}
