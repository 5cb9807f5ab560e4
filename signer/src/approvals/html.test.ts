import { expect, test } from 'vitest'
import { html as checkoutHtml } from '@bursar/checkout/html'
import { html } from './html.ts'

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

test('decision 212: the template escapes every text as the template of the payment pages does', () => {
  for (const text of [...ASCII, ASCII.join(''), '<script>alert("1")</script>', '&amp;', 'Олена ﷽ \u202E'])
    expect(html`<p title="${text}">${text}</p>`.text).toBe(checkoutHtml`<p title="${text}">${text}</p>`.text)
  expect(html`<p title="${'\'"`'}">${'<&>'}</p>`.text).toBe('<p title="&#39;&quot;&#96;">&lt;&amp;&gt;</p>')
})

test('markup is inserted as it is, alone or in a list', () => {
  const bold = html`<b>${'&'}</b>`
  expect(html`<p>${bold}${[bold, bold]}</p>`.text).toBe('<p><b>&amp;</b><b>&amp;</b><b>&amp;</b></p>')
  expect(html`<p>${[]}</p>`.text).toBe('<p></p>')
})
