import { foreign, html, type Markup } from '@bursar/checkout/html'
import { qrImage } from '@bursar/checkout/qr'
import { base32, SEED_BYTES, setUpUri } from '../access/index.ts'
import { hidden, input, userName } from './frame.ts'
import type { DashboardDeps, Visit } from './visit.ts'

const ISSUER = 'Bursar'

interface SetUp {
  /** ties the secret of one-time codes, which the form sends back, to one invitation or session */
  owner: string
  email: string
  /** the secret that the person may have stored in the app already; undefined: a new one */
  seed: Buffer | undefined
}

/** The fields of a new password and an authenticator app. */
export const passwordSetUp = (
  { ring, random }: Pick<DashboardDeps, 'ring' | 'random'>,
  { words }: Visit,
  { owner, email, seed: known }: SetUp,
): Markup => {
  const seed = known ?? random(SEED_BYTES)
  const key = base32(seed).replaceAll(/.{4}(?=.)/g, '$& ')
  return html`${hidden('seed', ring.seal(seed.toString('base64'), owner))}
<p>${words.usePasswordText}</p>${userName(email)}
${input({ name: 'password', label: words.newPassword, type: 'password', hint: words.newPasswordHint, autocomplete: 'new-password' })}
<h3>${words.authenticator}</h3><p>${words.authenticatorText}</p><div class="codes">${qrImage(setUpUri(ISSUER, email, seed), words.qr)}
<p>${words.authenticatorKey}: <span class="address">${foreign(key)}</span></p></div>
${input({ name: 'code', label: words.authenticatorCode, autocomplete: 'one-time-code', inputmode: 'numeric' })}`
}

/** The secret of one-time codes that a form sent back; undefined if it was not made for this owner. */
export const openSeed = ({ ring }: Pick<DashboardDeps, 'ring'>, owner: string, sealed: string): Buffer | undefined => {
  try {
    return Buffer.from(ring.open(sealed, owner), 'base64')
  } catch {
    return undefined
  }
}
