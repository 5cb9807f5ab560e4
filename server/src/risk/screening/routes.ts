import { generalErrors } from '@bursar/contract'
import { isLanguage } from '../../platform/base/language.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Db } from '../../platform/db/index.ts'
import { refuseIfBusy, type DocumentMaker } from '../../merchants/documents/index.ts'
import type { PageRoute } from '../../platform/api/page.ts'
import { type Route, refusal } from '../../platform/api/route.ts'
import { complianceOf } from './judging.ts'
import { findByToken, findScreening } from './queries.ts'
import type { ScreeningKind } from './screening.ts'

export interface ScreeningRoutesDeps {
  db: Db
  publicUrl: string
  /** state of a merchant's deposit or withdrawal; undefined if there is none */
  stateOf: (kind: ScreeningKind, merchantId: string, id: string) => Promise<string | undefined>
}

const RETRY_AFTER_SECONDS = 60
/** States that never get a report: a deposit below the minimum or in no block, and a withdrawal that was given back. */
const NEVER_SCREENED: readonly string[] = ['failed', 'suspended']

/**
 * The two lookups (`contract.md` 18 #24). A subject of another merchant gets the same answer as one that does not
 * exist.
 */
export const screeningRoutes = (deps: ScreeningRoutesDeps): Route[] => [
  lookup('getDepositCompliance', 'deposit', deps),
  lookup('getCryptoWithdrawalCompliance', 'withdrawal', deps),
]

const lookup = (operation: string, kind: ScreeningKind, { db, publicUrl, stateOf }: ScreeningRoutesDeps): Route => ({
  operation,
  handle: async ({ merchantId, params }) => {
    const id = params.id!.toLowerCase()
    const screening = isUuid(id) ? await findScreening(db, kind, merchantId, id) : undefined
    if (screening !== undefined && screening.report !== null)
      return { status: 200, body: complianceOf(screening, publicUrl) }
    const state = screening === undefined && isUuid(id) ? await stateOf(kind, merchantId, id) : undefined
    if (screening === undefined && state === undefined) {
      throw refusal(generalErrors.notFound, `no such ${kind}: check its id`)
    }
    if (state !== undefined && NEVER_SCREENED.includes(state)) {
      throw refusal(generalErrors.conflict, `the ${kind} has failed and is never screened: there will be no report`)
    }
    throw refusal(generalErrors.notScreenedYet, `the ${kind} has not been screened yet: ask again later`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  },
})

const TOKEN = /^([0-9a-f]{32})\.pdf$/

/**
 * The report as a document. Its address contains a token that can't be guessed; `language` selects one of four
 * languages.
 */
export const reportPage = ({ db, documents }: { db: Db; documents: DocumentMaker }): PageRoute => ({
  method: 'GET',
  path: '/compliance/{file}',
  mostBytes: 0,
  handle: async ({ params, query }) => {
    const token = TOKEN.exec(params.file!)?.[1]
    const screening = token === undefined ? undefined : await findByToken(db, token)
    if (!screening?.report) {
      throw refusal(generalErrors.notFound, 'no such report')
    }
    const { subject, subjectId, kind, report } = screening
    const language = isLanguage(query.language) ? query.language : 'en'
    const { network, asset, transaction, own, others } = subject
    const shown = { id: subjectId, about: kind, network, asset, transaction, own, others, ...report }
    const pdf = await documents.make({ kind: 'screening', report: shown, language }).catch(refuseIfBusy)
    return {
      status: 200,
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': `inline; filename="compliance-${subjectId}.pdf"`,
        'cache-control': 'private, no-store',
        'x-robots-tag': 'noindex',
      },
      body: pdf,
    }
  },
})
