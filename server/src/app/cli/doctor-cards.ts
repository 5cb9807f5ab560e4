import type { Acquirer } from '../../adapters/acquirers/port.ts'
import { countSealedCards } from '../../cards/card-payouts/index.ts'
import { countCardsOfRequests } from '../../pay-out/requests/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import type { Report } from './doctor-acquirers.ts'

/** Reports whether there are keys of card numbers if they are needed, and which numbers still need an older key. */
export const reportCardKeys = async (
  db: Db,
  {
    keys,
    acquirers,
  }: { keys: readonly Uint8Array[] | null; acquirers: readonly Pick<Acquirer, 'name' | 'capabilities'>[] },
  report: Report,
): Promise<void> => {
  const paying = acquirers
    .filter(({ capabilities }) => Object.keys(capabilities.payout).length > 0)
    .map(({ name }) => name)
  if (keys === null)
    return report(
      paying.length === 0,
      `card keys: BURSAR_CARD_KEY_FILE is not set${paying.length === 0 ? '' : `, and ${paying.join(', ')} pays out`}`,
    )
  const prefixes = keys.map((key) => createSecretRing([key]).newest)
  const sealed = [...(await countSealedCards(db)), ...(await countCardsOfRequests(db))]
  const by = (known: (prefix: string) => boolean): number =>
    sealed.filter(({ prefix }) => known(prefix)).reduce((sum, { count }) => sum + count, 0)
  const [newest, older, lost] = [
    by((prefix) => prefix === prefixes[0]),
    by((prefix) => prefixes.indexOf(prefix) > 0),
    by((prefix) => !prefixes.includes(prefix)),
  ]
  report(
    older + lost === 0,
    `card keys: ${keys.length}; sealed with the newest: ${newest}, with older ones: ${older}, with keys that are missing: ${lost}`,
  )
}
