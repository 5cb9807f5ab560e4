import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { logoPiece, type SellerLogo } from '@bursar/checkout/logo'
import { note } from '@bursar/checkout/parts'
import { LogoProblem, logosOf, readLogo, type Logo } from '../../merchants/logos/index.ts'
import { ProofNeeded, type Session } from '../../people/access/index.ts'
import { hidden, linkTo, merchantPath, provePanel, redirect, toSignIn } from '../../people/pages/index.ts'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { LOGO, PREVIEW, SETTINGS, type SettingsPagesDeps } from './deps.ts'
import { discardLogo, publishLogo, removeShownLogo, uploadLogo } from './logo-commands.ts'
import { LOGO_WORDS, type LogoWords } from './words/logo.ts'
import { SETTINGS_WORDS } from './words/index.ts'

/** A logo as the source of a picture in a page of a member. A draft has no URL, so that only members see it. */
export const inPage = ({ mediaType, bytes, width, height }: Logo): SellerLogo => ({
  src: `data:${mediaType};base64,${bytes.toString('base64')}`,
  width,
  height,
})

/** The logo that payers see, the draft, and the form that uploads one. */
export const logoPage =
  (deps: SettingsPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, request, language } = scope
    if (!visit.session) return toSignIn(visit)
    const { said } = LOGO_WORDS[language]
    const key = request.query['said'] ?? ''
    const text = Object.hasOwn(said, key) ? said[key as keyof typeof said] : undefined
    return pageWith(deps, scope, visit.session, text === undefined ? {} : { said: text })
  }

/** Uploads, publishes, removes or discards a logo. */
export const submitLogo =
  (deps: SettingsPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId, request, language } = scope
    const words = LOGO_WORDS[language]
    const done = (said: keyof LogoWords['said']): PageAnswer =>
      redirect(linkTo(visit, merchantPath(merchantId, LOGO), { said }))
    try {
      if (/^multipart\/form-data/i.test(request.headers['content-type'] ?? '')) {
        const logo = await readLogo(await fileIn(request))
        const result = await inTransaction(deps.db, (tx) => uploadLogo(tx, session, { merchantId, logo }, visit.now))
        return done(result === 'same' ? 'same' : 'uploaded')
      }
      const action = ACTIONS[fields('do') as keyof typeof ACTIONS]
      if (!action) return await pageWith(deps, scope, session, { status: 400 })
      const given = { merchantId, hash: fields('hash') }
      const result = await inTransaction(deps.db, (tx) => action.command(tx, session, given, visit.now))
      if (result === 'done') return done(action.said)
      return await pageWith(deps, scope, session, { problem: words.changedElsewhere, status: 409 })
    } catch (error) {
      if (error instanceof ProofNeeded)
        return pageWith(deps, scope, session, { problem: words.proveFirst, status: 403 })
      if (error instanceof LogoProblem)
        return pageWith(deps, scope, session, { refused: words.troubles[error.trouble], status: 400 })
      throw error
    }
  }

const ACTIONS = {
  publish: { command: publishLogo, said: 'published' },
  remove: { command: removeShownLogo, said: 'removed' },
  discard: { command: discardLogo, said: 'discarded' },
} as const

/** The file of the form; empty if it has none. Throws a LogoProblem for a form that can't be read. */
const fileIn = async ({ body, headers }: PageRequest): Promise<Buffer> => {
  const init = { headers: { 'content-type': headers['content-type'] ?? '' } }
  const form = await new Response(new Uint8Array(body), init).formData().catch(() => {
    throw new LogoProblem('broken', 'the form is not readable')
  })
  const file = form.get('logo')
  return file instanceof Blob ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0)
}

interface Shown {
  said?: string
  problem?: string
  /** why the uploaded file is no logo */
  refused?: string
  status?: number
}

const pageWith = async (
  deps: SettingsPagesDeps,
  scope: Scope,
  session: Session,
  { said, problem, refused, status = 200 }: Shown,
): Promise<PageAnswer> => {
  const { visit, merchantId, language } = scope
  const words = LOGO_WORDS[language]
  const logos = await logosOf(deps.db, merchantId)
  const [draft, shown] = [logos.find(({ state }) => state === 'draft'), logos.find(({ state }) => state === 'shown')]
  const path = merchantPath(merchantId, LOGO)
  const proving = (draft ?? shown) && (await provePanel(deps, { ...visit, session }, { next: path, draft: {} }))
  return merchantPage(scope, {
    title: words.title,
    part: 'settings',
    status,
    isProving: proving !== undefined,
    actions: html`<a class="button second" href="${linkTo(visit, merchantPath(merchantId, SETTINGS))}">${visit.words.settings}</a>`,
    sections: [
      said !== undefined && html`<div role="status">${note('good', ICONS.check, said)}</div>`,
      problem !== undefined && html`<div role="alert">${note('bad', ICONS.alert, problem)}</div>`,
      proving,
      draft && draftPanel(scope, draft),
      html`<section class="panel"><h2>${words.shown}</h2>${
        shown
          ? html`${picture(shown)}<p class="soft">${words.shownText}</p><div class="pager">${button(scope, 'remove', shown.hash, words.remove, 'second')}</div>`
          : html`<p>${words.none}</p>`
      }</section>`,
      uploadForm(scope, refused),
    ],
  })
}

const picture = (logo: Logo): Markup => html`<p>${logoPiece(inPage(logo))}</p>`

const button = (
  { visit }: Scope,
  does: keyof typeof ACTIONS,
  hash: string,
  text: string,
  look: 'second' | '',
): Markup =>
  html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', does)}${hidden('hash', hash)}<button class="${look}">${text}</button></form>`

const draftPanel = (scope: Scope, draft: Logo): Markup => {
  const { visit, merchantId, language } = scope
  const words = LOGO_WORDS[language]
  const preview = linkTo(visit, merchantPath(merchantId, PREVIEW), { logo: 'draft' })
  return html`<section class="panel"><h2>${words.draft}</h2>${picture(draft)}<p class="soft">${words.draftText}</p><p><a href="${preview}">${words.preview}</a></p><div class="pager">${button(scope, 'publish', draft.hash, words.publish, '')}${button(scope, 'discard', draft.hash, words.discard, 'second')}</div></section>`
}

const uploadForm = ({ visit, language }: Scope, refused: string | undefined): Markup => {
  const words = LOGO_WORDS[language]
  const hint: Piece =
    refused !== undefined &&
    html`<p class="wrong" id="logo-wrong" role="alert">${SETTINGS_WORDS[language].wrong} ${refused}</p>`
  return html`<form method="post" enctype="multipart/form-data" class="panel" action="${linkTo(visit, visit.path)}"><h2>${words.upload}</h2><p class="soft" id="logo-hint">${words.uploadText}</p>
<div class="field"><label class="name" for="logo">${words.file}</label>${hint}<input type="file" id="logo" name="logo" accept=".png,.jpg,.jpeg,image/png,image/jpeg" required aria-describedby="${refused === undefined ? 'logo-hint' : 'logo-wrong logo-hint'}"${refused !== undefined && html` aria-invalid="true"`}></div><div class="ask"><button>${words.check}</button></div></form>`
}
