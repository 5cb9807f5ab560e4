/**
 * Orders of several clients, one after another, each repeated under its localId until it is answered: exchanges, and
 * withdrawals to an address of the merchant itself, which need no chain.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BursarError } from '@bursar/sdk'
import type { Sandbox } from '../system/sandbox.ts'

const CLIENTS = 8
const AGAIN_MS = 500
/** Withdrawals wait for the worker, which delivers some twenty a second on a busy machine. */
const PACE_MS = 200

interface Order {
  localId: string
  /** the id in its answer; null when it was refused */
  id: string | null
  /** requests without an answer, or with an answer that says to repeat */
  interrupted: number
}

export interface Flood {
  answered: Order[]
  /** the longest time without an answer since the last call, ms */
  takeGap(): number
  /** Resolves when another order has been answered. */
  next(): Promise<void>
  /** Ends the clients when their orders are answered. */
  stop(): Promise<void>
}

export const startFlood = async (sandbox: Sandbox): Promise<Flood> => {
  const { client: merchant } = sandbox.merchants[1]
  const { address: own } = await merchant.addresses.create({ blockchain: 'TRON' })
  const answered: Order[] = []
  let isOver = false
  let last = performance.now()
  let gap = 0
  const place = async (ask: (localId: string) => Promise<{ id: string }>): Promise<void> => {
    const localId = randomUUID()
    for (let interrupted = 0; ; interrupted += 1) {
      try {
        const { id } = await ask(localId)
        const now = performance.now()
        gap = Math.max(gap, now - last)
        last = now
        answered.push({ localId, id, interrupted })
        return
      } catch (error) {
        // An answer that is neither a failure of the server nor a request to wait is final, such as that of old prices.
        const isFinal = error instanceof BursarError && error.status < 500 && ![409, 429].includes(error.status)
        if (isFinal) answered.push({ localId, id: null, interrupted })
        await sleep(AGAIN_MS)
        if (isFinal) return
      }
    }
  }
  const exchange = (spendTicker: string, targetTicker: string, price: string) => (localId: string) =>
    merchant.exchange.create(
      { spendTicker, targetTicker, amount: '1', side: 'spend', price, localId },
      { idempotencyKey: localId },
    )
  const withdraw = (localId: string) =>
    merchant.withdrawals.crypto.create(
      { ticker: 'USDT', blockchain: 'TRON', to: own, amount: '2', localId },
      { idempotencyKey: localId },
    )
  const exchanging = async (): Promise<void> => {
    while (!isOver) {
      await place(exchange('USDT', 'USDC', '0.5'))
      await place(exchange('USDC', 'USDT', '2'))
    }
  }
  const withdrawing = async (): Promise<void> => {
    for (; !isOver; await sleep(PACE_MS)) await place(withdraw)
  }
  const clients = Array.from({ length: CLIENTS }, (_, at) => (at % 2 === 0 ? exchanging() : withdrawing()))
  return {
    answered,
    takeGap: () => {
      const longest = Math.max(gap, performance.now() - last)
      gap = 0
      return longest
    },
    next: async () => {
      const before = answered.length
      while (answered.length === before) await sleep(20)
    },
    stop: async () => {
      isOver = true
      await Promise.all(clients)
    },
  }
}

export interface Compared {
  acknowledged: number
  refused: number
  interrupted: number
  lost: string[]
  twice: string[]
}

/** Compares the answers with the database: each acknowledged order is there once, under its id; no refused one is. */
export const compare = async (sandbox: Sandbox, { answered }: Flood): Promise<Compared> => {
  const rows = await sandbox.query<{ id: string; local_id: string }>(
    `select id, local_id from exchanges where local_id is not null
      union all select id, local_id from withdrawals where local_id is not null`,
  )
  const found = new Map<string, string[]>()
  for (const { id, local_id: localId } of rows) found.set(localId, [...(found.get(localId) ?? []), id])
  const acknowledged = answered.filter(({ id }) => id !== null)
  return {
    acknowledged: acknowledged.length,
    refused: answered.length - acknowledged.length,
    interrupted: answered.filter(({ interrupted }) => interrupted > 0).length,
    lost: acknowledged.filter(({ id, localId }) => !found.get(localId)?.includes(id!)).map(({ localId }) => localId),
    twice: answered
      .filter(({ id, localId }) => (found.get(localId)?.length ?? 0) > (id === null ? 0 : 1))
      .map(({ localId }) => localId),
  }
}
