import { uintWord } from './erc20.ts'
import type { Hex } from './hex.ts'
import { WORD, addressList, callOf, readAddressList } from './words.ts'
import type { Call, Words } from './words.ts'

/** The address that represents the chain's native coin in a list of assets. */
export const COIN: Hex = '0x0000000000000000000000000000000000000000'

/** Accounts whose full balances of the same assets are swept. */
export interface SweepGroup {
  /** token contracts, or `COIN`; EIP-55 */
  assets: Hex[]
  /** delegated addresses; EIP-55 */
  accounts: Hex[]
}

/** `sweep` of one delegated address (SweepDelegate.sol). */
export const sweepOne: Call<Hex[]> = callOf(
  'sweep(address[])',
  (assets) => uintWord(BigInt(WORD)) + addressList(assets),
  (words) => readAddressList(words, words.size(0)),
)

/** `sweep` of many (SweepBatch.sol). */
export const sweepMany: Call<SweepGroup[]> = callOf(
  'sweep((address[],address[])[])',
  (groups) => {
    const bodies = groups.map(groupWords)
    let at = WORD * groups.length
    const places = bodies.map((body) => {
      const place = uintWord(BigInt(at))
      at += body.length / 2
      return place
    })
    return [uintWord(BigInt(WORD)), uintWord(BigInt(groups.length)), ...places, ...bodies].join('')
  },
  (words) => {
    const start = words.size(0)
    const base = start + WORD
    return Array.from({ length: words.size(start) }, (_, index) =>
      readGroup(words, base + words.size(base + WORD * index)),
    )
  },
)

const groupWords = ({ assets, accounts }: SweepGroup): string => {
  const [first, second] = [addressList(assets), addressList(accounts)]
  return uintWord(BigInt(2 * WORD)) + uintWord(BigInt(2 * WORD + first.length / 2)) + first + second
}

const readGroup = (words: Words, at: number): SweepGroup => ({
  assets: readAddressList(words, at + words.size(at)),
  accounts: readAddressList(words, at + words.size(at + WORD)),
})

/** Groups addresses with the same assets, since fewer groups need less call data. The order does not change. */
export const groupSweeps = (sweeps: readonly { account: Hex; assets: readonly Hex[] }[]): SweepGroup[] => {
  const groups = new Map<string, SweepGroup>()
  for (const { account, assets } of sweeps) {
    const group = groups.get(assets.join()) ?? { assets: [...assets], accounts: [] }
    group.accounts.push(account)
    groups.set(assets.join(), group)
  }
  return [...groups.values()]
}
