import { renderPage } from '@bursar/checkout'
import { expect, test } from 'vitest'
import { VIEWS } from '../../world/page-views.ts'
import { pageIn } from './payer-page.ts'

const leaving = (way: { method: 'GET' | 'POST'; url: string; fields: Record<string, string> }): string => {
  const view = VIEWS['fiat-leaving']!
  return renderPage({ ...view, state: { ...view.state, ...way } as typeof view.state }, 'en').html
}

test('a form is posted as the browser reads it', () => {
  const fields = { data: 'a+b/c=', 'productName[]': `"Order" <1> & '2'` }
  const page = pageIn(leaving({ method: 'POST', url: 'https://acquirer.example/pay?a=1&b=2', fields }))
  expect(page?.url).toBe('https://acquirer.example/pay?a=1&b=2')
  expect(Object.fromEntries(page!.fields!)).toEqual(fields)
})

test('a link is followed', () => {
  expect(pageIn(leaving({ method: 'GET', url: 'https://acquirer.example/pay/1', fields: {} }))).toEqual({
    url: 'https://acquirer.example/pay/1',
  })
})

test('no other page leads to an acquirer', () => {
  expect(pageIn(renderPage(VIEWS['fiat-choose-currency-only']!, 'en').html)).toBeUndefined()
})
