import { html, type Markup } from '@bursar/checkout/html'
import { DELIVERY_STATES, NOTIFICATION_KINDS, type EventFilter } from '../../merchants/webhooks/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import { chosenLanguage, choiceField, clearLink, dayField, readDays, textField, type Scope } from '../frame/index.ts'
import type { WebhookWords } from './words/index.ts'

const FIELDS = ['object', 'kind', 'state', 'from', 'to'] as const
const LONGEST = 100

export interface ReadEventFilter {
  filter: EventFilter
  /** the fields as typed, without empty ones: for links and for the form */
  typed: Readonly<Record<string, string>>
  isFiltered: boolean
  /** a field is not valid, and was left out */
  isWrong: boolean
}

/** Reads the filter of a URL. A field that is not valid is left out, because URLs are shared, typed and old. */
export const readEventFilter = (query: Readonly<Record<string, string>>): ReadEventFilter => {
  const typed: Record<string, string> = {}
  for (const field of FIELDS) {
    const text = (query[field] ?? '').trim()
    if (text !== '' && text.length <= LONGEST && !text.includes('\0')) typed[field] = text
  }
  const { isWrong: isWrongDay, ...days } = readDays(typed)
  const object = typed['object']?.toLowerCase()
  const filter: EventFilter = {
    kind: NOTIFICATION_KINDS.find((kind) => kind === typed['kind']) ?? null,
    state: DELIVERY_STATES.find((state) => state === typed['state']) ?? null,
    objectId: object !== undefined && isUuid(object) ? object : null,
    ...days,
  }
  const isWrong =
    isWrongDay ||
    (typed['kind'] !== undefined && filter.kind === null) ||
    (typed['state'] !== undefined && filter.state === null) ||
    (object !== undefined && filter.objectId === null)
  return { filter, typed, isFiltered: Object.keys(typed).length > 0, isWrong }
}

/**
 * The filters of notifications: one form, whose fields become the query of the page's URL.
 * @param isEmpty the list has no notification, and the link that clears the filters
 */
export const eventFilterForm = (
  scope: Scope,
  texts: WebhookWords,
  { typed, isFiltered }: Pick<ReadEventFilter, 'typed' | 'isFiltered'>,
  isEmpty: boolean,
): Markup => {
  const { words, visit } = scope
  const any = ['', words.any] as const
  return html`<form method="get" action="${visit.path}" role="search" class="panel">${chosenLanguage(scope)}
<details class="filters"${isFiltered && html` open`}><summary>${words.filters}</summary><div class="grid">${[
    choiceField({ name: 'state', label: texts.state, value: typed['state'] }, [
      any,
      ...DELIVERY_STATES.map((state) => [state, texts.states[state]] as const),
    ]),
    choiceField({ name: 'kind', label: texts.type, value: typed['kind'] }, [
      any,
      ...NOTIFICATION_KINDS.map((kind) => [kind, kind] as const),
    ]),
    dayField({ name: 'from', label: words.from, value: typed['from'] }),
    dayField({ name: 'to', label: words.to, value: typed['to'] }),
    textField({ name: 'object', label: texts.object, value: typed['object'] }),
  ]}</div><p class="soft">${words.dayHint} ${texts.objectHint}</p><div class="pager"><button>${words.apply}</button></div></details>
${isFiltered && !isEmpty && clearLink(scope)}</form>`
}
