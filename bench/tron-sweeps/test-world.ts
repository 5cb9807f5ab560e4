/**
 * A chain of TRON with a hot address, and deposit addresses that the engine's own plans empty, signed by keys made
 * here. Only this benchmark uses it.
 */
import { randomUUID } from 'node:crypto'
import { isRefused } from '@bursar/chainkit'
import {
  addressOfPublicKey,
  parseUnsigned,
  serializeSigned,
  signingHash,
  transactionId,
  type Contract,
} from '@bursar/chainkit/tron'
import { toBytes, toHex, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { base58Of, startTronChain, tokenAddress } from '../../sandbox/tron/index.ts'
import { createTronAdapter } from '../../server/src/adapters/chains/tron/index.ts'
import { planTron, tronPayment } from '../../server/src/chain/transactions/index.ts'
import { chooseTronSweep, type TronWay } from '../../server/src/treasury/sweeps/tron/choice.ts'
import { lookAtToken, type TronView } from '../../server/src/treasury/sweeps/tron/looking.ts'
import { byHot, planPreparing, planTransfer } from '../../server/src/treasury/sweeps/tron/plans.ts'

const USDT = base58Of(tokenAddress('USDT'))
const UNITS = 100_000_000n
const SOLID_LAG = 1
/** sun of stake whose energy is more than a transfer takes */
const LOAN = 20_000_000_000n

export interface Account {
  key: Hex
  address: string
}

/** The cost of one sweep, by all its transactions. Sun, and units of energy. */
export interface Taken {
  burned: bigint
  energy: bigint
  way: TronWay
}

export const accountOf = (): Account => {
  const key = generatePrivateKey()
  return { key, address: addressOfPublicKey(toBytes(privateKeyToAccount(key).publicKey)) }
}

export const openBenchWorld = async () => {
  const chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  const adapter = createTronAdapter({ url: chain.url, tokens: [USDT], internalTransactions: true, random: () => 0 })
  const hot = accountOf()
  const deps = { adapter, hotAddress: hot.address, runtime: { newId: randomUUID } }
  const settle = (): Promise<unknown> => chain.mine(1 + SOLID_LAG)
  await chain.fund({ ticker: 'TRX', to: hot.address, amount: '1000000' })
  await chain.fund({ ticker: 'USDT', to: hot.address, amount: '1' })
  await settle()

  const view = async (): Promise<TronView> => {
    const prices = await adapter.feeRate()
    const supply = await adapter.supplyFor(hot.address)
    if (prices.kind !== 'resources' || !supply) throw new Error('the hot address is not there')
    const [reference, resources, lendable] = await Promise.all([
      adapter.reference(),
      adapter.resourcesOf(hot.address),
      adapter.lendable(hot.address),
    ])
    return {
      prices,
      supply,
      reference,
      hot: { resources, lendable, sun: 10n ** 12n, planned: 0 },
      maxTopUp: 10n ** 12n,
    }
  }
  /** Signs, sends, mines. Throws unless it had effect. */
  const carryOut = async (unsigned: string, { key }: Account): Promise<{ burned: bigint; energy: bigint }> => {
    const transaction = parseUnsigned(Buffer.from(unsigned, 'hex'))
    if (isRefused(transaction)) throw new Error(transaction.message)
    const hash = transactionId(transaction)
    const signature = await sign({ hash: toHex(signingHash(transaction)), privateKey: key, to: 'bytes' })
    const raw = serializeSigned(transaction, signature)
    const sent = await adapter.broadcast(Buffer.from(raw).toString('hex'))
    await settle()
    const status = await adapter.statusOf(hash)
    if (sent.kind !== 'accepted' || status.kind !== 'mined' || !status.succeeded)
      throw new Error(`${hash} had no effect: ${JSON.stringify(sent)}`)
    const answer = await fetch(`${chain.url}/wallet/gettransactioninfobyid`, {
      method: 'POST',
      body: JSON.stringify({ value: hash }),
    })
    const { receipt } = (await answer.json()) as { receipt: { energy_usage_total?: number } }
    return { burned: status.fee, energy: BigInt(receipt.energy_usage_total ?? 0) }
  }
  const byHotAddress = async (contract: Contract): Promise<bigint> =>
    (await carryOut(byHot(deps, await view(), contract, 'resources').unsigned, hot)).burned

  /** The engine's way, step by step; lent energy is taken back. */
  const sweep = async (account: Account): Promise<Taken> => {
    const taken: Taken = { burned: 0n, energy: 0n, way: 'own' }
    for (;;) {
      const now = await view()
      const look = await lookAtToken(deps as never, now, { address: account.address, contract: USDT, units: UNITS })
      if (!look.ok) throw new Error(look.message)
      const { way, step } = chooseTronSweep(look.figures)
      const target = { address: account.address, derivationIndex: 0 }
      const isSend = step.kind === 'send'
      const planned = isSend
        ? planTransfer(deps, now, target, look.transfer, look.usage)
        : planPreparing(deps, now, target, step, look.figures.address.isActivated)
      const { burned, energy } = await carryOut(planned.outgoing.unsigned, isSend ? account : hot)
      taken.burned += burned
      taken.energy += energy
      if (isSend) break
      taken.way = way
    }
    const amount = await adapter.loanOf(hot.address, account.address, 0)
    if (amount > 0n)
      taken.burned += await byHotAddress({
        kind: 'UnDelegateResourceContract',
        owner: hot.address,
        resource: 'ENERGY',
        amount,
        receiver: account.address,
      })
    return taken
  }
  /** The sun that a payment from one address to the other burns. */
  const pay = async (from: Account, to: string, ticker: 'TRX' | 'USDT'): Promise<bigint> => {
    const contract = tronPayment({
      from: from.address,
      to,
      units: UNITS / 10n,
      contract: ticker === 'TRX' ? null : USDT,
    })
    const { prices, reference } = await view()
    const cost = await adapter.estimateCost(contract)
    if (!cost.ok) throw new Error(cost.message)
    return (
      await carryOut(planTron({ id: randomUUID(), contract, reference, usage: cost.usage, prices }).unsigned, from)
    ).burned
  }
  /** Energy is lent to the account, the rest is done, and it comes back. @returns the sun that all of it burned */
  const lending = async (account: Account, meanwhile: () => Promise<bigint>): Promise<bigint> => {
    const stake = { owner: hot.address, resource: 'ENERGY' as const, amount: LOAN, receiver: account.address }
    const lent = await byHotAddress({ kind: 'DelegateResourceContract', ...stake, lock: false, lockPeriod: 0n })
    const burned = await meanwhile()
    return lent + burned + (await byHotAddress({ kind: 'UnDelegateResourceContract', ...stake }))
  }
  return {
    sweep,
    pay,
    lending,
    hot,
    fund: async (ticker: 'TRX' | 'USDT', to: string, amount: string): Promise<void> => {
      await chain.fund({ ticker, to, amount })
      await settle()
    },
    stake: (sun: bigint): Promise<bigint> =>
      byHotAddress({ kind: 'FreezeBalanceV2Contract', owner: hot.address, amount: sun, resource: 'ENERGY' }),
    fill: async (accounts: readonly Account[]): Promise<void> => {
      for (const { address } of accounts) await chain.fund({ ticker: 'USDT', to: address, amount: '100' })
      await settle()
    },
    /** A day later every account has its free bytes again, and stake its energy. */
    nextDay: (): Promise<unknown> => chain.advance(86_400_000),
    leftOn: async (account: Account): Promise<bigint> =>
      (await adapter.balancesAtFinal([{ address: account.address, contract: null }])).units[0]!,
    close: async (): Promise<void> => {
      await adapter.close()
      await chain.stop()
    },
  }
}
