/** Signed transfers to cold storage: they are taken only while the address that sends them can pay. */
import { randomUUID } from 'node:crypto'
import { parseTransaction } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { catalogueOn } from '../../../../test/world/catalogue.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { WALLET } from '../../../../test/world/wallet.ts'
import {
  ensureWallets,
  evmHotKeys,
  insertOffered,
  insertPlanned,
  paymentCall,
  planEvm,
} from '../../chain/transactions/index.ts'
import { nonceAhead } from '../../chain/transactions/nonces.ts'
import { moveCustody } from '../../ledger/address-balances/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { importTransfer } from './commands.ts'
import { insertTransfer } from './store.ts'

const { db } = useDb()
const NOW = Date.UTC(2026, 0, 1)
const E18 = 10n ** 18n
const FEE_RATE = { kind: 'gas', legacy: false, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n } as const
const GAS = 21_000n
const COLD = '0x00000000000000000000000000000000000000c0'
const catalogue = catalogueOn('ETHEREUM', { ETH: { decimals: 18 } })
const runtime = createTestRuntime(db, () => NOW)
/** The operator's copy of the hot key: m/44'/60'/1'/0/0. */
const operator = mnemonicToAccount(`${'test '.repeat(11)}junk`, { path: "m/44'/60'/1'/0/0" })
const [first, second] = [evmHotKeys(WALLET, 2)[0]!, evmHotKeys(WALLET, 2)[1]!]

const planOf = (units: bigint, nonce: number) =>
  planEvm({
    network: 'ETHEREUM',
    chainId: 1n,
    nonce,
    call: paymentCall({ to: COLD, units, contract: null }),
    gas: GAS,
    rate: FEE_RATE,
  })
const FEE = planOf(1n, 0).networkFee
const rowOf = (units: bigint, nonce: number) => ({
  id: randomUUID(),
  network: 'ETHEREUM' as const,
  senders: [first.address],
  nonce,
  keys: [`${first.address}:${nonce}`],
  signingKeys: [{ account: 'hot' as const, branch: 0 as const, index: 0 }],
  feeRate: FEE_RATE,
  ...planOf(units, nonce),
})

beforeEach(async () => {
  await emptyTables(db)
  await ensureWallets(db, WALLET, momentOf(runtime), 2)
  await nonceAhead(db, 'ETHEREUM', first.address, 0, NOW)
})

const hold = (address: string, units: bigint): Promise<void> =>
  inTransaction(db, (tx) => moveCustody(tx, [{ network: 'ETHEREUM', asset: 'ETH', address, units, height: null }]))

/** Offers 80 ETH from the first address, and imports the signed bytes. @returns why they are refused */
const taken = async (): Promise<string | undefined> => {
  const row = rowOf(80n * E18, 7)
  const { id } = row
  await inTransaction(db, async (tx) => {
    const moment = momentOf(runtime)
    await insertOffered(tx, { ...row, purpose: 'cold', hash: null }, moment)
    const transfer = { id, network: 'ETHEREUM', asset: 'ETH', units: 80n * E18, to: COLD } as const
    await insertTransfer(tx, { ...transfer, expiresAt: new Date(NOW + 1), createdAt: moment.at })
  })
  const signed = await operator.signTransaction(parseTransaction(row.unsigned as `0x${string}`) as never)
  const answer = await inTransaction(db, (tx) =>
    importTransfer(tx, { id, bytes: Buffer.from(signed.slice(2), 'hex') }, catalogue, momentOf(runtime)),
  )
  return 'refused' in answer ? answer.refused : undefined
}

test('a transfer is taken that its address pays with its fee', async () => {
  await hold(first.address, 80n * E18 + FEE)
  expect(await taken()).toBeUndefined()
})

test('not one whose fee its address lacks', async () => {
  await hold(first.address, 80n * E18 + FEE - 1n)
  expect(await taken()).toBe('spent')
})

test('not one for which only all hot addresses together hold enough', async () => {
  await hold(first.address, 79n * E18)
  await hold(second.address, 100n * E18)
  expect(await taken()).toBe('spent')
})

test('nor one whose coin another transaction of the address is about to send', async () => {
  await hold(first.address, 100n * E18)
  await inTransaction(db, (tx) => insertPlanned(tx, { ...rowOf(30n * E18, 0), purpose: 'gas' }, momentOf(runtime)))
  expect(await taken()).toBe('spent')
})
