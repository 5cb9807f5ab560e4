import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { toHex } from '../evm/hex.ts'
import type { IssuerAct, IssuerEvent } from '../observation.ts'
import { addressOfEvmForm } from './address.ts'

/** Events of Tether's TetherToken.sol, whose address argument is indexed on TRON, and of Circle's FiatToken. */
const ACTS: Readonly<Record<string, IssuerAct>> = Object.fromEntries(
  (
    [
      ['AddedBlackList(address)', 'froze'],
      ['RemovedBlackList(address)', 'released'],
      ['DestroyedBlackFunds(address,uint256)', 'destroyed'],
      ['Pause()', 'paused'],
      ['Unpause()', 'resumed'],
      ['Deprecate(address)', 'deprecated'],
      ['Params(uint256,uint256)', 'set-fee'],
      ['Blacklisted(address)', 'froze'],
      ['UnBlacklisted(address)', 'released'],
    ] as const
  ).map(([signature, act]) => [toHex(keccak_256(utf8ToBytes(signature))).slice(2), act]),
)
const NAMES_AN_ADDRESS: ReadonlySet<IssuerAct> = new Set(['froze', 'released', 'destroyed', 'deprecated'])
const WORD = /^[0-9a-f]{64}$/i

/**
 * Decodes a log of `gettransactioninfo`, with topics and data in hex without 0x. Undefined for any other log, and for
 * one with unexpected arguments. Arguments are read in their order, indexed or not. Never throws.
 */
export function decodeIssuerLog({
  topics,
  data,
}: {
  topics: readonly string[]
  data: string
}): IssuerEvent | undefined {
  const topic = topics[0]?.toLowerCase() ?? ''
  const act = Object.hasOwn(ACTS, topic) ? ACTS[topic] : undefined
  if (act === undefined) return undefined
  const [first = '', second = ''] = [...topics.slice(1), ...(data.match(/.{1,64}/g) ?? [])]
  if (!NAMES_AN_ADDRESS.has(act)) return { act, address: null, units: null }
  if (!WORD.test(first) || (act === 'destroyed' && !WORD.test(second))) return undefined
  return {
    act,
    address: addressOfEvmForm(first.slice(24).toLowerCase()),
    units: act === 'destroyed' ? BigInt(`0x${second}`) : null,
  }
}
