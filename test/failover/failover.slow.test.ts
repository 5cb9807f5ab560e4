/** P5 of the test plan: the database fails over under load, and no acknowledged order is lost. */
import { expect, test } from 'vitest'
import { isLong } from '../setup/cases.ts'
import { QUORUM_FAULTS } from './faults.ts'
import { runFailovers } from './run.ts'
import { whyNoMachines } from './root.ts'

const missing = whyNoMachines()

test.skipIf(!isLong || missing !== undefined)(
  `P5 D1 D2 D3 D4 the database of three machines loses its primary under load: nothing acknowledged is lost${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const result = await runFailovers()
    expect(result).toMatchObject({ lost: [], twice: [], wrong: [], open: [] })
    expect(result.interrupted).toBeGreaterThan(0)
    expect(Object.values(result.leaders).filter((text) => new Set(text.split(' -> ')).size > 1).length).toBeGreaterThan(
      2,
    )
  },
)

test.skipIf(!isLong || missing !== undefined)(
  `P5 D1 D3 D4 with quorum commit, its primary and a standby are killed under load: nothing acknowledged is lost${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const result = await runFailovers(QUORUM_FAULTS, { isQuorum: true })
    expect(result).toMatchObject({ lost: [], twice: [], wrong: [], open: [] })
    expect(result.leaders['kill -9 of the machine of the primary']).not.toMatch(/^(\w+) -> \1$/)
  },
)
