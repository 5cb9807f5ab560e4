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
import { expect, onTestFinished, test } from 'vitest'
import { makeFiles } from '../../../../test/world/signer-process.ts'
import { keyring, policyFile } from '../../../../test/world/signer.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { useAnvil } from '../../../../test/setup/nodes.ts'
import { openEvmWorld } from '../../../../test/world/evm-node.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { openCold } from '../../../../test/world/cold.ts'
import { EVM_HOT } from '../../../../test/world/wallet.ts'

const database = useDatabase({ template: migrated })
const startNode = useAnvil()
const E18 = 10n ** 18n
const root = new URL('../../../../', import.meta.url).pathname
const COLD = keyring.evmAddress({ account: 'deposit', index: 4_000 })

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
  const folder = mkdtempSync(join(tmpdir(), 'bursar-cold-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await cold.close()
    await node.adapter.close()
  })
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('key'), 'ab'.repeat(32), { mode: 0o600 })
  writeFileSync(at('assets.json'), JSON.stringify({ crypto, fiat: [] }))
  // Nothing else of the environment: a variable of our name that is no setting is an error.
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: database.url,
    BURSAR_DATA_KEY_FILE: at('key'),
    BURSAR_ASSETS_FILE: at('assets.json'),
    BURSAR_LOG_LEVEL: 'silent',
  }
  const run = (script: string, args: readonly string[]): Promise<string> =>
    promisify(execFile)(process.execPath, [script, ...args], { env, cwd: root }).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    )
  const bursar = (...args: string[]): Promise<string> => run('server/src/main.ts', args)

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
  expect(
    await run('signer/src/main.ts', ['sign-cold', ...secrets, '--in', at('scanned.txt'), '--out', at('signed.json')]),
  ).toContain(`to ${COLD}`)

  expect(await bursar('cold', 'import', '--yes', transfer.id, at('out.json'))).toContain('no signed bytes')
  expect(await bursar('cold', 'import', '--yes', transfer.id, at('signed.json'))).toContain('is being sent')
  expect(await bursar('cold', 'import', '--yes', transfer.id, at('signed.json'))).toContain('not taken')
  expect(await bursar('cold', 'cancel', '--yes', transfer.id)).toContain('nothing waits')
  await cold.send()
  await cold.mine(5)
  expect(await bursar('cold', 'list')).toMatch(/18 +ETH +0x\w+ +final/)
  expect(BigInt(await node.node.rpc<string>('eth_getBalance', COLD, 'latest'))).toBe(18n * E18)
})
