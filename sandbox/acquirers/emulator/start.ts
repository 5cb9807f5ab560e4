/**
 * Starts the emulator of one acquirer: its API, its hosted page and the controls below /__control. It is written from
 * the acquirer's documentation, moves no money, and refuses to start in production.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../http/server.ts'
import type { Route, SandboxServer } from '../../http/server.ts'
import { startDeliveries } from '../deliveries.ts'
import type { Delivery } from '../deliveries.ts'
import { createFaults } from '../faults.ts'
import { refuseProduction } from '../production.ts'
import { openRecords } from '../records.ts'
import { controlRoutes } from './control.ts'
import type { Context, Dialect } from './context.ts'
import type { Order } from './order.ts'
import { payerRoutes } from './payer.ts'
import { wake } from './payouts.ts'

export interface EmulatorOptions {
  /** 0: any free port. */
  readonly port: number
  /** The folder of orders and callbacks; a new folder when absent. */
  readonly dir?: string
  /** Its clock runs so many times as fast, for repeated callbacks; 60 when absent. */
  readonly clockRate?: number
  /** Largest payment and payout, minor units. */
  readonly most?: { readonly payment: bigint; readonly payout: bigint }
  /** How long a payout is under way, and a payment that is reversed stays paid; ms. */
  readonly payoutMs?: number
  readonly reverseMs?: number
  readonly now?: () => number
  readonly log?: (line: string) => void
}

export interface Emulator extends SandboxServer {
  readonly context: Context
}

const usualMost = { payment: 30_000_000n, payout: 30_000_000n }

export async function startEmulator(
  makeDialect: (context: () => Context) => Dialect,
  routes: (context: Context) => Route[],
  options: EmulatorOptions,
): Promise<Emulator> {
  const ownDir = options.dir === undefined ? mkdtempSync(join(tmpdir(), 'bursar-acquirer-')) : undefined
  const dir = options.dir ?? ownDir!
  const { clockRate = 60, payoutMs = 0, reverseMs = 300, now = Date.now } = options
  const dialect = makeDialect(() => context)
  refuseProduction(`the emulator of ${dialect.name}`)
  const newToken = (): string => randomBytes(16).toString('hex')
  const timers = new Set<NodeJS.Timeout>()
  const deliveries = startDeliveries({
    records: openRecords<Delivery>(join(dir, 'callbacks.jsonl')),
    newId: newToken,
    pauses: dialect.pauses.map((pause) => Math.ceil(pause / clockRate)),
    isAcknowledged: (status, body) => dialect.isAcknowledged(status, body),
  })
  let url = ''
  const context: Context = {
    dialect,
    deliveries,
    now,
    newToken,
    payoutMs,
    reverseMs,
    orders: openRecords<Order>(join(dir, 'orders.jsonl')),
    faults: createFaults([dialect.name]),
    most: options.most ?? usualMost,
    url: () => url,
    arrange: (id, dueAt) => {
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          wake(context, id)
        },
        Math.max(0, dueAt - Date.now()),
      )
      timers.add(timer)
    },
  }
  const server = await serve({
    name: `the emulator of ${dialect.name}`,
    port: options.port,
    routes: [...routes(context), ...payerRoutes(context), ...controlRoutes(context)],
    ...(options.log === undefined ? {} : { log: options.log }),
  })
  url = server.url
  for (const { id, dueAt } of context.orders.all()) if (dueAt !== undefined) context.arrange(id, dueAt)
  return {
    ...server,
    context,
    stop: async () => {
      timers.forEach((timer) => clearTimeout(timer))
      await Promise.all([server.stop(), deliveries.stop()])
      if (ownDir !== undefined) rmSync(ownDir, { recursive: true, force: true })
    },
  }
}
