/**
 * The script of pages of the dashboard that show changes while they are open: it follows the merchant, and on a change
 * requests the same page again and replaces its marked regions. A region in which a person types, chooses or selects is
 * not touched. A page that can't be requested any more, for example because the session has ended, stays as it is.
 */
/** The least time between two requests of the page, ms. */
const GAP_MS = 5_000
/** Nothing moves so long after a person used the pointer, the keys or the page's scroll bar, ms. */
const CALM_MS = 1_000
/** Time before a refused stream is requested again, ms. */
const AGAIN_MS = 30_000

const regionsOf = (page: Document): HTMLElement[] => [...page.querySelectorAll<HTMLElement>('[data-region]')]
const markOf = (page: Document): HTMLElement | null => page.querySelector<HTMLElement>('[data-follow]')
const mark = markOf(document)
/** The regions as the server sent them. */
const known = new Map(regionsOf(document).map((region) => [region.id, region.innerHTML]))
/** New regions, whose shown ones are in use. */
const waiting = new Map<string, HTMLElement>()
let shown = mark?.dataset['version']
let newest = shown
let source: EventSource | undefined
let [asked, acted] = [-GAP_MS, -CALM_MS]
let [next, again, placing] = [0, 0, 0]
let isAsking = false
let isOver = mark === null

const isTyped = (field: Element): boolean => {
  if (field instanceof HTMLSelectElement) {
    const options = [...field.options]
    const standard = options.some((option) => option.defaultSelected)
    return options.some((option, i) => option.selected !== (standard ? option.defaultSelected : i === 0))
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue
  return (
    field instanceof HTMLInputElement && (field.value !== field.defaultValue || field.checked !== field.defaultChecked)
  )
}

/** The link of the new region that takes the focus of the one that is replaced; null: it has none. */
const heirOf = (focused: Element, region: HTMLElement): HTMLElement | null =>
  focused instanceof HTMLAnchorElement
    ? region.querySelector<HTMLElement>(`a[href="${CSS.escape(focused.getAttribute('href') ?? '')}"]`)
    : null

const isInUse = (region: HTMLElement, later: HTMLElement): boolean => {
  const selection = getSelection()
  const focused = document.activeElement
  return (
    [...region.querySelectorAll('input,select,textarea')].some(isTyped) ||
    region.querySelector(':popover-open,dialog[open]') !== null ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(region, true)) ||
    (focused !== null && region.contains(focused) && heirOf(focused, later) === null)
  )
}

/** Details that a person opened stay open. */
const keepOpen = (region: HTMLElement, later: HTMLElement): void => {
  const opened = new Set([...region.querySelectorAll('details[open]>summary')].map(({ textContent }) => textContent))
  for (const summary of later.querySelectorAll('details>summary'))
    if (opened.has(summary.textContent)) summary.parentElement?.setAttribute('open', '')
}

/** Replaces the shown regions that are not in use. */
const place = (): void => {
  clearTimeout(placing)
  if (waiting.size === 0) return
  const isCalm = performance.now() - acted >= CALM_MS && document.querySelector('dialog[open]') === null
  let isChanged = false
  for (const [id, later] of isCalm ? waiting : []) {
    const region = document.getElementById(id)
    if (region && isInUse(region, later)) continue
    waiting.delete(id)
    if (!region) continue
    const focused = document.activeElement
    const heir = focused && region.contains(focused) ? heirOf(focused, later) : null
    known.set(id, later.innerHTML)
    keepOpen(region, later)
    region.replaceChildren(...[...later.childNodes].map((node) => document.adoptNode(node)))
    heir?.focus({ preventScroll: true })
    isChanged = true
  }
  const said = document.getElementById('said')
  if (isChanged && said) {
    said.textContent = ''
    setTimeout(() => (said.textContent = mark?.dataset['said'] ?? ''), 100)
  }
  if (waiting.size > 0) placing = window.setTimeout(place, CALM_MS)
}

const end = (): void => {
  isOver = true
  unfollow()
  waiting.clear()
}

/** Requests the page, if there is a newer version, at most once in GAP_MS. */
const refresh = async (): Promise<void> => {
  clearTimeout(next)
  if (isAsking || isOver || newest === shown || document.hidden) return
  const left = asked + GAP_MS - performance.now()
  if (left > 0) {
    next = window.setTimeout(() => void refresh(), left)
    return
  }
  isAsking = true
  asked = performance.now()
  const wanted = newest
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html', 'bursar-live': '1' } })
    // A server that is busy or restarts answers later.
    if (answer.status >= 500 || answer.status === 429) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const later = markOf(page)
    if (!answer.ok || answer.redirected || !later) return end()
    shown = later.dataset['version']
    // A version that arrived meanwhile may be newer than the page.
    if (newest === wanted) newest = shown
    for (const region of regionsOf(page)) {
      const isSame = known.get(region.id) === region.innerHTML
      if (isSame || (region.dataset['region'] === 'ends' && region.childElementCount > 0)) waiting.delete(region.id)
      else waiting.set(region.id, region)
    }
    place()
  } catch {
    // The connection is lost: the stream begins again with the newest version.
  } finally {
    isAsking = false
    if (source) void refresh()
  }
}

const unfollow = (): void => {
  clearTimeout(again)
  clearTimeout(next)
  source?.close()
  source = undefined
}

const follow = (): void => {
  if (isOver || source || document.hidden || mark === null) return
  source = new EventSource(mark.dataset['follow'] ?? '')
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    newest = data
    void refresh()
  })
  source.addEventListener('error', () => {
    if (source?.readyState !== EventSource.CLOSED) return
    unfollow()
    // The page shows why the stream was refused: the session has ended, or the limit of streams is reached.
    again = window.setTimeout(() => {
      newest = undefined
      void refresh().then(follow)
    }, AGAIN_MS)
  })
}

for (const kind of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove'])
  addEventListener(kind, () => (acted = performance.now()), { passive: true })
document.addEventListener('visibilitychange', () => (document.hidden ? unfollow() : follow()))
// A page that is kept for the back button has no stream.
addEventListener('pagehide', unfollow)
addEventListener('pageshow', follow)
follow()
