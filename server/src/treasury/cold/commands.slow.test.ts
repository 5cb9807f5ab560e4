/**
 * A transfer to cold storage as an operator makes it: handed out by a command, signed by `bursar-signer sign-cold` with
 * files only, taken in by a command.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { splitBbqr } from '@bursar/chainkit'
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { expect, onTestFinished, test } from 'vitest'
import { makeFiles } from '../../../../test/world/signer-process.ts'
import { startTronChain } from '../../../../sandbox/tron/index.ts'
import { catalogueOn } from '../../../../test/world/catalogue.ts'
import { createTronAdapter } from '../../adapters/chains/tron/index.ts'
import { keyring, policyFile } from '../../../../test/world/signer.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { useAnvil } from '../../../../test/setup/nodes.ts'
import { openEvmWorld } from '../../../../test/world/evm-node.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { signOnTron, stakeOnTron } from '../../../../test/world/tron-hot-key.ts'
import { openCold } from '../../../../test/world/cold.ts'
import { EVM_HOT, TRON_HOT, WALLET } from '../../../../test/world/wallet.ts'
import { buildPrograms } from '../../../../tools/build.ts'

const { bursar: server, 'bursar-signer': signer } = await buildPrograms()
const database = useDatabase({ template: migrated })
const startNode = useAnvil()
const E18 = 10n ** 18n
const TRON_FINAL = 5
const TRON_COLD = addressOfEvmForm('c0'.repeat(20))
const root = new URL('../../../../', import.meta.url).pathname
const COLD = keyring.evmAddress({ account: 'deposit', index: 4_000 })

/** A folder with settings files, and commands that run with them. Removed at the end of the test. */
const openCommands = (crypto: readonly object[], more: Record<string, [name: string, content: object]> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-cold-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const at = (name: string): string => join(folder, name)
  const settings = Object.entries({ BURSAR_ASSETS_FILE: ['assets.json', { crypto, fiat: [] }] as const, ...more })
  writeFileSync(at('key'), 'ab'.repeat(32), { mode: 0o600 })
  for (const [, [name, content]] of settings) writeFileSync(at(name), JSON.stringify(content))
  // Nothing else of the environment: a variable of our name that is no setting is an error.
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: database.url,
    BURSAR_DATA_KEY_FILE: at('key'),
    BURSAR_LOG_LEVEL: 'silent',
    ...Object.fromEntries(settings.map(([variable, [name]]) => [variable, at(name)])),
  }
  const run = (script: string, args: readonly string[]): Promise<string> =>
    promisify(execFile)(process.execPath, [script, ...args], { env, cwd: root }).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    )
  return { at, run, bursar: (...args: string[]): Promise<string> => run(server, args) }
}

