/**
 * The settings of a merchant that its owners and administrators change themselves, and the limits that its operator
 * sets. Guarantees:
 * - a change needs a recent proof, and is in the audit log with the values before and after it;
 * - all changes of a form are made, or none;
 * - a form that was opened before another change overwrites nothing.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import { PREVIEW, SETTINGS, type SettingsPagesDeps } from './deps.ts'
import { previewPage } from './preview.ts'
import { saveSettings, settingsPage } from './settings-page.ts'

export const settingsPages = (deps: SettingsPagesDeps): PageRoute[] => [
  memberPage(deps, SETTINGS, 'manage-settings', settingsPage(deps)),
  memberForm(deps, SETTINGS, 'manage-settings', saveSettings(deps)),
  memberPage(deps, PREVIEW, 'manage-settings', previewPage(deps)),
]
