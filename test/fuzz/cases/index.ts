/** Every group of cases, and how often each is drawn. */
import type { Random } from '../../../sandbox/random.ts'
import { makeBrokenBody, makeBrokenEnvelope, makeUnusualBody } from './bodies.ts'
import type { Case, Group } from './case.ts'
import { makeAllowed, makeNoise, makeSmuggled } from './hostile.ts'
import { makeBrokenList, makeForeignList } from './lists.ts'
import { makeForeignLookup, makeForeignSearch, makeNoId } from './lookups.ts'
import { makeCallback, makeInvoiceForm, makePageForm, makePageMethod, makePageVisit } from './pages.ts'
import { makeBrokenQuery, makeOtherMethod, makeOtherPath } from './queries.ts'
import { makeForged, makeSlid, makeUnknownMerchant } from './signatures.ts'
import { makeUnaffordable, makeValid } from './valid.ts'
import type { FuzzWorld } from '../objects.ts'

export type { Case } from './case.ts'

export const GROUPS: readonly Group[] = [
  { name: 'valid', weight: 12, make: makeValid },
  { name: 'refused by state', weight: 6, make: makeUnaffordable },
  { name: 'broken body', weight: 20, make: makeBrokenBody },
  { name: 'broken envelope', weight: 2, make: makeBrokenEnvelope },
  { name: 'unusual body', weight: 4, make: makeUnusualBody },
  { name: 'broken query', weight: 8, make: makeBrokenQuery },
  { name: 'other path', weight: 4, make: makeOtherPath },
  { name: 'other method', weight: 2, make: makeOtherMethod },
  { name: 'forged signature', weight: 16, make: makeForged },
  { name: 'slid signature', weight: 6, make: makeSlid },
  { name: 'unknown merchant', weight: 2, make: makeUnknownMerchant },
  { name: 'foreign lookup', weight: 8, make: makeForeignLookup },
  { name: 'foreign search', weight: 4, make: makeForeignSearch },
  { name: 'broken list', weight: 4, make: makeBrokenList },
  { name: 'foreign list', weight: 6, make: makeForeignList },
  { name: 'no id', weight: 1, make: makeNoId },
  { name: 'smuggled', weight: 6, make: makeSmuggled },
  { name: 'allowed bytes', weight: 1, make: makeAllowed },
  { name: 'noise', weight: 3, make: makeNoise },
  { name: 'page visit', weight: 5, make: makePageVisit },
  { name: 'page form', weight: 3, make: makePageForm },
  { name: 'invoice form', weight: 2, make: makeInvoiceForm },
  { name: 'callback', weight: 2, make: makeCallback },
  { name: 'page method', weight: 1, make: makePageMethod },
]

const TOTAL = GROUPS.reduce((sum, { weight }) => sum + weight, 0)

/** Draws a case: the same generator gives the same one, but for ids and the time. */
export const drawCase = (world: FuzzWorld, random: Random): Case & { group: string } => {
  let at = random.next() * TOTAL
  const group = GROUPS.find(({ weight }) => (at -= weight) < 0) ?? GROUPS[0]!
  return { ...group.make(world, random), group: group.name }
}
