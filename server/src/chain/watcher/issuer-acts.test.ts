/**
 * Acts of the issuer of a token in TRON's logs, from a node's answers to an alert. Logs as java-tron 4.8 shows
 * them (20-byte address, hex without 0x).
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { addressOfHex, hexOfAddress } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import { keccak256, toBytes } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { giveAddress } from '../../../../test/world/address.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { FUNDS_DESTROYED } from '../../../../test/world/dialects/tron.ts'
import { hashOfTest, headerOf, startScriptedNode } from '../../../../test/world/scripted-tron-node.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { knowHotAddresses } from '../addresses/index.ts'
import { createIssuerAlarm } from './issuer-acts.ts'

const { db } = useDb()
const [OWNER, USDT, FAKE, HOT, STRANGER] = ['11', '22', '33', '44', '55'].map((byte) => `41${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
  string,
]
const HASH = hashOfTest('ab')
const limits = { minDeposit: '1', minWithdrawal: '1' }
const catalogue = createCatalogue({
  crypto: [
    { ticker: 'USDT', name: 'Tether', networks: { TRON: { contract: addressOfHex(USDT), decimals: 6, ...limits } } },
  ],
  fiat: [],
})
const moment = { at: new Date(), newId: () => uuidv7(Date.now(), randomBytes(10)) }
beforeEach(async () => {
  await emptyTables(db)
  await knowHotAddresses(db, 0, [{ family: 'TRON', address: addressOfHex(HOT), index: 0 }], moment.at)
})

const word = (hex: string): string => hex.slice(2).padStart(64, '0')
/** Lets a node show a log in block 100, and reads that. @returns the open alerts */
const read = async (
  signature: string,
  about: string[],
  data = '',
  { contract = USDT, ret = 'SUCCESS' } = {},
): Promise<string[]> => {
  const log = {
    address: contract.slice(2),
    topics: [keccak256(toBytes(signature)).slice(2), ...about.map(word)],
    ...(data === '' ? {} : { data }),
  }
  const shown = {
    ret: [{ contractRet: ret }],
    txID: HASH,
    raw_data: {
      contract: [
        { parameter: { value: { owner_address: OWNER, contract_address: contract } }, type: 'TriggerSmartContract' },
      ],
    },
  }
  const { adapter } = await startScriptedNode(
    {
      'wallet/getblock': ({ id_or_num: at }) => headerOf(Number(at ?? 110)),
      'wallet/getblockbynum': ({ num }) => ({ ...headerOf(Number(num)), transactions: [shown] }),
      'wallet/gettransactioninfobyblocknum': ({ num }) => [
        { id: HASH, blockNumber: num, receipt: { result: ret }, log: [log] },
      ],
    },
    { tokens: [addressOfHex(USDT)] },
  )
  const block = (await adapter.blockAt(100))!
  await inTransaction(db, (tx) => createIssuerAlarm(catalogue).block(tx, 'TRON', block, moment))
  return (
    await sql<{
      text: string
    }>`select kind || ' ' || subject as text from alerts where resolved_at is null order by 1`.execute(db)
  ).rows.map(({ text }) => text)
}

const hot = `TRON/USDT/${addressOfHex(HOT)}`

test('audit D-T12: row T-42: freezing our address and destroying its tokens raise alerts; a release ends the first', async () => {
  expect(await read('AddedBlackList(address)', [STRANGER])).toEqual([])
  expect(await read('AddedBlackList(address)', [HOT])).toEqual([`issuer-froze ${hot}`])
  expect(await read(FUNDS_DESTROYED, [HOT], word('0x05'))).toEqual([`issuer-destroyed ${hot}`, `issuer-froze ${hot}`])
  expect(await read('RemovedBlackList(address)', [HOT])).toEqual([`issuer-destroyed ${hot}`])
  const { rows } = await sql<{ text: string }>`select text from alerts where kind = 'issuer-froze'`.execute(db)
  expect(rows[0]!.text).toContain('which is our hot wallet')
})

test('audit D-T12: a deposit address is named with its merchant', async () => {
  const merchantId = randomUUID()
  const owned = await giveAddress(createTestRuntime(db), TEST_KEYS, { merchantId, blockchain: 'TRON' })
  expect(await read('AddedBlackList(address)', [hexOfAddress(owned)])).toHaveLength(1)
  const { rows } = await sql<{ text: string }>`select text from alerts`.execute(db)
  expect(rows[0]!.text).toContain(`a deposit address of merchant ${merchantId}`)
})

test('audit D-T12: row T-40: an act that affects every holder raises an alert for the asset', async () => {
  expect(await read('Pause()', [])).toEqual(['issuer-paused TRON/USDT'])
  expect(await read('Unpause()', [])).toEqual([])
  expect(await read('Params(uint256,uint256)', [], word('0x05') + word('0x06'))).toEqual(['issuer-fee TRON/USDT'])
  expect(await read('Deprecate(address)', [], word(STRANGER))).toEqual([
    'issuer-fee TRON/USDT',
    'issuer-moved TRON/USDT',
  ])
})

test('row T-43: another contract with the same events, and a call that failed, say nothing', async () => {
  expect(await read('Pause()', [], '', { contract: FAKE })).toEqual([])
  expect(await read('Pause()', [], '', { ret: 'REVERT' })).toEqual([])
})
