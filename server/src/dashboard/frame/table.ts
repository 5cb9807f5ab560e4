import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { linkTo } from '../../people/pages/index.ts'
import type { Scope } from './scope.ts'

export interface Column {
  title: string
  /** a number is aligned to the right */
  isNumber?: boolean
  /** a short number, such as a count: a phone shows its column as well */
  isCount?: boolean
  /** left out on a phone: another cell then has its value in a line of class `near`, or the page of the row has it */
  isFar?: boolean
}

const classOf = ({ isNumber, isCount, isFar }: Column): Markup | false => {
  const names = [...(isNumber || isCount ? ['num'] : []), ...(isFar ? ['far'] : [])].join(' ')
  return names !== '' && html` class="${names}"`
}

/**
 * How a phone shows a table: in rows of two columns; if rows have several amounts, with a line and a title for each.
 */
const phoneClass = (columns: readonly Column[]): 'table' | 'pairs' | 'cards' => {
  if (columns.some(({ isCount }) => isCount)) return 'table'
  return columns.filter(({ isNumber, isFar }) => isNumber && !isFar).length > 1 ? 'pairs' : 'cards'
}

/** A table. The first cell of a row names it. @param caption for readers of screens */
export const table = (caption: string, columns: readonly Column[], rows: readonly (readonly Piece[])[]): Markup => {
  const look = phoneClass(columns)
  const label = ({ title, isNumber }: Column): Piece => look === 'pairs' && isNumber && html` data-label="${title}"`
  return html`<table class="${look}"><caption class="unseen">${caption}</caption><thead><tr>${columns.map(
    (column) => html`<th scope="col"${classOf(column)}>${column.title}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, i) => html`<td${classOf(columns[i]!)}${label(columns[i]!)}>${cell}</td>`)}</tr>`,
  )}</tbody></table>`
}

/** An empty list: why, and how to go on. */
export const empty = (title: string, text: string, next?: Piece): Markup =>
  html`<section class="panel"><h2>${title}</h2><p>${text}</p>${next}</section>`

/** Links to the next page of older rows, and back to the newest ones. The query has the filters. */
export const pager = (
  { visit, words }: Scope,
  query: Readonly<Record<string, string>>,
  { after, next }: { after: string | undefined; next: string | undefined },
): Markup | undefined => {
  if (after === undefined && next === undefined) return undefined
  const { after: _, ...filters } = query
  const link = (more: Readonly<Record<string, string>>, text: string, rel: Piece): Markup =>
    html`<a class="button second" href="${linkTo(visit, visit.path, { ...filters, ...more })}"${rel}>${text}</a>`
  return html`<div class="pager">${after !== undefined && link({}, words.newest, false)}${next !== undefined && link({ after: next }, words.older, html` rel="next"`)}</div>`
}
