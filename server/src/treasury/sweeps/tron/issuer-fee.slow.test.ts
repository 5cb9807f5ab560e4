/** Sweeps of a token whose issuer takes a fee of each transfer. */
import { addressOfHex, hexOfAddress } from '@bursar/chainkit/tron'
import { expect, onTestFinished, test } from 'vitest'
import { signBytes } from '../../../../../sandbox/tron/blocks/signature.ts'
import { deployer } from '../../../../../sandbox/tron/index.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { TRON_HOT as HOT } from '../../../../../test/world/wallet.ts'
import { PLATFORM } from '../../../ledger/postings/index.ts'
import { openTronSweeps } from '../../../../../test/world/tron-sweeps.ts'
import { SOLID, TRON_USDT as USDT } from '../../../../../test/world/tron.ts'

const STRANGER = addressOfHex(`41${'5e'.repeat(20)}`)
const database = useDatabase({ template: migrated })

test('row T-41: the fee that the issuer takes of a sweep is posted as a cost, and the books agree with the chain', async () => {
  const world = await openTronSweeps(database.url)
  onTestFinished(() => world.close())
  const { address, pay, mine, settle, onChain, differences, sweeps, alerts, chain, balance, request, withdrawal } =
    world
  const ask = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await fetch(`${chain.url}/wallet/${path}`, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<
      Record<string, unknown>
    >
  const one = await address()
  await pay('USDT', one.address, '100')
  const word = (n: number): string => n.toString(16).padStart(64, '0')
  const { transaction } = await ask('triggersmartcontract', {
    owner_address: deployer.address,
    contract_address: hexOfAddress(USDT),
    function_selector: 'setParams(uint256,uint256)',
    fee_limit: 1_000_000_000,
    parameter: word(10) + word(49),
  })
  const signature = await signBytes(
    Buffer.from((transaction as { raw_data_hex: string }).raw_data_hex, 'hex'),
    deployer.key,
  )
  expect(
    await ask('broadcasttransaction', {
      ...(transaction as object),
      signature: [Buffer.from(signature).toString('hex')],
    }),
  ).toMatchObject({ result: true })
  await mine(SOLID)
  await settle()
  expect([(await sweeps()).map(({ state }) => state), await alerts()]).toEqual([['final'], ['issuer-fee']])
  expect(await onChain(HOT, USDT)).toBe(99_900_000n)
  expect(await onChain(one.address, USDT)).toBe(0n)
  expect([await differences(), -(await balance(PLATFORM, 'USDT', 'network-costs'))]).toEqual([[], 100_000n])
  const id = await request('USDT', STRANGER, 10_000_000n)
  await settle()
  expect([await withdrawal(id), await onChain(STRANGER, USDT), await onChain(HOT, USDT)]).toEqual([
    'settled',
    9_990_000n,
    89_900_000n,
  ])
  expect(await differences()).toEqual([])
})
