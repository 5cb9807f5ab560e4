import { Batcher } from '../../platform/base/batcher.ts'
import { sqlState, type Db } from '../../platform/db/index.ts'
import { findAnswer } from '../../platform/api/answers.ts'
import type { ApiAnswer } from '../../platform/api/route.ts'
import { insertInvoices, type NewInvoice } from './store.ts'

export interface InvoiceCreator {
  /**
   * Returns the response to the request; for a repeated request, the response to the first one. Throws the 409 of a
   * reused key.
   */
  create(added: NewInvoice): Promise<ApiAnswer>
  close(): Promise<void>
}

const MOST_IN_BATCH = 128
const UNIQUE_VIOLATION = '23505'

/** Stores new invoices. Concurrent requests share one statement, and so one commit. */
export const createInvoiceCreator = (db: Db): InvoiceCreator => {
  const batcher = new Batcher<NewInvoice, Created>({
    most: MOST_IN_BATCH,
    lanes: 2,
    keyOf: ({ invoice }) => invoice.merchantId,
    run: (batch) => createBatch(db, batch),
  })
  return {
    create: async (added) => {
      const created = await batcher.submit(added)
      if ('error' in created) throw created.error
      return created.answer
    },
    close: () => batcher.close(),
  }
}

type Created = { answer: ApiAnswer } | { error: unknown }

const answerOf = ({ answer }: NewInvoice): Created => ({ answer: { status: answer.status, json: answer.body } })

/** Stores all by one statement; if a stored response prevents that, each one separately. */
const createBatch = async (db: Db, batch: readonly NewInvoice[]): Promise<Created[]> => {
  try {
    await insertInvoices(db, batch)
    return batch.map(answerOf)
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    const all: Created[] = []
    for (const added of batch) all.push(await createAlone(db, added).catch((alone: unknown) => ({ error: alone })))
    return all
  }
}

const createAlone = async (db: Db, added: NewInvoice): Promise<Created> => {
  const stored = async (): Promise<Created | undefined> => {
    const answer = await findAnswer(db)(added.invoice.merchantId, added.keys)
    return answer && { answer }
  }
  const before = await stored()
  if (before) return before
  try {
    await insertInvoices(db, [added])
    return answerOf(added)
  } catch (error) {
    // Another process has stored its response between our query and our statement.
    const meanwhile = sqlState(error) === UNIQUE_VIOLATION ? await stored() : undefined
    if (meanwhile) return meanwhile
    throw error
  }
}
