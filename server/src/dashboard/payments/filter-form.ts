import { html, type Markup } from '@bursar/checkout/html'
import type { Catalogue } from '../../market/assets/index.ts'
import { showNetwork } from '../../merchants/documents/index.ts'
import { hidden } from '../../people/pages/index.ts'
import { chosenLanguage, choiceField, clearLink, dayField, textField, type Scope } from '../frame/index.ts'
import { STATUS_GROUPS, type ReadFilter } from './filter.ts'
import { KINDS } from './payment.ts'

/**
 * The search and the filters of payments: one form, whose fields become the query of the page's URL.
 * @param isEmpty the list has no payment, and the link that clears the filters
 */
export const filterForm = (
  scope: Scope,
  { typed, isFiltered }: ReadFilter,
  catalogue: Catalogue,
  isEmpty: boolean,
): Markup => {
  const { words, visit } = scope
  const { q: _, link: __, ...others } = typed
  const any = ['', words.any] as const
  const assets = [...catalogue.crypto, ...catalogue.fiat].map(({ ticker }) => [ticker, ticker] as const)
  const networks = [...catalogue.networks].map((network) => [network, showNetwork(network)] as const)
  return html`<form method="get" action="${visit.path}" role="search" class="panel">${chosenLanguage(scope)}${typed.link !== undefined && hidden('link', typed.link)}
<div class="find">${textField({ name: 'q', label: words.search, value: typed.q })}<button class="second">${words.search}</button></div><p class="soft">${words.searchHint}</p>
<details class="filters"${Object.keys(others).length > 0 && html` open`}><summary>${words.filters}</summary><div class="grid">${[
    choiceField({ name: 'kind', label: words.kind, value: typed.kind }, [
      any,
      ...KINDS.map((kind) => [kind, words.kinds[kind]] as const),
    ]),
    choiceField({ name: 'status', label: words.status, value: typed.status }, [
      any,
      ...STATUS_GROUPS.map((one) => [one, words.statuses[one]] as const),
    ]),
    choiceField({ name: 'asset', label: words.asset, value: typed.asset }, [any, ...assets]),
    choiceField({ name: 'network', label: words.network, value: typed.network }, [any, ...networks]),
    dayField({ name: 'from', label: words.from, value: typed.from }),
    dayField({ name: 'to', label: words.to, value: typed.to }),
    textField({ name: 'least', label: words.least, value: typed.least }, 'decimal'),
    textField({ name: 'most', label: words.most, value: typed.most }, 'decimal'),
  ]}</div><p class="soft">${words.dayHint} ${words.amountHint}</p><div class="pager"><button>${words.apply}</button></div></details>
${isFiltered && !isEmpty && clearLink(scope)}</form>`
}
