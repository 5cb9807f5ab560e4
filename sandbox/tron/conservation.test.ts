/**
 * No sun is made or lost: the sum of the accounts' balances, stakes and the burnt TRX is always the same.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cases } from '../../test/setup/cases.ts'
import { base58Of, deployer, faucet, tokenAddress } from './index.ts'
import { post, send, startTest, tokenTransfer, walletOf } from './test-tronweb.ts'
import type { Info, TestChain, Wallet } from './test-tronweb.ts'

const usdt = base58Of(tokenAddress('USDT'))
const trx = 1_000_000

let chain: TestChain
let wallets: Wallet[]

beforeAll(async () => {
  chain = await startTest()
  wallets = await Promise.all(['3000', '200', '5'].map((amount) => walletOf(chain, amount)))
  for (const { address } of wallets) await chain.fund({ ticker: 'USDT', to: address, amount: '100' })
})
afterAll(() => chain.stop())

interface AccountJson {
  readonly balance?: number
  readonly frozenV2?: readonly { readonly amount?: number }[]
  readonly unfrozenV2?: readonly { readonly unfreeze_amount: number }[]
  readonly delegated_frozenV2_balance_for_bandwidth?: number
  readonly acquired_delegated_frozenV2_balance_for_bandwidth?: number
  readonly account_resource?: {
    readonly delegated_frozenV2_balance_for_energy?: number
    readonly acquired_delegated_frozenV2_balance_for_energy?: number
  }
}

const total = async (): Promise<bigint> => {
  let sum = 0n
  let lent = 0
  for (const address of [faucet.address, deployer.address, ...wallets.map(({ hex }) => hex)]) {
    const account = (await post(chain.url, '/wallet/getaccount', { address })) as AccountJson
    const staked = (account.frozenV2 ?? []).reduce((all, { amount = 0 }) => all + amount, 0)
    const freeing = (account.unfrozenV2 ?? []).reduce((all, one) => all + one.unfreeze_amount, 0)
    const energy = account.account_resource ?? {}
    const given =
      (account.delegated_frozenV2_balance_for_bandwidth ?? 0) + (energy.delegated_frozenV2_balance_for_energy ?? 0)
    lent +=
      given -
      (account.acquired_delegated_frozenV2_balance_for_bandwidth ?? 0) -
      (energy.acquired_delegated_frozenV2_balance_for_energy ?? 0)
    sum += BigInt(account.balance ?? 0) + BigInt(staked + freeing + given)
  }
  expect(lent).toBe(0)
  for (let number = 1; number <= chain.status().height; number++) {
    const infos = (await post(chain.url, '/wallet/gettransactioninfobyblocknum', { num: number })) as unknown as Info[]
    sum += infos.reduce((all, { fee = 0 }) => all + BigInt(fee), 0n)
  }
  return sum
}

const act = async (
  kind: number,
  from: Wallet,
  to: Wallet,
  amount: number,
  resource: 'ENERGY' | 'BANDWIDTH',
): Promise<unknown> => {
  const builder = chain.web.transactionBuilder
  switch (kind) {
    case 0:
      return send(chain, await builder.sendTrx(to.address, amount, from.hex), from.key)
    case 1:
      return send(
        chain,
        await tokenTransfer(chain, usdt, from, to.address, amount % (150 * trx), (amount % (5 * trx)) + 1),
        from.key,
      )
    case 2:
      return send(chain, await builder.freezeBalanceV2(amount, resource, from.hex), from.key)
    case 3:
      return send(chain, await builder.unfreezeBalanceV2(amount, resource, from.hex), from.key)
    case 4:
      return send(
        chain,
        await builder.delegateResource(amount, to.hex, resource, from.hex, amount % 2 === 0, 2),
        from.key,
      )
    case 5:
      return send(chain, await builder.undelegateResource(amount, to.hex, resource, from.hex), from.key)
    case 6:
      return send(chain, await builder.withdrawExpireUnfreeze(from.hex), from.key)
    case 7:
      return chain.advance((amount % 15) * 86_400_000 + 1)
    default:
      return chain.reorg({ depth: 1 + (amount % 5), without: [], others: amount % 2 === 0 ? 'mined' : 'forgotten' })
  }
}

test('no sun is made or lost', async () => {
  const before = await total()
  const wallet = fc.integer({ min: 0, max: 2 })
  const step = fc.tuple(
    fc.integer({ min: 0, max: 8 }),
    wallet,
    fc.integer({ min: 1, max: 2 }),
    fc.integer({ min: 1, max: 300 * trx }),
    fc.constantFrom('ENERGY' as const, 'BANDWIDTH' as const),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      for (const [kind, from, further, amount, resource] of steps)
        await act(kind, wallets[from] as Wallet, wallets[(from + further) % 3] as Wallet, amount, resource)
      expect(await total()).toBe(before)
    }),
    { numRuns: cases(12), endOnFailure: true },
  )
})
