import * as fc from 'fast-check'
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, encodeFunctionData, erc20Abi, getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { isRefused } from '../refusal.ts'
import {
  DECIMALS_CALL,
  TRANSFER_TOPIC,
  addressTopic,
  decodeTransfer,
  decodeTransferLog,
  decodeUint,
  encodeBalanceOf,
  encodeTransfer,
} from './erc20.ts'
import { toHex } from './hex.ts'

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(toHex(bytes)))
const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

test("call data equals viem's for the ERC-20 interface, and parses back", () => {
  fc.assert(
    fc.property(address, units, (to, value) => {
      const data = encodeTransfer(to, value)
      expect(data).toBe(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] }))
      expect(decodeTransfer(data)).toEqual({ to, units: value })
      expect(encodeBalanceOf(to)).toBe(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [to] }))
    }),
  )
  expect(DECIMALS_CALL).toBe(encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }))
})

test('an amount that does not fit is not encoded', () => {
  expect(() => encodeTransfer(`0x${'11'.repeat(20)}`, 2n ** 256n)).toThrow(RangeError)
  expect(() => encodeTransfer(`0x${'11'.repeat(20)}`, -1n)).toThrow(RangeError)
  expect(() => encodeTransfer(`0x${'11'.repeat(19)}`, 1n)).toThrow(RangeError)
})

describe('decodeTransfer', () => {
  const good = encodeTransfer(`0x${'11'.repeat(20)}`, 5n)

  test.each([
    ['nothing', '0x'],
    ['another function', good.replace('a9059cbb', '23b872dd')],
    ['bytes after it', `${good}00`],
    ['a missing byte', good.slice(0, -2)],
    ['half a byte', good.slice(0, -1)],
    ['an address with high bytes set', `${good.slice(0, 10)}01${good.slice(12)}`],
    ['no prefix', good.slice(2)],
  ])('refuses %s', (_name, data) => {
    expect(decodeTransfer(data)).toBeUndefined()
  })

  test('every value that it reads has exactly one encoding', () => {
    fc.assert(
      fc.property(fc.nat({ max: 67 }), fc.nat({ max: 255 }), (at, byte) => {
        const bytes = Uint8Array.from(Buffer.from(good.slice(2), 'hex'))
        bytes[at] = byte
        const read = decodeTransfer(toHex(bytes))
        if (read) expect(encodeTransfer(read.to, read.units)).toBe(toHex(bytes))
      }),
    )
  })
})

describe('decodeTransferLog', () => {
  const from = `0x${'22'.repeat(20)}` as const
  const to = `0x${'33'.repeat(20)}` as const
  const topics = [TRANSFER_TOPIC, addressTopic(from), addressTopic(to)] as const
  const data = encodeAbiParameters([{ type: 'uint256' }], [7n])

  test('agrees with viem', () => {
    fc.assert(
      fc.property(address, address, units, (sender, receiver, value) => {
        const made = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: sender, to: receiver } })
        const log = { topics: made as string[], data: encodeAbiParameters([{ type: 'uint256' }], [value]) }
        expect(decodeTransferLog(log)).toEqual({ from: sender, to: receiver, units: value })
        const theirs = decodeEventLog({ abi: erc20Abi, topics: made as typeof made & [`0x${string}`], data: log.data })
        expect(theirs.args).toEqual({ from: sender, to: receiver, value })
      }),
    )
  })

  test.each([
    ['another event', { topics: [addressTopic(from), ...topics.slice(1)], data }, 'not-transfer'],
    ['no topics', { topics: [], data }, 'not-transfer'],
    ["ERC-721's, the id indexed", { topics: [...topics, addressTopic(to)], data: '0x' }, 'not-transfer'],
    ['nothing indexed', { topics: [TRANSFER_TOPIC], data: `0x${'00'.repeat(96)}` }, 'not-transfer'],
    ['no amount', { topics, data: '0x' }, 'malformed'],
    ['two amounts', { topics, data: `${data}${data.slice(2)}` }, 'malformed'],
    ['a sender of 32 bytes', { topics: [topics[0], `0x01${topics[1].slice(4)}`, topics[2]], data }, 'malformed'],
    ['a short topic', { topics: [topics[0], topics[1], from], data }, 'malformed'],
    ['text for data', { topics, data: 'lots' }, 'malformed'],
  ])('refuses %s', (_name, log, reason) => {
    const read = decodeTransferLog(log)
    expect(isRefused(read) && read.refused).toBe(reason)
  })

  test('reads the largest amount there is', () => {
    expect(decodeTransferLog({ topics, data: `0x${'ff'.repeat(32)}` })).toMatchObject({ units: 2n ** 256n - 1n })
  })
})

test.each([
  ['0x', undefined],
  [`0x${'00'.repeat(31)}06`, 6n],
  [`0x${'00'.repeat(32)}00`, undefined],
  ['6', undefined],
])('decodeUint of %s', (answer, value) => {
  expect(decodeUint(answer)).toBe(value)
})
