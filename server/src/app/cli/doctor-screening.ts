import { heldDeposits } from '../../pay-in/deposits/index.ts'
import { listLists } from '../../risk/screening/index.ts'
import type { Report } from './doctor-acquirers.ts'
import type { Opened } from '../installation/open.ts'

/** Reports whether anything is screened, a list is available, and money waits without a screening provider. */
export const reportScreening = async (
  { config, runtime }: Pick<Opened, 'config' | 'runtime'>,
  report: Report,
): Promise<void> => {
  const { screening } = config
  const held = await heldDeposits(runtime.db)
  if (screening === null) {
    report(
      held === 0,
      `screening: BURSAR_SCREENING_FILE is not set, nothing is screened${held === 0 ? '' : `, and ${held} deposits wait for it: they are never credited before it is set`}`,
    )
    return
  }
  const kinds = screening.providers.map(({ kind }) => kind)
  report(true, `screening: by ${kinds.join(', ')}; ${held} deposits are held`)
  if (!kinds.includes('local-lists')) return
  const lists = (await listLists(runtime.db)).filter(({ current }) => current)
  report(
    lists.length > 0,
    lists.length > 0
      ? `screening: ${lists.map(({ source, published }) => `${source} of ${published}`).join(', ')}`
      : 'screening: no list has been imported, so no address can be clean: bursar screening import',
  )
}
