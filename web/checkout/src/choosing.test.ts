import { describe, expect, test } from 'vitest'
import { VIEWS } from '../../../test/world/page-views.ts'
import { renderPage, versionOf, type OpenState, type PageView } from './index.ts'

const openState = (name: string): { view: PageView; state: OpenState } => {
  const view = VIEWS[name]!
  if (view.state.at !== 'open') throw new Error(`${name} is no form`)
  return { view, state: view.state }
}
const pageOf = (name: string, change: Partial<OpenState> = {}): string => {
  const { view, state } = openState(name)
  return renderPage({ ...view, state: { ...state, ...change } }, 'en').html
}
const assetsIn = (page: string): string[] => page.match(/<details class="asset".*?<\/details>/gs) ?? []

describe('the choice of what to pay with', () => {
  test('is one row an asset: the networks of one asset are in a disclosure, with their usual times', () => {
    const page = pageOf('crypto-choose')
    const assets = assetsIn(page)
    expect(assets).toHaveLength(1)
    const [usdt = ''] = assets
    expect([...usdt.matchAll(/name="choice" value="([^"]+)"/g)].map(([, value]) => value)).toEqual([
      'USDT:TRON',
      'USDT:ETHEREUM',
      'USDT:BINANCE_SMART_CHAIN',
    ])
    expect(usdt).toContain('<span class="soft">Tron, Ethereum, BNB Smart Chain</span>')
    expect(usdt.match(/about 24\.09/g)).toHaveLength(1)
    expect(usdt).toContain('Tron (TRC-20)<span class="soft">credited in about 1 min · network fee about $2.35</span>')
    expect(usdt).toContain(
      'Ethereum (ERC-20)<span class="soft">credited in about 15 min · network fee about $0.80</span>',
    )
    expect(usdt).toContain('BNB Smart Chain (BEP-20)<span class="soft">credited in about 1 min</span>')
    expect(page).toContain('credited in about 10 to 60 min · network fee about $1.50')
    expect(page.match(/type="radio"/g)).toHaveLength(openState('crypto-choose').state.options.length)
  })
  test('has the same version while only a fee changes, so that an open form is not replaced', () => {
    const { view, state } = openState('crypto-choose')
    const withFee = (value: string): string =>
      versionOf({
        ...view,
        state: { ...state, options: state.options.map((one) => ({ ...one, fee: { value, ticker: 'USD' } })) },
      })
    expect(withFee('1')).toBe(withFee('2'))
    expect(versionOf({ ...view, state: { ...state, options: [] } })).not.toBe(withFee('1'))
  })
  test('opens the asset that the payer has chosen before, and no other', () => {
    expect(pageOf('crypto-choose', { given: { choice: 'USDT:TRON' } })).toMatch(/<details class="asset" open>/)
    expect(pageOf('crypto-choose', { given: { choice: 'BTC:BITCOIN' } })).not.toMatch(/<details class="asset" open>/)
  })
  test('of the networks of a single asset is a list without a disclosure', () => {
    const { state } = openState('crypto-choose')
    const page = pageOf('crypto-choose', { options: state.options.filter(({ ticker }) => ticker === 'USDT') })
    expect(assetsIn(page)).toEqual([])
    expect(page.match(/type="radio"/g)).toHaveLength(3)
  })
  test('shows the amounts of the networks where they differ', () => {
    const { state } = openState('crypto-choose')
    const options = state.options.map((one) => (one.blockchain === 'TRON' ? { ...one, about: '24.1' } : one))
    const [usdt = ''] = assetsIn(pageOf('crypto-choose', { options }))
    expect(usdt.match(/about 24\.1\b/g)).toHaveLength(1)
    expect(usdt.match(/about 24\.09/g)).toHaveLength(2)
  })
})

describe('the problems of a form', () => {
  test('are named together, each as a link to its field and beside it', () => {
    const page = pageOf('crypto-form-empty')
    const [summary = ''] = /<div role="alert">.*?<\/div><\/div><\/div>/s.exec(page) ?? []
    expect([...summary.matchAll(/<a href="#([a-z]+)">([^<]+)<\/a>/g)].map(([, id, text]) => `${id}: ${text}`)).toEqual([
      'choices: Choose what to pay with.',
      'value: Enter an amount.',
      'email: Enter your e-mail address.',
    ])
    for (const id of ['email', 'choices', 'value']) expect(page).toContain(` id="${id}"`)
    expect(page).toContain('<p class="wrong" id="email-problem">Enter your e-mail address.</p>')
    expect(page).toContain('aria-invalid="true" aria-describedby="email-problem email-hint"')
    expect(page).toContain('aria-invalid="true" aria-describedby="value-problem value-hint"')
    expect(page).toContain('required aria-invalid="true" aria-describedby="choice-problem"')
  })
  test('that are not there are not described', () => {
    const page = pageOf('crypto-choose')
    expect(page).not.toContain('-problem')
    expect(page).not.toContain('role="alert"')
  })
})
