import { describe, expect, test } from 'vitest'
import { Refusal } from './refusal.ts'
import { readSignRequest } from './request.ts'
import { evmRequest, fillerRequest, intentOf, uuid } from '../../../test/world/signer.ts'

const good = evmRequest(intentOf(1))
const intent = good.intents[0]!

function refusalOf(request: unknown): Refusal {
  try {
    readSignRequest(typeof request === 'string' ? request : JSON.stringify(request))
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('it was read')
}

describe('readSignRequest', () => {
  test('reads a payout, a filler and a treasury transaction', () => {
    const treasury = {
      ...good,
      intents: [],
      purpose: 'treasury',
      receiver: { account: 'deposit', branch: 0, index: 3 },
    }
    expect(readSignRequest(JSON.stringify(treasury))).toEqual({ ...treasury, approvals: [] })
    expect(readSignRequest(JSON.stringify(good))).toEqual({ ...good, approvals: [] })
    expect(readSignRequest(JSON.stringify(fillerRequest()))).toMatchObject({ purpose: 'filler', intents: [] })
  })

  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /not JSON/],
    ['null', 'null', /object/],
    ['an unknown field', { ...good, memo: 1 }, /unknown fields: memo/],
    ['an inherited name', `{"__proto__":1,${JSON.stringify(good).slice(1)}`, /__proto__/],
    ['a missing field', { ...good, keys: undefined }, /lacks keys/],
    ['another network', { ...good, network: 'LITECOIN' }, /network/],
    ['another purpose', { ...good, purpose: 'sweep' }, /purpose/],
    ['a UUID in upper case', { ...good, transactionId: uuid(0xabc).toUpperCase() }, /transactionId/],
    ['no intents', { ...good, intents: [] }, /must not be empty/],
    ['intents for a filler', { ...good, purpose: 'filler' }, /must be empty/],
    ['intents for the treasury', { ...good, purpose: 'treasury' }, /must be empty/],
    ['a receiver for a payout', { ...good, receiver: good.keys[0] }, /treasury only/],
    [
      'a receiver for a sweep on an EVM chain',
      { ...good, network: 'ETHEREUM', intents: [], purpose: 'sweep', receiver: good.keys[0] },
      /treasury only/,
    ],
    [
      'a receiver that is no key',
      { ...good, intents: [], purpose: 'treasury', receiver: { account: 'hot', branch: 0 } },
      /receiver lacks index/,
    ],
    ['one intent twice', { ...good, intents: [intent, intent] }, /twice/],
    ['units as a number', { ...good, intents: [{ ...intent, units: 5 }] }, /units/],
    ['units of 0', { ...good, intents: [{ ...intent, units: '0' }] }, /above 0/],
    ['units with a leading zero', { ...good, intents: [{ ...intent, units: '05' }] }, /units/],
    ['units in hex', { ...good, intents: [{ ...intent, units: '0x5' }] }, /units/],
    ['an address with a line break', { ...good, intents: [{ ...intent, to: 'a\nb' }] }, /\.to/],
    ['a line break after a ticker', { ...good, intents: [{ ...intent, asset: 'USDT\n' }] }, /asset/],
    ['bytes in upper case', { ...good, unsigned: '0xAB' }, /unsigned/],
    ['half a byte', { ...good, unsigned: '0xabc' }, /unsigned/],
    ['a hardened index', { ...good, keys: [{ account: 'hot', branch: 0, index: 2 ** 31 }] }, /index/],
    ['a negative index', { ...good, keys: [{ account: 'hot', branch: 0, index: -1 }] }, /index/],
    ['another branch', { ...good, keys: [{ account: 'hot', branch: 2, index: 0 }] }, /branch/],
    ['another account', { ...good, keys: [{ account: 'cold', branch: 0, index: 0 }] }, /account/],
    ['a short signature', { ...good, approvals: [{ keyId: 'a', expiresAt: 1, signature: 'ab' }] }, /signature/],
    [
      'an approval without an end',
      { ...good, approvals: [{ keyId: 'a', signature: 'ab'.repeat(64) }] },
      /lacks expiresAt/,
    ],
    ['an end that is no time', { ...good, approvals: [{ keyId: 'a', expiresAt: 9e15, signature: 'ab' }] }, /expiresAt/],
    [
      'too many approvals',
      { ...good, approvals: Array.from({ length: 251 }, () => ({ keyId: 'a', signature: 'ab'.repeat(64) })) },
      /more than 250/,
    ],
  ])('refuses %s and names it', (_name, request, message) => {
    expect(refusalOf(request)).toMatchObject({ code: 'bad-request', message: expect.stringMatching(message) as string })
  })
})
