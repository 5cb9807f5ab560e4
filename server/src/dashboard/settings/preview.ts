import { renderPage } from '@bursar/checkout'
import { logoPath, logosOf } from '../../merchants/logos/index.ts'
import { companyOf, settingsOf } from '../../merchants/accounts/index.ts'
import { merchantPath } from '../../people/pages/index.ts'
import { inPage } from './logo-page.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import type { Scope } from '../frame/index.ts'
import { PREVIEW, type SettingsPagesDeps } from './deps.ts'
import { SETTINGS_WORDS } from './words/index.ts'

const LONGEST = 1_000
/** Is the id of no invoice. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

/**
 * An expired invoice as a payer would see it with the colour and the support of the query, or with the stored ones.
 * `logo=draft` shows the logo that is not published.
 */
export const previewPage =
  (deps: SettingsPagesDeps) =>
  async ({ merchantId, request, language }: Scope): Promise<PageAnswer> => {
    const { db, runtime } = deps
    const company = await companyOf(db, merchantId)
    const stored = await settingsOf(db, merchantId)
    const given = (field: string, otherwise: string | null): string | undefined => {
      const text = request.query[field]?.trim() ?? otherwise ?? ''
      return text === '' || text.length > LONGEST ? undefined : text
    }
    const logos = await logosOf(db, merchantId)
    const draft = request.query['logo'] === 'draft' ? logos.find(({ state }) => state === 'draft') : undefined
    const shown = logos.find(({ state }) => state === 'shown')
    const accent = given('accent', stored.accent)
    const rendered = renderPage(
      {
        kind: 'crypto',
        id: NO_ID,
        seller: {
          name: company.name,
          url: company.url === '' ? undefined : company.url,
          accent: accent !== undefined && /^#[0-9a-f]{6}$/i.test(accent) ? accent.toLowerCase() : undefined,
          logo: draft ? inPage(draft) : shown && { ...shown, src: logoPath(shown.hash) },
          support: { url: given('supportUrl', stored.supportUrl), email: given('supportEmail', stored.supportEmail) },
        },
        name: SETTINGS_WORDS[language].sample,
        description: undefined,
        path: merchantPath(merchantId, PREVIEW),
        keep: {},
        returnTo: undefined,
        now: runtime.clock.now(),
        state: { at: 'expired', asked: undefined },
      },
      language,
    )
    return { status: 200, headers: rendered.headers, body: rendered.html }
  }
