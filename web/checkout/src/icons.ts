import { html, type Markup } from './html.ts'

/** Inline icons, so that no request is needed. Each only repeats what the words beside it say. */
const icon = (paths: Markup): Markup => html`<svg class="line" viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`

export const ICONS = {
  check: icon(html`<path d="M5 12.5l4.5 4.5L19 7.5"/>`),
  cross: icon(html`<path d="M7 7l10 10M17 7L7 17"/>`),
  clock: icon(html`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`),
  alert: icon(html`<path d="M12 4.5L3.5 19h17z"/><path d="M12 10.5v3.5M12 16.8v.1"/>`),
  copy: icon(
    html`<rect x="9" y="9" width="10.5" height="10.5" rx="2"/><path d="M15 9V6.5a2 2 0 0 0-2-2H6.5a2 2 0 0 0-2 2V13a2 2 0 0 0 2 2H9"/>`,
  ),
  turn: icon(html`<path d="M20 12a8 8 0 1 1-2.3-5.6"/>`),
  half: icon(html`<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/>`),
  leave: icon(html`<path d="M5 12h14M13 6l6 6-6 6"/>`),
  search: icon(html`<circle cx="11" cy="11" r="6.5"/><path d="M16 16l4 4"/>`),
} as const
