import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../process/port.ts'
import { base58Of, faucet, tokenAddress } from './index.ts'
import { infoOf, post, sendAndRead, startTest, tokenTransfer, walletOf, webOf } from './test-tronweb.ts'
import type { TestChain } from './test-tronweb.ts'

const usdt = base58Of(tokenAddress('USDT'))
const main = new URL('./main.ts', import.meta.url).pathname

let folder: string
let programs: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bursar-tron-'))
})
afterEach(() => {
  for (const program of programs) program.kill('SIGKILL')
  programs = []
  rmSync(folder, { recursive: true, force: true })
})

const startProgram = async (...more: string[]): Promise<{ child: ChildProcess; url: string }> => {
  const port = await freePort()
  const child = spawn(process.execPath, [main, '--port', String(port), '--data', folder, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  programs.push(child)
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return { child, url: `http://127.0.0.1:${port}` }
}

/** Everything that a client could compare. */
const picture = async (url: string, ids: readonly string[], addresses: readonly string[]) => {
  const web = webOf(url, faucet.key)
  return {
    head: await web.trx.getCurrentBlock(),
    solid: await web.trx.getConfirmedCurrentBlock(),
    infos: await Promise.all(ids.map((id) => web.trx.getUnconfirmedTransactionInfo(id))),
    accounts: await Promise.all(addresses.map((address) => web.trx.getUnconfirmedAccount(address))),
    confirmed: await Promise.all(addresses.map((address) => web.trx.getAccount(address))),
    parameters: await web.trx.getChainParameters(),
  }
}

/** Payments, a failed one, stake, a loan, other parameters, a fork. */
const live = async (chain: TestChain) => {
  const [one, two] = [await walletOf(chain, '5000'), await walletOf(chain, '10')]
  await chain.fund({ ticker: 'USDT', to: one.address, amount: '5' })
  const failed = await sendAndRead(chain, await tokenTransfer(chain, usdt, one, two.address, 10 ** 12), one.key)
  await sendAndRead(
    chain,
    await chain.web.transactionBuilder.freezeBalanceV2(3_000_000_000, 'ENERGY', one.hex),
    one.key,
  )
  await sendAndRead(
    chain,
    await chain.web.transactionBuilder.delegateResource(1_000_000_000, two.hex, 'ENERGY', one.hex),
    one.key,
  )
  await chain.setParameters({ getEnergyFee: 210n })
  await chain.advance(3_600_000)
  const paid = await sendAndRead(chain, await tokenTransfer(chain, usdt, one, two.address, 5), one.key)
  const forked = await sendAndRead(chain, await chain.web.transactionBuilder.sendTrx(two.address, 7, one.hex), one.key)
  await chain.reorg({ depth: 2, without: [forked.id], others: 'mined' })
  await chain.mine(3)
  return { ids: [failed.id, paid.id, forked.id], addresses: [one.address, two.address, usdt] }
}

test('the chain is the same after a stop', async () => {
  const first = await startTest({ folder })
  const { ids, addresses } = await live(first)
  const before = await picture(first.url, ids, addresses)
  await first.stop()
  const second = await startTest({ folder })
  expect(await picture(second.url, ids, addresses)).toEqual(before)
  const wallet = await walletOf(second, '1')
  expect(await second.web.trx.getUnconfirmedBalance(wallet.address)).toBe(1_000_000)
  expect(second.status().timestamp).toBeGreaterThan(
    (before.head as unknown as { block_header: { raw_data: { timestamp: number } } }).block_header.raw_data.timestamp,
  )
  await second.stop()
})

test('the chain is the same after kill -9, and after a write cut short', async () => {
  const first = await startProgram('--automine')
  const ids: string[] = []
  const { address } = await webOf(first.url, faucet.key).createAccount()
  for (let sent = 0; sent < 5; sent++)
    ids.push(
      (
        await post(first.url, '/sandbox/fund', {
          ticker: sent % 2 === 0 ? 'TRX' : 'USDT',
          to: address.base58,
          amount: '3',
        })
      )['hash'] as string,
    )
  const before = await picture(first.url, ids, [address.base58])
  const ended = once(first.child, 'exit')
  first.child.kill('SIGKILL')
  await ended
  appendFileSync(join(folder, 'chain.jsonl'), '{"block":{"id":"00')
  const second = await startProgram()
  expect(await picture(second.url, ids, [address.base58])).toEqual(before)
  await post(second.url, '/sandbox/mine', {})
  expect(await post(second.url, '/sandbox/status', {})).toMatchObject({
    height: before.head.block_header.raw_data.number + 1,
  })
})

test('as a program it makes blocks at its interval and ends in order', async () => {
  const { child, url } = await startProgram('--interval', '50')
  await expect.poll(async () => (await post(url, '/sandbox/status', {}))['height']).toBeGreaterThan(4)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('a log that says otherwise is refused', async () => {
  const first = await startTest({ folder })
  const wallet = await walletOf(first, '1')
  await first.stop()
  const file = join(folder, 'chain.jsonl')
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text.replace(
      /"timestamp":(\d+),"witness":0,"transactions":\["/,
      (_all, time: string) => `"timestamp":${Number(time) + 3_000},"witness":0,"transactions":["`,
    ),
  )
  await expect(startTest({ folder })).rejects.toThrow(/block 2 comes out otherwise/)
  writeFileSync(file, text)
  const third = await startTest({ folder })
  expect(await third.web.trx.getUnconfirmedBalance(wallet.address)).toBe(1_000_000)
  expect(await infoOf(third, '00')).toEqual({})
  await third.stop()
})

test('a new chain may begin with other parameters and accounts', async () => {
  const { address } = await webOf('http://127.0.0.1:1', faucet.key).createAccount()
  const chain = await startTest({
    folder,
    parameters: { getEnergyFee: 42n },
    accounts: { [address.base58]: 77n },
    solidLag: 2,
    clock: () => 1_700_000_000_000,
  })
  expect(await chain.web.trx.getUnconfirmedBalance(address.base58)).toBe(77)
  expect(await chain.web.trx.getChainParameters()).toContainEqual({ key: 'getEnergyFee', value: 42 })
  await chain.mine(4)
  expect(chain.status()).toMatchObject({ height: 5, solidHeight: 3 })
  expect(chain.status().timestamp).toBeGreaterThanOrEqual(1_700_000_000_000)
  expect(chain.status().timestamp).toBeLessThan(1_700_000_060_000)
  await chain.stop()
})
