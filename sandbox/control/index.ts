/** The control server: external events, on demand. Someone pays, a block is mined, a chain reorganises. */
import type { BankControl } from '../bank/index.ts'
import type { VenueControl } from '../venue/index.ts'
import { FAULT_KINDS, SOURCES } from '../market/index.ts'
import type { Fault, Source } from '../market/index.ts'
import type { SandboxChain } from '../chains/chain.ts'
import { listOfTexts, objectWith, oneOf, text, wholeNumber } from '../http/fields.ts'
import type { Fields } from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'
import { serve } from '../http/server.ts'
import type { Route, SandboxRequest, SandboxServer } from '../http/server.ts'
import { FAULTS, VERDICTS } from '../screening/index.ts'
import type { ScreeningEmulator } from '../screening/index.ts'
import { shownMail } from '../mail/index.ts'
import type { MailStore } from '../mail/index.ts'
import { signInLinkRoutes } from './sign-in-links.ts'

export interface ControlOptions {
  /** 0: any free port. */
  readonly port: number
  readonly portSetting?: string
  readonly chains: readonly SandboxChain[]
  /** Funds a merchant: capital moves to the merchant, and real coins to a hot wallet, in one step. */
  readonly credit?: (credit: {
    readonly merchantId: string
    readonly ticker: string
    readonly amount: string
  }) => Promise<unknown>
  /** Moves business time forward, in ms. */
  readonly setClock?: (move: { readonly advanceMs: number }) => Promise<unknown>
  readonly rates?: {
    list(): Promise<unknown>
    /** Sets a scripted price. Throws a Refusal naming what to send. */
    set(body: unknown): Promise<unknown>
  }
  readonly bank?: BankControl
  readonly venue?: VenueControl
  /** Pays an invoice as its payer would, continuing on its page first where that was not done. */
  readonly payInvoice?: (payment: InvoicePayment) => Promise<unknown>
  /** Makes a price source lie or fail; undefined: the truth again. */
  readonly setSourceFault?: (source: Source, fault: Fault | undefined) => void
  /** The provider that judges where money comes from. */
  readonly screening?: Pick<ScreeningEmulator, 'setVerdict' | 'setFault'>
  /** All mails. */
  readonly mails?: MailStore
  readonly log?: (line: string) => void
}

const HOWS = ['exact', 'partial', 'over', 'late', 'wrong-asset'] as const

export interface InvoicePayment {
  readonly id: string
  /** `late`: business time of everything moves to its end first */
  readonly how: (typeof HOWS)[number]
}

/** A hundred years: further than any expiry. */
const longestAdvanceMs = 100 * 365 * 24 * 3_600_000
const mostBlocks = 10_000

/** Throws PortInUse. */
export function startControl(options: ControlOptions): Promise<SandboxServer> {
  return serve({
    name: 'the control server',
    port: options.port,
    ...(options.portSetting === undefined ? {} : { portSetting: options.portSetting }),
    ...(options.log === undefined ? {} : { log: options.log }),
    routes: [
      ...chainRoutes(options.chains),
      ...platformRoutes(options),
      ...bankRoutes(options.bank),
      ...venueRoutes(options.venue),
      ...screeningRoutes(options.screening),
      mailRoute(options.mails),
      ...signInLinkRoutes(),
    ],
  })
}

function chainRoutes(chains: readonly SandboxChain[]): Route[] {
  const chainOf = (fields: Fields): SandboxChain => {
    const names = chains.map(({ blockchain }) => blockchain)
    if (names.length === 0) throw new Refusal('this sandbox runs no chain', { status: 503, code: 107 })
    const name = oneOf(fields, 'blockchain', names)
    return chains.find(({ blockchain }) => blockchain === name) as SandboxChain
  }
  return [
    post('/pay', ['blockchain', 'ticker', 'to', 'amount'], async (fields) => {
      const chain = chainOf(fields)
      const ticker = oneOf(fields, 'ticker', chain.tickers)
      return { hash: await chain.pay({ ticker, to: text(fields, 'to'), amount: text(fields, 'amount') }) }
    }),
    post('/mine', ['blockchain', 'blocks'], async (fields) => {
      const chain = chainOf(fields)
      return { height: await chain.mine(wholeNumber(fields, 'blocks', 1, mostBlocks, 1)) }
    }),
    post('/reorg', ['blockchain', 'depth', 'without'], (fields) => {
      const chain = chainOf(fields)
      const depth = wholeNumber(fields, 'depth', 1, Number.MAX_SAFE_INTEGER)
      return chain.reorg({ depth, without: listOfTexts(fields, 'without') })
    }),
    post('/address', ['blockchain'], async (fields) => ({ address: await chainOf(fields).newAddress() })),
    get('/balance', ['blockchain', 'ticker', 'address'], async (fields) => {
      const chain = chainOf(fields)
      const ticker = oneOf(fields, 'ticker', chain.tickers)
      return { value: await chain.balance({ ticker, address: text(fields, 'address') }) }
    }),
    get('/transaction', ['blockchain', 'hash'], async (fields) => {
      const found = await chainOf(fields).transaction(text(fields, 'hash'))
      if (found === undefined)
        throw new Refusal('hash: the chain knows no such transaction', { status: 404, code: 101 })
      return found
    }),
  ]
}

