import { randomUUID } from 'node:crypto'
import { html } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { generalErrors } from '@bursar/contract'
import { ProofNeeded, type Session } from '../../people/access/index.ts'
import { hidden, linkTo, merchantPath, provePanel, toSignIn, type DashboardDeps } from '../../people/pages/index.ts'
import type { PageAnswer, PageRoute } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { memberForm, memberPage, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { archiveOf, type ArchiveDeps } from './archive.ts'
import { takeArchive } from './commands.ts'
import { ARCHIVE_WORDS } from './words.ts'

export type ArchivePageDeps = DashboardDeps & Pick<ArchiveDeps, 'catalogue' | 'lists'>

const ARCHIVE = 'archive'

export const archivePages = (deps: ArchivePageDeps): PageRoute[] => [
  memberPage(deps, ARCHIVE, 'export-all', archivePage(deps)),
  memberForm(deps, ARCHIVE, 'export-all', download(deps)),
]

const archivePage =
  (deps: ArchivePageDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { session } = scope.visit
    return session ? pageWith(deps, scope, session) : toSignIn(scope.visit)
  }

/** Answers the form with the file. A form that is sent twice gets two files, and is recorded once. */
const download =
  (deps: ArchivePageDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { merchantId, language, visit, isStillAllowed } = scope
    const formId = fields('form')
    if (!isUuid(formId)) return pageWith(deps, scope, session)
    const given = { merchantId, formId, agent: visit.agent }
    try {
      await inTransaction(deps.db, (tx) => takeArchive(tx, session, given, visit.now))
    } catch (error) {
      if (!(error instanceof ProofNeeded)) throw error
      return pageWith(deps, scope, session, ARCHIVE_WORDS[language].proveFirst)
    }
    const { clock } = deps.runtime
    return {
      status: 200,
      headers: {},
      merchantId,
      contentType: 'application/zip',
      fileName: `archive-${merchantId}.zip`,
      pieces: whileAllowed(archiveOf({ ...deps, clock }, merchantId), isStillAllowed),
    }
  }

/** Pieces between two checks of the session and the permission of the reader. */
const UNCHECKED = 16

async function* whileAllowed(
  pieces: AsyncIterable<Buffer>,
  isStillAllowed: Scope['isStillAllowed'],
): AsyncGenerator<Buffer> {
  let number = 0
  for await (const piece of pieces) {
    if (number % UNCHECKED === 0 && !(await isStillAllowed())) {
      throw refusal(generalErrors.notFound, 'the reader of the archive may no longer see it')
    }
    number += 1
    yield piece
  }
}

/** @param problem why nothing was downloaded */
const pageWith = async (
  deps: ArchivePageDeps,
  scope: Scope,
  session: Session,
  problem?: string,
): Promise<PageAnswer> => {
  const { visit, merchantId, language } = scope
  const texts = ARCHIVE_WORDS[language]
  const path = merchantPath(merchantId, ARCHIVE)
  return merchantPage(scope, {
    title: texts.title,
    part: 'archive',
    isProving: !session.isProved,
    status: problem === undefined ? 200 : 403,
    sections: [
      problem !== undefined && html`<div role="alert">${note('bad', ICONS.alert, problem)}</div>`,
      await provePanel(deps, { ...visit, session }, { next: path, draft: {} }),
      html`<form method="post" action="${linkTo(visit, path)}" class="panel">${hidden('form', randomUUID())}<p>${texts.text}</p><p>${texts.contents}</p><p class="soft">${texts.care}</p><div class="pager"><button>${texts.download}</button></div></form>`,
    ],
  })
}
