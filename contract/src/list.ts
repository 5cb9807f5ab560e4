/** Fields and answers that all lists below `/merchants/lists/` share (`contract.md` section 20). */
import { Type } from 'typebox'
import type { TObject, TProperties, TSchema } from 'typebox'
import { address, decimal, localId, meta, pageLimit, ticker } from './fields.ts'
import { listPage, textLimits } from './limits.ts'
import { operation } from './operation.ts'
import type { Tag } from './tags.ts'

const time = (bound: string) =>
  Type.Optional(
    Type.String({ pattern: '^\\d{1,13}$', description: `Created ${bound} this time, ms since the epoch: digits` }),
  )

/** Query parameters of every list. */
const pageFields = {
  timeFrom: time('at or after'),
  timeTo: time('before'),
  limit: Type.Optional(pageLimit('Most items in the answer (CSV has all)', listPage.default)),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The `next` of the previous page of this list; the newest items when absent',
    }),
  ),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], { description: '`csv`: all items behind `after`, as text/csv. `json` when absent' }),
  ),
}

/** Filters that several lists have. */
export const listFilters = {
  ids: Type.Optional(
    Type.String({
      maxLength: listPage.ids * 37,
      pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?:,[0-9A-Fa-f-]{36})*$',
      description: `Only these: at most ${listPage.ids} identifiers, joined by commas`,
    }),
  ),
  status: (values: readonly string[]) => Type.Optional(Type.Enum([...values], { description: 'Only this status' })),
  ticker: (what: string) => Type.Optional(ticker(`Only this ${what}`)),
  blockchain: Type.Optional(
    Type.Enum(['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'], { description: 'Only this network' }),
  ),
  amounts: {
    amountFrom: Type.Optional(decimal('At least this amount; needs a ticker')),
    amountTo: Type.Optional(decimal('At most this amount; needs a ticker')),
  },
  meta: Type.Optional(meta()),
  localId: Type.Optional(localId()),
  address: (what: string) => Type.Optional(address(`Only ${what} this address`)),
  hash: Type.Optional(
    Type.String({ minLength: 1, maxLength: 80, pattern: '^[0-9A-Za-z]+$', description: 'Only of this transaction' }),
  ),
  email: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: textLimits.email,
      description: 'Only of the payer with this e-mail address',
    }),
  ),
}

const exampleOf = (schema: TSchema): unknown => {
  const { examples, anyOf } = schema as { examples?: readonly unknown[]; anyOf?: readonly TSchema[] }
  return examples?.[0] ?? exampleOf(anyOf![0]!)
}

const pageOf = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object(
    {
      items: Type.Array(item, { description: 'Newest first; may be fewer than asked for while `next` is present' }),
      next: Type.Optional(Type.String({ description: 'The `after` of the next page; absent on the last page' })),
    },
    { title, description: 'A page of a list', examples: [{ items: [exampleOf(item)] }] },
  )

interface ListSpec<Id extends string, Filters extends TProperties, Item extends TSchema> {
  id: Id
  /** Last part of the path. */
  name: string
  tag: Tag
  /** In the plural. */
  what: string
  more?: string
  filters: Filters
  item: Item
  pageTitle: string
  csv: readonly string[]
}

/** Describes a list. */
export const listOperation = <const Id extends string, Filters extends TProperties, Item extends TSchema>({
  id,
  name,
  tag,
  what,
  more = '',
  filters,
  item,
  pageTitle,
  csv,
}: ListSpec<Id, Filters, Item>) =>
  operation({
    id,
    method: 'GET',
    scopes: ['read'],
    path: `/merchants/lists/${name}`,
    tag,
    summary: `List ${what}`,
    description:
      `The merchant's ${what}, newest first, that fit every filter given. A page may have fewer items than \`limit\`, ` +
      `or none, while \`next\` is present: pass \`next\` as \`after\` until it is absent.${more}`,
    query: Type.Object({ ...filters, ...pageFields }) as unknown as TObject<Filters & typeof pageFields>,
    lists: 'ids' in filters ? ['ids'] : [],
    response: pageOf(item, pageTitle),
    csv,
  })
