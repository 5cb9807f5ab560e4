/**
 * Orders and deposits of one long crash run, and the required end of each: it was answered, made once, paid once,
 * credited once and notified once. The expectations are stored here, separately from the program's tables.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Merchant, Network } from '../../system/connected.ts'
import type { Sandbox } from '../../system/sandbox.ts'

export const NETWORKS: readonly Network[] = ['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON']
/** The withdrawn and deposited amounts on a network: whole units of an asset. */
const ASSETS: Record<Network, { ticker: string; out: string; in: string }> = {
  BITCOIN: { ticker: 'BTC', out: '0.0005', in: '0.002' },
  ETHEREUM: { ticker: 'USDT', out: '2', in: '20' },
  BINANCE_SMART_CHAIN: { ticker: 'USDT', out: '2', in: '20' },
  TRON: { ticker: 'USDT', out: '2', in: '20' },
}
export const TICKERS = ['BTC', 'USDT'] as const
/** Digits after the point in which sums are compared. */
const SCALE = 10n ** 18n

/** @param text a decimal number @returns it times 10^18 */
export const scaled = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole) * SCALE + BigInt(fraction.padEnd(18, '0'))
  return text.startsWith('-') ? -value : value
}

interface Withdrawal {
  network: Network
  ticker: string
  amount: string
  to: string
  localId: string
  /** resolves once the api has answered, over as many requests as that takes */
  answered: Promise<string>
}
interface Deposit {
  network: Network
  ticker: string
  amount: string
  /** resolves with the address once its transaction is sent */
  paid: Promise<string>
}
interface Exchange {
  localId: string
  answered: Promise<string>
}

export interface Load {
  /** number of orders that wait for their answer: withdrawals and exchanges */
  unanswered: number
  withdrawals: Withdrawal[]
  deposits: Deposit[]
  exchanges: Exchange[]
  withdraw(network: Network): Promise<Withdrawal>
  deposit(network: Network): Deposit
  exchange(): Exchange
  /** Waits until an order with one of these localIds is in the database, answered or not. */
  committed(localIds: readonly string[]): Promise<void>
  /** Waits until everything that was asked for is answered, done and credited. */
  done(): Promise<void>
}

const PATIENCE_MS = 1_200_000
/** Orders that wait for a dead api should not take the processor from its start. */
const ASK_AGAIN_MS = 1_000

export const createLoad = (sandbox: Sandbox): Load => {
  const [shop, market] = sandbox.merchants
  const until = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    sandbox.until(what, look, PATIENCE_MS)
  /** Marks a promise that is awaited only at the end of a round. */
  const later = <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => {})
    return promise
  }
  /** Asks until it is answered: a repeated request has the same key, and so gets the first answer. */
  const answered = (what: string, ask: () => Promise<{ id: string }>): Promise<string> => {
    load.unanswered += 1
    const asked = until(what, () =>
      ask().then(
        ({ id }) => id,
        () => sleep(ASK_AGAIN_MS, undefined),
      ),
    )
    return later(asked.finally(() => (load.unanswered -= 1)))
  }
  const pay = async (network: Network, ticker: string, amount: string): Promise<string> => {
    const { address } = await until('an address', () =>
      shop.client.addresses.create({ blockchain: network }).catch(() => sleep(ASK_AGAIN_MS, undefined)),
    )
    await sandbox.pay(network, ticker, address, amount)
    return address
  }
  const count = async (text: string, values: unknown[]): Promise<number> =>
    (await sandbox.query<{ n: number }>(text, values))[0]!.n

  const load: Load = {
    unanswered: 0,
    withdrawals: [],
    deposits: [],
    exchanges: [],
    withdraw: async (network) => {
      const { ticker, out: amount } = ASSETS[network]
      const localId = randomUUID()
      const to = await sandbox.outside(network)
      const order = { ticker, blockchain: network, to, amount, localId }
      const made: Withdrawal = {
        network,
        ticker,
        amount,
        to,
        localId,
        answered: answered(`the answer to a withdrawal on ${network}`, () =>
          shop.client.withdrawals.crypto.create(order, { idempotencyKey: localId }),
        ),
      }
      load.withdrawals.push(made)
      return made
    },
    deposit: (network) => {
      const { ticker, in: amount } = ASSETS[network]
      const made: Deposit = { network, ticker, amount, paid: later(pay(network, ticker, amount)) }
      load.deposits.push(made)
      return made
    },
    exchange: () => {
      const localId = randomUUID()
      // In turn, so that neither the merchant nor the platform runs out of one of them.
      const isThere = load.exchanges.length % 2 === 0
      const order = {
        spendTicker: isThere ? 'USDT' : 'USDC',
        targetTicker: isThere ? 'USDC' : 'USDT',
        amount: '5',
        side: 'spend',
        // USDC for one USDT: the least that is accepted for a sold USDT, the most that is paid for a bought one.
        price: isThere ? '0.5' : '2',
        localId,
      } as const
      const made: Exchange = {
        localId,
        answered: answered('the answer to an exchange', () =>
          market.client.exchange.create(order, { idempotencyKey: localId }),
        ),
      }
      load.exchanges.push(made)
      return made
    },
    committed: async (localIds) => {
      await until(
        'the row of an order',
        async () =>
          (await count(
            `select count(*)::int as n from (select local_id from withdrawals union all select local_id from exchanges) o
              where local_id = any($1)`,
            [localIds],
          )) > 0,
      )
    },
    done: async () => {
      const ids = await Promise.all([...load.withdrawals, ...load.exchanges].map((order) => order.answered))
      const paid = await Promise.all(load.withdrawals.map((order) => order.answered))
      await until(
        'the end of every withdrawal',
        async () =>
          (await count(
            `select count(*)::int as n from withdrawals where id = any($1) and state in ('mined', 'settled', 'delivered')`,
            [paid],
          )) === paid.length,
      )
      const addresses = await Promise.all(load.deposits.map(({ paid }) => paid))
      await until(
        'the credit of every deposit',
        async () =>
          (await count(`select count(*)::int as n from deposits where address = any($1) and state = 'credited'`, [
            addresses,
          ])) === addresses.length,
      )
      await until(
        'the notification of every order',
        async () =>
          (await count(
            `select count(distinct object_id)::int as n from events where object_id = any($1) and status = 'Done'`,
            [ids],
          )) === ids.length,
      )
    },
  }
  return load
}

export const balanceOf = async ({ client }: Merchant, ticker: string): Promise<bigint> =>
  scaled((await client.balances.list([ticker]))[0]!.value)
