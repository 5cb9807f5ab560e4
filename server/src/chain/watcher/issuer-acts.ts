import type { Block, IssuerActShown, Network } from '@bursar/chainkit'
import { familyOf, ownAddressesAmong, ownerOf } from '../addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import type { AlertKind } from '../../platform/runtime/alert-kinds.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import type { ChainSubscriber } from './subscriber.ts'

const nothing = async (): Promise<Effects> => noEffects

/**
 * Raises alerts about actions of a token's issuer that affect our addresses, or all addresses. An alert is resolved
 * when the issuer reverses its action.
 */
export const createIssuerAlarm = (catalogue: Pick<Catalogue, 'byContract'>): ChainSubscriber => ({
  block: async (tx: Tx, network: Network, { issuerActs = [] }: Block, moment: Moment): Promise<Effects> => {
    if (issuerActs.length === 0) return noEffects
    const ours = await oursAmong(
      tx,
      network,
      issuerActs.flatMap(({ address }) => (address === null ? [] : [address])),
    )
    for (const shown of issuerActs) {
      const ticker = catalogue.byContract(network, shown.contract)?.asset.ticker
      if (ticker !== undefined)
        await alertOne(tx, { network, ticker, whose: ours.get(shown.address ?? '') }, shown, moment)
    }
    return noEffects
  },
  orphaned: nothing,
  settled: nothing,
  mempool: nothing,
})

/** Returns those of these addresses that are ours, with the kind of each. */
const oursAmong = async (tx: Tx, network: Network, addresses: readonly string[]): Promise<Map<string, string>> => {
  const family = familyOf(network)
  const [owners, platform] = [await ownerOf(tx, family, addresses), await ownAddressesAmong(tx, family, addresses)]
  return new Map([
    ...[...owners].map(([address, { merchantId }]): [string, string] => [
      address,
      `a deposit address of merchant ${merchantId}`,
    ]),
    ...[...platform].map(([address, { account }]): [string, string] => [
      address,
      account === 'cold' ? 'our cold address' : account === 'hot' ? 'our hot wallet' : `ours (${account})`,
    ]),
  ])
}

interface About {
  network: Network
  ticker: string
  /** the kind of our address; undefined for a foreign one */
  whose: string | undefined
}

const alertOne = async (
  tx: Tx,
  { network, ticker, whose }: About,
  { act, address, units, hash }: IssuerActShown,
  moment: Moment,
): Promise<void> => {
  const all = `${network}/${ticker}`
  const one = `${all}/${address}`
  const raise = (kind: AlertKind, subject: string, text: string): Promise<void> =>
    raiseAlert(
      tx,
      { kind, subject, text: `${text} (transaction ${hash}). See docs/operating/tokens.md`, detail: { hash } },
      moment,
    )
  switch (act) {
    case 'froze':
      if (whose !== undefined)
        await raise(
          'issuer-froze',
          one,
          `The issuer of ${ticker} has frozen ${address} on ${network}, which is ${whose}: no ${ticker} can leave it`,
        )
      return
    case 'released':
      return resolveAlert(tx, 'issuer-froze', one, moment.at)
    case 'destroyed':
      if (whose !== undefined)
        await raise(
          'issuer-destroyed',
          one,
          `The issuer of ${ticker} has destroyed ${units} units of ${address} on ${network}, which is ${whose}: the books say that it holds them`,
        )
      return
    case 'paused':
      return raise(
        'issuer-paused',
        all,
        `The issuer of ${ticker} has stopped all transfers on ${network}: payments and sweeps wait`,
      )
    case 'resumed':
      return resolveAlert(tx, 'issuer-paused', all, moment.at)
    case 'deprecated':
      return raise(
        'issuer-moved',
        all,
        `The issuer of ${ticker} on ${network} has replaced the contract by ${address}: transfers may be visible only there`,
      )
    case 'set-fee':
      return raise(
        'issuer-fee',
        all,
        `The issuer of ${ticker} has changed the fee of transfers on ${network}: receivers get less than withdrawals say`,
      )
  }
}