test('handed out, signed without a network, taken in, mined', async () => {
  const node = await openEvmWorld(await startNode(), {
    network: 'ETHEREUM',
    legacyGas: false,
    finality: 'finalized',
    chainId: 31_337,
  })
  const crypto = [
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, minDeposit: '0', minWithdrawal: '0' } } },
  ]
  const hot = { ETH: { cap: `${20n * E18}`, target: `${12n * E18}`, cold: COLD } }
  const cold = await openCold({
    url: database.url,
    network: 'ETHEREUM',
    chain: node,
    catalogue: createCatalogue({ crypto, fiat: [] }),
    treasury: { hot },
    chainId: 31_337n,
  })
  const { at, run, bursar } = openCommands(crypto)
  onTestFinished(async () => {
    await cold.close()
    await node.adapter.close()
  })

  await node.pay(EVM_HOT, 30n * E18)
  await cold.mine(4)
  await cold.offer()
  const { transfer } = await cold.open()
  expect(await bursar('cold', 'list')).toMatch(new RegExp(`${transfer.id} +ETHEREUM +18 +ETH +${COLD} +offered`))
  expect(JSON.parse(await bursar('cold', 'show', transfer.id, '--json'))).toMatchObject({ amount: '18', to: COLD })
  expect(await bursar('cold', 'show', transfer.id, '--qr')).toMatch(/[█▀▄]{10}[^]*part 1 of \d/)
  expect(await bursar('cold', 'show', transfer.id, '--out', at('code.svg'))).toContain('written: ')
  expect(await bursar('cold', 'show', transfer.id, '--out', at('out.psbt'))).toContain('has no PSBTs')
  expect(await bursar('cold', 'show', transfer.id, '--out', at('out.json'))).toContain(at('out.json'))

  const fee = { maxUnits: `${E18}`, maxPerHour: `${E18}`, maxPerDay: `${E18}` }
  const asset = { enabled: true, maxPerIntent: '1', maxPerHour: '1', maxPerDay: '1', cold: COLD }
  const files = await makeFiles({
    ...policyFile,
    networks: { ETHEREUM: { enabled: true, chainId: '31337', fee, assets: { ETH: asset } } },
  })
  const secrets = ['--seed', files.seed, '--passphrase-file', files.passphrase, '--policy', files.policy]
  // As a camera reads it: the texts of the QR codes.
  writeFileSync(
    at('scanned.txt'),
    splitBbqr(readFileSync(at('out.json')), 'J', 400)
      .toReversed()
      .join('\n'),
  )
  expect(await run(signer, ['sign-cold', ...secrets, '--in', at('scanned.txt'), '--out', at('signed.json')])).toContain(
    `to ${COLD}`,
  )

  expect(await bursar('cold', 'import', '--yes', transfer.id, at('out.json'))).toContain('no signed bytes')
  expect(await bursar('cold', 'import', '--yes', transfer.id, at('signed.json'))).toContain('is being sent')
  expect(await bursar('cold', 'import', '--yes', transfer.id, at('signed.json'))).toContain(
    'refused: it waits for nothing',
  )
  expect(await bursar('cold', 'cancel', '--yes', transfer.id)).toContain('no transfer with this id waits')
  await cold.send()
  await cold.mine(5)
  expect(await bursar('cold', 'list')).toMatch(/18 +ETH +0x\w+ +final/)
  expect(BigInt(await node.node.rpc<string>('eth_getBalance', COLD, 'latest'))).toBe(18n * E18)
})

test('on TRON, a signed transfer is taken in only while the node shows that its TRX are not staked', async () => {
  const chain = await startTronChain({ port: 0, solidLag: 3 })
  const adapter = createTronAdapter({ url: chain.url, tokens: [], internalTransactions: true, random: () => 0 })
  const mine = async (blocks: number): Promise<void> => void (await chain.mine(blocks))
  const cold = await openCold({
    url: database.url,
    network: 'TRON',
    chain: { adapter, mine },
    catalogue: catalogueOn('TRON', { TRX: { decimals: 6 } }),
    treasury: { hot: { TRX: { cap: '2000000000', target: '1000000000', cold: TRON_COLD } } },
  })
  onTestFinished(async () => {
    await cold.close()
    await adapter.close()
    await chain.stop()
  })
  const genesis = await adapter.identity()
  const onTron = { TRON: { decimals: 6, minDeposit: '0', minWithdrawal: '0' } }
  const { at, bursar } = openCommands([{ ticker: 'TRX', name: 'TRON', networks: onTron }], {
    BURSAR_NETWORKS_FILE: ['networks.json', { TRON: { url: chain.url, genesis, internalTransactions: true } }],
    BURSAR_XPUBS_FILE: ['xpubs.json', WALLET],
  })
  await chain.fund({ ticker: 'TRX', to: TRON_HOT, amount: '3000' })
  await cold.mine(TRON_FINAL)
  await cold.offer()
  const { transfer, attempt } = await cold.open()
  writeFileSync(at('signed.hex'), Buffer.from(await signOnTron(attempt.unsigned)).toString('hex'))
  await stakeOnTron(chain.url, 2_500_000_000n)
  await cold.mine(TRON_FINAL)
  const importing = (): Promise<string> => bursar('cold', 'import', '--yes', transfer.id, at('signed.hex'))
  expect(await importing()).toContain('does not hold the money and the fee any more')
  await chain.fund({ ticker: 'TRX', to: TRON_HOT, amount: '2500' })
  await cold.mine(TRON_FINAL)
  expect(await importing()).toContain('is being sent')
})
