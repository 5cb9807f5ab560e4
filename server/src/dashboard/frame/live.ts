/** Pages that show changes while they are open. */
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import type { Scope } from './scope.ts'

/** The path of the stream of changes, behind that of the merchant. */
export const LIVE = 'live'
/** The header with which the script of an open page requests the page again: this is no use of the session. */
export const LIVE_HEADER = 'bursar-live'

/**
 * A part of a page that its script replaces after a change.
 * @param name unique on the page
 * @param how `always`; `ends`: only when the part has become empty, because its forms depend on what the person did
 */
export const liveRegion = (name: string, content: Piece, how: 'always' | 'ends' = 'always'): Markup =>
  html`<div class="live" id="live-${name}" data-region="${how}">${content}</div>`

/** Tells the script which stream to follow, and which version of the merchant the page shows. */
export const liveMark = ({ words, merchantId, version }: Scope): Markup | undefined =>
  version === undefined
    ? undefined
    : html`<p hidden data-follow="/app/merchants/${merchantId}/${LIVE}" data-version="${version}" data-said="${words.updated}"></p>`
