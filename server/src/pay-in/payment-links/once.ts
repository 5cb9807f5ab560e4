import { hash } from 'node:crypto'
import { findStoredAnswer, withStoredAnswer } from '../../platform/api/answers.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Tx } from '../../platform/db/index.ts'

/** A submission of a form. The page makes a new key each time it shows the form. */
export interface Submission {
  merchantId: string
  /** the form, and the person or the link */
  form: string
  key: string
  /** what was typed: the same form with other content is another submission */
  content: unknown
}

export const isFormKey = (text: string): boolean => isUuid(text)

const keysOf = ({ form, key, content }: Submission): readonly [{ key: string; fingerprint: string }] => {
  const fingerprint = hash('sha256', JSON.stringify([form, key, content]), 'hex')
  return [{ key: `key:form ${fingerprint}`, fingerprint }]
}

/** The stored result of a submission that was made before. */
export const resultOf = async <Result>(tx: Tx, submission: Submission): Promise<Result | undefined> => {
  const stored = await findStoredAnswer(tx, submission.merchantId, keysOf(submission))
  return stored?.kind === 'answered' ? (JSON.parse(stored.body) as Result) : undefined
}

/**
 * Does the work of a submitted form once: a double click, the back button and a second tab get the first result. The
 * result is stored for as long as that of an `Idempotency-Key`.
 * @param work its result is stored as JSON. When it throws, nothing is stored
 */
export const once = async <Result>(
  tx: Tx,
  submission: Submission,
  at: Date,
  work: () => Promise<Result>,
): Promise<Result> => {
  const { merchantId } = submission
  const answerKeys = keysOf(submission)
  const answer = await withStoredAnswer(tx, { merchantId, answerKeys }, at, async () => ({
    status: 303,
    json: JSON.stringify(await work()),
  }))
  return JSON.parse((answer as { json: string }).json) as Result
}
