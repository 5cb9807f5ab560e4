import type { DashboardDeps } from '../../people/pages/index.ts'

export type SettingsPagesDeps = DashboardDeps

/** The paths behind that of the merchant. */
export const SETTINGS = 'settings'
export const LOGO = `${SETTINGS}/logo`
export const PREVIEW = `${SETTINGS}/preview`
