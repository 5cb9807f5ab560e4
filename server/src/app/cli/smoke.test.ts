/** The command as it is typed, with settings of an installation. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startLiqPay } from '../../../../sandbox/acquirers/liqpay/index.ts'
import { freePort } from '../../../../sandbox/process/port.ts'
import { useInstallation } from '../../../../test/world/installation.ts'
import { refuse, startRpcNode } from '../../../../test/world/rpc-node.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { env, file } = useInstallation()
const LIQPAY = {
  publicKey: 'i00000000042',
  privateKey: 'a4825234f4bae72a0be04eafe9e8e2bada209255',
  version: 3,
} as const
const GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'

const smoke = (words: readonly string[], files: Record<string, string>) => {
  const crypto = [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, minDeposit: '0', minWithdrawal: '0' } } },
  ]
  file('assets.json', { crypto, fiat: [] })
  return captured(() => runCommand(['smoke', ...words], { ...env, ...files }))
}

test('an account with an acquirer is compared with our newest orders, and agrees', async () => {
  const emulator = await startLiqPay(LIQPAY, { port: 0 })
  onTestFinished(() => emulator.stop())
  const accounts = [
    {
      name: 'liq',
      kind: 'liqpay',
      publicKey: LIQPAY.publicKey,
      privateKeyFile: file('liqpay', LIQPAY.privateKey),
      url: emulator.url,
    },
  ]
  const { code, out } = await smoke(['liqpay'], {
    BURSAR_ACQUIRERS_FILE: file('acquirers.json', { accounts }),
  })
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^agrees liq: payment that was never ordered: is unknown/),
    '?      liq: orders of ours: there are none to ask about',
    '',
  ])
  expect(code).toBe(0)
})

test('a node of another chain, and a node that does not answer, are reported at once and end with 1', async () => {
  let asked = 0
  const url = await startRpcNode({ getblockhash: () => ((asked += 1), 'ab'.repeat(32)) })
  const at = (url: string) => ({
    BURSAR_NETWORKS_FILE: file('networks.json', { BITCOIN: { url, genesis: GENESIS } }),
  })
  const other = await smoke(['bitcoin'], at(url))
  expect(other.out).toBe(
    `BAD    chain: the node is of chain ${'ab'.repeat(32)}, and BURSAR_NETWORKS_FILE names ${GENESIS}. Set \`url\` to a node of that chain\nBAD    bitcoin: no answer could be compared\n`,
  )
  expect([other.code, asked]).toEqual([1, 1])

  const page = createServer((_incoming, outgoing) => outgoing.end('<!DOCTYPE html><title>Welcome</title>'))
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => page.close(() => resolve())))
  const plain = `127.0.0.1:${(page.address() as AddressInfo).port}`
  for (const [wrong, says] of [
    [`http://127.0.0.1:${await freePort()}`, 'ECONNREFUSED (nothing listens there'],
    ['http://no-such-host.invalid:8332', /ENOTFOUND \(there is no such host|EAI_AGAIN \(the name server/],
    [`http://${plain}`, "with a web page, which is no JSON: check that the url is that of the node's JSON-RPC"],
    [`https://${plain}`, 'the server speaks no TLS at this port'],
  ] as const) {
    const { code, out } = await smoke(['bitcoin'], at(wrong))
    expect(out.split('\n')[0]).toEqual(
      typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says),
    )
    expect(out).toMatch(/^\? {5} chain: BITCOIN: getblockhash: /)
    expect(out).toContain('BAD    bitcoin: no answer could be compared')
    expect(code).toBe(1)
  }
})

test('a node is shown as the doctor shows it, and an unknown answer ends with 1', async () => {
  const url = await startRpcNode({
    getblockhash: () => GENESIS,
    getnetworkinfo: () => ({ version: 300_000, subversion: '/Satoshi:30.0.0/', connections: 1, warnings: [] }),
    gettxout: refuse(-99, 'a refusal of tomorrow'),
  })
  const { code, out } = await smoke(['bitcoin'], {
    BURSAR_NETWORKS_FILE: file('networks.json', { BITCOIN: { url, genesis: GENESIS } }),
  })
  expect(out).toMatch(/^ {7}good {4}client: \/Satoshi:30\.0\.0\//)
  expect(out).toContain('NEW    unknown output: refuses: a refusal of tomorrow (-99)')
  expect(code).toBe(1)
})

test('a missing or unconfigured target is reported', async () => {
  expect((await smoke(['dogecoin'], {})).code).toBe(2)
  expect((await smoke(['bitcoin', '--send'], {})).code).toBe(2)
  for (const [target, says] of [
    ['bitcoin', 'BURSAR_NETWORKS_FILE'],
    ['wayforpay', 'no account of kind wayforpay'],
    ['amlbot', 'no provider of kind amlbot'],
    ['binance', 'hedges on no venue'],
  ] as const) {
    const { code, err } = await smoke([target], {})
    expect([code, err]).toEqual([1, expect.stringContaining(says)])
  }
})
