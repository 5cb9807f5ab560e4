import type { Db, Tx } from '../../platform/db/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import type { Holder, Holding, Sweep } from './sweep.ts'

/** Consecutive sweeps of an asset of an address that must fail before an alert is raised. */
const TELL_AT = 3

export const failingSubject = ({ network, address, asset }: Pick<Sweep, 'network' | 'address' | 'asset'>): string =>
  `${network}/${address}/${asset}`

/**
 * Raises an alert about a balance that can't be swept, for example because its token refuses the address. The sweep is
 * tried again at growing intervals.
 */
export const alertFailing = async (
  db: Db | Tx,
  network: Sweep['network'],
  { address, merchantId }: Pick<Holder, 'address' | 'merchantId'>,
  { asset, units, failures }: Holding,
  moment: Moment,
): Promise<void> => {
  if (failures < TELL_AT) return
  const text = `${asset} of ${address} on ${network} did not move in ${failures} sweeps: check whether the token refuses this address. It is tried again`
  await raiseAlert(
    db,
    {
      kind: 'sweep-failing',
      subject: failingSubject({ network, address, asset }),
      text,
      detail: { merchantId, units: units.toString() },
    },
    moment,
  )
}
