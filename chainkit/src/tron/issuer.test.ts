import { describe, expect, test } from 'vitest'
import { keccak256, toBytes } from 'viem'
import { addressOfEvmForm } from './address.ts'
import { decodeIssuerLog } from './issuer.ts'

const topic = (signature: string): string => keccak256(toBytes(signature)).slice(2)
const EVM = 'ab'.repeat(20)
const word = EVM.padStart(64, '0')
const units = 5n.toString(16).padStart(64, '0')
const address = addressOfEvmForm(EVM)

describe('audit D-T12: logs that issuers write (TetherToken.sol of TR7N…, FiatToken)', () => {
  test.each([
    ['AddedBlackList(address)', [word], '', { act: 'froze', address, units: null }],
    ['AddedBlackList(address)', [], word, { act: 'froze', address, units: null }],
    ['RemovedBlackList(address)', [word], '', { act: 'released', address, units: null }],
    ['DestroyedBlackFunds(address,uint256)', [word], units, { act: 'destroyed', address, units: 5n }],
    ['DestroyedBlackFunds(address,uint256)', [], word + units, { act: 'destroyed', address, units: 5n }],
    ['Pause()', [], '', { act: 'paused', address: null, units: null }],
    ['Unpause()', [], '', { act: 'resumed', address: null, units: null }],
    ['Deprecate(address)', [], word, { act: 'deprecated', address, units: null }],
    ['Params(uint256,uint256)', [], units + units, { act: 'set-fee', address: null, units: null }],
    ['Blacklisted(address)', [word.toUpperCase()], '', { act: 'froze', address, units: null }],
  ])('%s %j', (signature, more, data, event) => {
    expect(decodeIssuerLog({ topics: [topic(signature), ...more], data })).toEqual(event)
  })

  test.each([
    ['another event', [topic('Transfer(address,address,uint256)'), word, word], units],
    ['no topics', [], ''],
    ['no address', [topic('AddedBlackList(address)')], ''],
    ['an address cut short', [topic('AddedBlackList(address)'), word.slice(2)], ''],
    ['no amount', [topic('DestroyedBlackFunds(address,uint256)'), word], ''],
    ['no hex', [topic('AddedBlackList(address)'), 'z'.repeat(64)], ''],
  ])('nothing of %s', (_name, topics, data) => {
    expect(decodeIssuerLog({ topics, data })).toBeUndefined()
  })
})

test('a topic named like a property of every object is no act', () => {
  for (const topic of ['constructor', '__proto__', 'toString'])
    expect(decodeIssuerLog({ topics: [topic], data: '' })).toBeUndefined()
})
