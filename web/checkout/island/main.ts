/**
 * The script of a payment page: follows the invoice live, counts down, copies, and moves on to the acquirer or back to
 * the seller. The page works without it, except for these. `npm run generate` embeds it in the pages.
 */
const POLL_MS = 15_000
const TICK_MS = 1_000
/** If the page is still open after this time, the payer could not leave it: the script follows the invoice again. */
const LEAVES_WITHIN_MS = 60_000

const said = document.getElementById('said')
const pageOf = (from: Document): HTMLElement | null => from.querySelector('main')
let ends = new Map<HTMLElement, number>()
let returning = 0

const say = (text: string): void => {
  if (said) said.textContent = text
}

const two = (n: number): string => String(n).padStart(2, '0')
const clock = (ms: number): string => {
  const s = Math.max(0, Math.floor(ms / 1_000))
  return `${two(Math.floor(s / 3_600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
}

const count = (): void => {
  let over = false
  for (const [element, end] of ends) {
    const left = end - performance.now()
    element.textContent = clock(left)
    if (left > 0) continue
    ends.delete(element)
    over = true
  }
  if (over) setTimeout(() => void refresh(), 1_500)
}

const copy = async (button: HTMLElement): Promise<void> => {
  const label = button.lastElementChild
  if (!label) return
  const before = label.textContent
  await navigator.clipboard.writeText(button.dataset['copy'] ?? '')
  const done = button.dataset['done'] ?? ''
  label.textContent = done
  say(done)
  setTimeout(() => {
    label.textContent = before
  }, 2_000)
}

/** Whether the payer came back with the browser's back button, and so wants to stay. */
const cameBack = (): boolean => {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return entry?.type === 'back_forward'
}

/** Reloading the page now would cancel the navigation to the acquirer. */
let leaving = false
const resume = (): void => {
  leaving = false
  follow()
}

const goOn = (way: HTMLElement): void => {
  if (cameBack()) return
  leaving = true
  setTimeout(resume, LEAVES_WITHIN_MS)
  if (way instanceof HTMLFormElement) way.submit()
  else if (way instanceof HTMLAnchorElement) location.assign(way.href)
}

const goBack = (line: HTMLElement): void => {
  const [text, stay] = [line.querySelector('span'), line.querySelector('button')]
  if (!text || !stay || cameBack()) return
  let seconds = Number(line.dataset['after'])
  const show = (): void => {
    text.textContent = (line.dataset['words'] ?? '').replace('0', String(seconds))
  }
  line.hidden = false
  show()
  clearInterval(returning)
  returning = window.setInterval(() => {
    seconds -= 1
    show()
    if (seconds > 0) return
    clearInterval(returning)
    location.assign(line.dataset['return'] ?? '')
  }, TICK_MS)
  stay.addEventListener('click', () => {
    clearInterval(returning)
    line.hidden = true
  })
}

const liven = (): void => {
  const page = pageOf(document)
  if (!page) return
  ends = new Map(
    [...page.querySelectorAll<HTMLElement>('[data-left]')].map((element) => [
      element,
      performance.now() + Number(element.dataset['left']),
    ]),
  )
  for (const element of ends.keys()) element.hidden = false
  for (const button of page.querySelectorAll<HTMLElement>('[data-copy]')) {
    button.hidden = navigator.clipboard === undefined
    button.addEventListener('click', () => void copy(button))
  }
  const way = page.querySelector<HTMLElement>('[data-leave=yes]')
  if (way) goOn(way)
  const back = page.querySelector<HTMLElement>('[data-return]')
  if (back) goBack(back)
}

/** Whether the payer is typing; the page is not replaced then. */
const isTyping = (): boolean =>
  document.activeElement instanceof HTMLInputElement && document.activeElement.type !== 'hidden'

const refresh = async (): Promise<void> => {
  if (leaving) return
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!answer.ok || leaving) return
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const [now, then] = [pageOf(document), pageOf(next)]
  if (!now || !then || now.dataset['version'] === then.dataset['version'] || isTyping()) return
  // That page posts to another host, which only its own policy allows: load it as a document.
  if (then.querySelector('[data-leave]')) return location.reload()
  now.replaceWith(document.adoptNode(then))
  document.title = next.title
  say(then.querySelector('h1')?.textContent ?? '')
  liven()
  follow()
}

let source: EventSource | undefined
let polling = 0

/** Subscribes to changes; when that is refused, polls. */
const follow = (): void => {
  const path = pageOf(document)?.dataset['live']
  if (path === undefined) {
    source?.close()
    clearInterval(polling)
    source = undefined
    return
  }
  if (source || leaving) return
  source = new EventSource(path)
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    if (data !== pageOf(document)?.dataset['version']) void refresh()
  })
  source.addEventListener('error', () => {
    if (source?.readyState !== EventSource.CLOSED || polling !== 0) return
    polling = window.setInterval(() => void refresh(), POLL_MS)
  })
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh()
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) resume()
})
const start = (): void => {
  setInterval(count, TICK_MS)
  liven()
  follow()
}
// Show the content first: nothing above changes it. A hidden page draws no frame.
if (document.hidden) start()
else requestAnimationFrame(() => setTimeout(start))
