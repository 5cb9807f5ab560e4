/** How nodes differ: named changes of a node's answers, by the rows of docs/dialects.md. */
import { createHash } from 'node:crypto'
import type { Random } from '../../../sandbox/random.ts'

/** A call of JSON-RPC, or of an API of paths: the path without its first slash, and its body as the only parameter. */
export interface NodeCall {
  method: string
  params: readonly unknown[]
}

export type Said =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  /** an answer that is not the protocol's */
  | { status: number; text: string }
  /** an answer in another envelope, which needs the number that the client gave its request */
  | { write(id: unknown): { status: number; text: string } }

/** The node behind a dialect, for answers that depend on it. */
export interface NodeBehind {
  ask(method: string, ...params: unknown[]): Promise<Said>
  /** The answer of a machine that is further behind. */
  askBehind(blocks: number, call: NodeCall): Promise<Said>
  /** height of the newest block that the front shows */
  head(): Promise<number>
}

type Next = (call: NodeCall) => Promise<Said>

export interface Dialect {
  /** the row that it plays, and who answers so, for example `E-13 Erigon 3.0.15` */
  name: string
  /** Dialects of the same aspect exclude each other. */
  aspect: string
  /**
   * true: while it lasts the program may have to wait, and it must end before everything comes to rest. Another dialect
   * may last for a whole run
   */
  hinders?: true
  /**
   * `some`: some blocks do not show coins that contracts send; the program then compares the balances of all addresses.
   * `all`: no block shows them; the program then compares those of open leases only (docs/decisions/0012), so that what
   * contracts send to other addresses stays unseen
   */
  blinds?: 'some' | 'all'
  /** shows money that has not come: only a story that knows which money sets it */
  lies?: true
  /** the only network where it occurs */
  on?: string
  /** @param next asks the node, or the next dialect; absent: as the node */
  answer?(call: NodeCall, next: Next, node: NodeBehind): Promise<Said>
  /** What is said to a batch that is too long; undefined: it is answered. */
  refuseBatch?(questions: Question[]): { status: number; says: unknown } | undefined
}

export interface Question {
  id: number
  method: string
  params: unknown[]
}

export type Answering = NonNullable<Dialect['answer']>

export const refuse = (code: number, message: string): Said => ({ error: { code, message } })

/** Changes the results of some methods. */
export const changing =
  (methods: readonly string[], change: (result: never, call: NodeCall) => unknown): Answering =>
  async (call, next) => {
    const said = await next(call)
    if (!methods.includes(call.method) || !('result' in said)) return said
    return { result: change(said.result as never, call) }
  }

/** Gives an answer of its own to some methods. */
export const answering =
  (
    methods: readonly string[],
    said: Said | ((call: NodeCall, node: NodeBehind) => Promise<Said | undefined> | Said | undefined),
  ): Answering =>
  async (call, next, node) => {
    if (!methods.includes(call.method)) return next(call)
    return (typeof said === 'function' ? await said(call, node) : said) ?? next(call)
  }

/** Changes refusals of some methods. */
export const refusing =
  (methods: readonly string[], change: (refusal: { code: number; message: string }) => Said | undefined): Answering =>
  async (call, next) => {
    const said = await next(call)
    return (methods.includes(call.method) && 'error' in said ? change(said.error) : undefined) ?? said
  }

/** Whether something is one of the share of contents that a dialect is about: always the same for the same content. */
export const isAmong = (content: string, share: number): boolean =>
  createHash('sha256').update(content).digest().readUInt32LE(0) < share * 2 ** 32

/** Each question goes to one of two machines, of which one lacks the newest blocks. */
export const balancer = (name: string, behind: number): Dialect => ({
  name,
  aspect: 'machines',
  hinders: true,
  answer: async (call, next, node) =>
    isAmong(`${call.method} ${JSON.stringify(call.params)} ${await node.head()}`, 0.5)
      ? next(call)
      : node.askBehind(behind, call),
})

/** Throws a RangeError for an unknown name, or two of one aspect. */
export const chooseDialects = (all: readonly Dialect[], names: readonly string[]): Dialect[] => {
  const chosen = names.map((name) => {
    const found = all.find((one) => one.name === name)
    if (found === undefined) throw new RangeError(`there is no dialect ${name}`)
    return found
  })
  const aspects = new Set(chosen.map(({ aspect }) => aspect))
  if (aspects.size < chosen.length) throw new RangeError(`these exclude each other: ${names.join(', ')}`)
  return chosen
}

/** What else may be drawn. */
export interface DrawOptions {
  /** dialects that must end before everything comes to rest, too; without, what is drawn may last for a whole run */
  hindering?: boolean
  /** dialects that show no coins of contracts at all, too */
  blinding?: boolean
}

/** Of each aspect a dialect or none: half of the aspects are as the node itself has them. */
export const drawDialects = (
  all: readonly Dialect[],
  random: Random,
  { hindering = false, blinding = false }: DrawOptions = {},
): string[] => {
  const allowed = all.filter(
    ({ hinders, blinds, lies }) =>
      (hindering || hinders === undefined) && (blinding || blinds !== 'all') && lies === undefined,
  )
  return [...new Set(allowed.map(({ aspect }) => aspect))].flatMap((aspect) =>
    random.chance(0.5) ? [random.pick(allowed.filter((one) => one.aspect === aspect)).name] : [],
  )
}

/** Answers a call through the dialects; the first is the outermost. */
export const speak = (dialects: readonly Dialect[], node: NodeBehind, ask: Next): Next =>
  dialects.reduceRight<Next>((next, dialect) => (call) => dialect.answer?.(call, next, node) ?? next(call), ask)
