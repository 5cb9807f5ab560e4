/** Answers of a real node with pieces dropped, doubled, of another type, out of range or cut. */
import { NO_PAUSES, readRecording } from '../test-conversations.ts'
import { describeMutatedAnswers, type Disbelieved } from '../test-mutated-answers.ts'
import { createBitcoinAdapter } from './index.ts'
import { SETTINGS } from '../../../../../test/world/bitcoin-node.ts'
import { BITCOIN_OPERATIONS, type BitcoinRecorded } from './test-operations.ts'

const recording = readRecording<BitcoinRecorded>(import.meta.dirname)
const adapterAt = (url: string) =>
  createBitcoinAdapter({ ...SETTINGS, url: url.replace('//', '//u:p@'), now: () => 0, timer: NO_PAUSES })

/** Answers that were believed, or threw another error than `ChainUnavailable`. */
const FOUND: readonly Disbelieved<keyof typeof BITCOIN_OPERATIONS>[] = [
  [
    'confirmations that are no number',
    'blockAt',
    'getblock"',
    /"confirmations":1/,
    '"confirmations":{"toString":1,"valueOf":1}',
  ],
  [
    'confirmations in a header that are no number',
    'statusOf',
    'getblockheader',
    /"confirmations":1/,
    '"confirmations":{"toString":1,"valueOf":1}',
  ],
  ['two outputs of one number', 'blockAt', 'getblock"', /"n":1/, '"n":0'],
  ['an unspent output that is there twice', 'scan', 'scantxoutset', /"unspents":\[(\{.*?\}),/, '"unspents":[$1,$1,'],
  ['an unspent output of another script', 'scan', 'scantxoutset', /"scriptPubKey":"76/, '"scriptPubKey":"77'],
  [
    'ancestors that are smaller than the transaction',
    'poolCost',
    'getmempoolentry',
    /"ancestorsize":\d+/,
    '"ancestorsize":1',
  ],
]

describeMutatedAnswers(recording, BITCOIN_OPERATIONS, adapterAt, FOUND)
