/**
 * The frame of the pages about a merchant. Guarantees:
 * - only members of the merchant see them; for others, the merchant does not exist;
 * - they load nothing, and work on a phone and without scripts;
 * - a list is a page of rows behind a key, and its filters are in the URL.
 */
export { amountMarkup } from './amount.ts'
export { readDays, type Days } from './days.ts'
export { chosenLanguage, choiceField, clearLink, dayField, textField } from './fields.ts'
export { csvFile } from './file.ts'
export { lostPage, merchantPage } from './layout.ts'
export { liveRegion } from './live.ts'
export { livePage, liveStream, memberForm, memberPage } from './member-page.ts'
export type { ScopeDeps, Submitted } from './member-page.ts'
export type { Scope } from './scope.ts'
export { statusTag, toneTag } from './status.ts'
export type { Status } from './status.ts'
export { empty, pager, table } from './table.ts'
export { versionsOf } from './versions.ts'
export { WORDS } from './words/index.ts'
export type { Words } from './words/index.ts'
