/** Describes one operation of the API as data. */
import type { Static, TObject, TSchema } from 'typebox'
import { authenticationErrors, generalErrors } from './errors.ts'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'
import type { Tag } from './tags.ts'

/** Another path with the same behaviour as the operation's own. A request is signed over the path it is sent to. */
export interface Alias {
  readonly path: string
  /** True when it is the operation's own path with a slash at its end. */
  readonly trailingSlash?: boolean
  /** A signature over this other path is accepted too (`contract.md` 18 #32). */
  readonly alsoSignedAs?: string
}

export interface Operation<
  Id extends string = string,
  Params extends TObject | null = TObject | null,
  Query extends TObject | null = TObject | null,
  Body extends TObject | null = TObject | null,
  Response extends TSchema | null = TSchema | null,
> {
  /** Stable name in camelCase. */
  readonly id: Id
  readonly method: 'GET' | 'POST'
  /** Starts with `/merchants/`; parameters are written `:id`. */
  readonly path: string
  readonly aliases: readonly Alias[]
  /** All that an additional key needs for it (`contract.md` 2.1); empty for the two web forms, which need no key. */
  readonly scopes: readonly Scope[]
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /** False for the two web forms only, which name the merchant in the body. */
  readonly signed: boolean
  /** A repeated signature, within the timestamp window, gets the first response again (`contract.md` 19 #2). */
  readonly movesMoney: boolean
  readonly params: Params
  /** All values are strings. An unlisted parameter is ignored; the text `undefined` counts as absent (18 #31). */
  readonly query: Query
  /** Query parameters that hold a list, joined by commas. */
  readonly lists: readonly string[]
  /** Media type of the body; null when there is none. */
  readonly contentType: 'application/json' | 'application/x-www-form-urlencoded' | null
  /** A closed object at every level. */
  readonly body: Body
  /** Status of success: 200 with `response` as JSON, or 303 to the payment page, with a body that clients ignore. */
  readonly success: 200 | 303
  readonly response: Response
  /** `code` of the error for a request that does not match the schemas (`contract.md` 18 #3 and #4). */
  readonly validationCode: 0 | 3 | 100
  /** Columns of the CSV form of a list, as paths into an item; null: there is JSON only. */
  readonly csv: readonly string[] | null
  /** All errors of the operation, in the order of status and code. */
  readonly errors: readonly ErrorCode[]
}

type Defaulted =
  | 'aliases'
  | 'signed'
  | 'movesMoney'
  | 'params'
  | 'query'
  | 'lists'
  | 'contentType'
  | 'body'
  | 'success'
  | 'response'
  | 'validationCode'
  | 'csv'
  | 'errors'

/** The properties that an operation's file gives; the rest have defaults. `errors` lists the operation's own errors. */
type Spec<
  Id extends string,
  P extends TObject | null,
  Q extends TObject | null,
  B extends TObject | null,
  R extends TSchema | null,
> = Omit<Operation<Id, P, Q, B, R>, Defaulted> & Partial<Pick<Operation<Id, P, Q, B, R>, Defaulted>>

/** Adds the defaults, and the errors that follow from the operation's method, parameters and signing. */
export const operation = <
  const Id extends string,
  P extends TObject | null = null,
  Q extends TObject | null = null,
  B extends TObject | null = null,
  R extends TSchema | null = null,
>(
  spec: Spec<Id, P, Q, B, R>,
): Operation<Id, P, Q, B, R> => {
  const { signed = true, validationCode = 100, body = null as B, params = null as P } = spec
  return {
    aliases: [],
    movesMoney: false,
    lists: [],
    csv: null,
    success: 200,
    query: null as Q,
    response: null as R,
    ...spec,
    signed,
    validationCode,
    params,
    body,
    contentType: body === null ? null : (spec.contentType ?? 'application/json'),
    errors: [
      ...(spec.errors ?? []),
      ...(validationCode === 100 ? [generalErrors.invalidRequest] : []),
      ...(signed ? [...Object.values(authenticationErrors), generalErrors.notPermitted] : []),
      ...(params === null ? [] : [generalErrors.notFound]),
      ...(spec.method === 'POST' ? [generalErrors.bodyTooLarge] : []),
      ...(spec.method === 'POST' && signed ? [generalErrors.conflict] : []),
      generalErrors.tooManyRequests,
      generalErrors.notBuilt,
      generalErrors.unavailable,
    ].toSorted((a, b) => a.status - b.status || a.code - b.code),
  }
}

type StaticOrUndefined<Schema extends TSchema | null> = Schema extends TSchema ? Static<Schema> : undefined

export type ParamsOf<O extends Operation> = StaticOrUndefined<O['params']>
export type QueryOf<O extends Operation> = StaticOrUndefined<O['query']>
export type BodyOf<O extends Operation> = StaticOrUndefined<O['body']>
export type ResponseOf<O extends Operation> = StaticOrUndefined<O['response']>
