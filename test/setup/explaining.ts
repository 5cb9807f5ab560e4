/** The rows that statements read, as PostgreSQL counts them: without clocks, the same on every machine. */
import type { Statement } from './watched-pool.ts'
import { inTransaction, type Db, type Tx } from '../../server/src/platform/db/index.ts'

export interface Plan {
  'Node Type': string
  'Relation Name'?: string
  /** of each loop, on average */
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/**
 * Runs the statement as it was run, and reverses its changes.
 * @param prepare makes the settings that the transaction had before it
 */
export const explain = async (
  db: Db,
  text: string,
  values: readonly unknown[],
  prepare: (tx: Tx) => Promise<void> = async () => {},
): Promise<Plan | undefined> => {
  const undo = new Error('undone')
  let plan: Plan | undefined
  await inTransaction(db, async (tx) => {
    await prepare(tx)
    const { rows } = await tx.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>({
      sql: `explain (analyze, buffers, format json) ${text}`,
      parameters: values,
      query: { kind: 'RawNode' },
      queryId: { queryId: 'explain' },
    } as never)
    plan = rows[0]!['QUERY PLAN'][0]!.Plan
    throw undo
  }).catch((error: unknown) => {
    if (error !== undo && plan === undefined && !/duplicate key|violates/.test(String(error)))
      throw new Error(`${text}\n${String(error)}`, { cause: error })
  })
  return plan
}

/** What statements read: buffers, and tables that are read as a whole. */
export interface Measured {
  buffers: number
  scans: string[]
}

/** Explains statements, each in a transaction that is prepared and rolled back. */
export const measure = async (
  db: Db,
  statements: readonly Pick<Statement, 'text' | 'values'>[],
  prepare: (tx: Tx) => Promise<void>,
): Promise<Measured> => {
  const all: Measured = { buffers: 0, scans: [] }
  for (const { text, values } of statements) {
    const plan = (await explain(db, text, values, prepare))!
    all.buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    all.scans.push(
      ...nodesOf(plan).flatMap((node) =>
        node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? 'a table'] : [],
      ),
    )
  }
  return all
}
