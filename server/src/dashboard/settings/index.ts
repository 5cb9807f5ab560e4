/**
 * The settings of a merchant that its owners and administrators change themselves, its logo, and the limits that its
 * operator sets. Guarantees:
 * - a change needs a recent proof, and is in the audit log with the values before and after it;
 * - all changes of a form are made, or none;
 * - a form that was opened before another change overwrites nothing.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import { MOST_FILE_BYTES } from '../../merchants/logos/index.ts'
import { LOGO, PREVIEW, SETTINGS, type SettingsPagesDeps } from './deps.ts'
import { logoPage, submitLogo } from './logo-page.ts'
import { previewPage } from './preview.ts'
import { saveSettings, settingsPage } from './settings-page.ts'

/** Twice the most bytes of a logo, so that the page itself says what is wrong with a file that is somewhat larger. */
const MOST_UPLOAD_BYTES = 2 * MOST_FILE_BYTES

export const settingsPages = (deps: SettingsPagesDeps): PageRoute[] => [
  memberPage(deps, SETTINGS, 'manage-settings', settingsPage(deps)),
  memberForm(deps, SETTINGS, 'manage-settings', saveSettings(deps)),
  memberPage(deps, LOGO, 'manage-settings', logoPage(deps)),
  memberForm(deps, LOGO, 'manage-settings', submitLogo(deps), MOST_UPLOAD_BYTES),
  memberPage(deps, PREVIEW, 'manage-settings', previewPage(deps)),
]