function platformRoutes({ credit, setClock, payInvoice, rates, setSourceFault }: ControlOptions): Route[] {
  return [
    post('/credit', ['merchantId', 'ticker', 'amount'], (fields) =>
      present(
        credit,
        'POST /credit',
      )({
        merchantId: text(fields, 'merchantId'),
        ticker: text(fields, 'ticker'),
        amount: text(fields, 'amount'),
      }),
    ),
    post('/clock', ['advanceMs'], (fields) =>
      present(setClock, 'POST /clock')({ advanceMs: wholeNumber(fields, 'advanceMs', 0, longestAdvanceMs) }),
    ),
    post('/invoice/pay', ['id', 'how'], (fields) =>
      present(
        payInvoice,
        'POST /invoice/pay',
      )({ id: identifier(fields), how: oneOf(fields, 'how', HOWS) as InvoicePayment['how'] }),
    ),
    { method: 'GET', path: /^\/rates$/, name: 'GET /rates', handle: () => present(rates, 'GET /rates').list() },
    post('/rates/fault', ['source', 'kind', 'factor'], async (fields) => {
      const source = oneOf(fields, 'source', SOURCES) as Source
      const kind = fields['kind'] === undefined ? undefined : oneOf(fields, 'kind', FAULT_KINDS)
      const fault =
        kind === undefined ? undefined : ({ kind, factor: wholeNumber(fields, 'factor', 1, 1_000_000, 10) } as Fault)
      present(setSourceFault, 'POST /rates/fault')(source, fault)
      return { source, fault: fault ?? null }
    }),
    {
      method: 'POST',
      path: /^\/rates$/,
      name: 'POST /rates',
      handle: (request) => present(rates, 'POST /rates').set(request.json()),
    },
  ]
}

/** Returns mails, oldest first: to one address with `to`, after a `seq` with `after`. */
function mailRoute(mails: MailStore | undefined): Route {
  return get('/mail', ['to', 'after'], async (fields) => {
    const after = fields['after'] ?? '0'
    if (typeof after !== 'string' || !/^\d{1,15}$/.test(after))
      throw new Refusal('after: send the seq of the last mail you have, or 0')
    const to = fields['to'] === undefined ? undefined : text(fields, 'to')
    return (await present(mails, 'GET /mail').after(Number(after), to)).map(shownMail)
  })
}

/** Sets the emulated provider's answer about an address or a transaction, or its failure. */
function screeningRoutes(screening: ControlOptions['screening']): Route[] {
  return [
    post('/screening', ['address', 'verdict'], async (fields) => {
      const [address, verdict] = [
        text(fields, 'address'),
        oneOf(fields, 'verdict', VERDICTS) as (typeof VERDICTS)[number],
      ]
      present(screening, 'POST /screening').setVerdict(address, verdict)
      return { address, verdict }
    }),
    post('/screening/fault', ['kind'], async (fields) => {
      const kind = fields['kind'] === undefined ? undefined : (oneOf(fields, 'kind', FAULTS) as (typeof FAULTS)[number])
      present(screening, 'POST /screening/fault').setFault(kind)
      return { fault: kind ?? null }
    }),
  ]
}

/** The parameters are in sandbox/bank/README.md. */
function bankRoutes(bank: BankControl | undefined): Route[] {
  const acts = {
    next: 'POST',
    pay: 'POST',
    reverse: 'POST',
    'end-refunds': 'POST',
    settle: 'POST',
    find: 'GET',
    cards: 'GET',
  } as const
  return (Object.keys(acts) as (keyof typeof acts)[]).map((name) => {
    const operation = `${acts[name]} /bank/${name}`
    return route(acts[name], `/bank/${name}`, async (request) =>
      present(bank, operation)[name](acts[name] === 'POST' ? request.json() : request.query),
    )
  })
}

/** The parameters are in sandbox/venue/README.md. */
function venueRoutes(venue: VenueControl | undefined): Route[] {
  const acts = { next: 'POST', fault: 'POST', balance: 'POST', find: 'GET' } as const
  return (Object.keys(acts) as (keyof typeof acts)[]).map((name) =>
    route(acts[name], `/venue/${name}`, async (request) =>
      present(venue, `${acts[name]} /venue/${name}`)[name](acts[name] === 'POST' ? request.json() : request.query),
    ),
  )
}

function post(path: string, fields: readonly string[], act: (fields: Fields) => Promise<unknown>): Route {
  return route('POST', path, (request) => act(objectWith(request.json(), fields)))
}

function get(path: string, fields: readonly string[], act: (fields: Fields) => Promise<unknown>): Route {
  return route('GET', path, (request) => act(objectWith(request.query, fields)))
}

function route(method: string, path: string, handle: (request: SandboxRequest) => Promise<unknown>): Route {
  return { method, path: new RegExp(`^${path}$`), name: `${method} ${path}`, handle }
}

/** A control server without the platform, beside chains alone, has no ledger and no clock to act on. */
function present<T>(part: T | undefined, operation: string): T {
  if (part === undefined)
    throw new Refusal(`${operation} needs the platform, which this sandbox runs without`, { status: 501, code: 106 })
  return part
}

function identifier(fields: Fields): string {
  const id = text(fields, 'id').toLowerCase()
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
    throw new Refusal('id: send the id of an invoice, which is a UUID')
  return id
}
