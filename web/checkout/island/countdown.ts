/**
 * The script of the page with the price of an exchange: it counts down to the end of the price, and shows when the
 * price has expired. Where no script runs, the page shows the time of the end. The server states how long the price is
 * valid, and the count follows the time since its answer: the clock of the browser may be wrong.
 */
const quote = document.querySelector<HTMLElement>('[data-left]')
const timer = quote?.querySelector<HTMLElement>('[role=timer]')
const said = document.getElementById('said')
const [answer] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
const end = (answer?.responseStart ?? performance.now()) + Number(quote?.dataset['left'])

/** Seconds left at which a screen reader says them: each second would be too much. */
const SAID_AT = [60, 30, 10]

const secondsLeft = (): number => Math.max(0, Math.ceil((end - performance.now()) / 1_000))
let shown = secondsLeft()
let next = 0

const say = (text: string | null | undefined): void => {
  if (said) said.textContent = text ?? ''
}

const expire = (): void => {
  quote?.classList.add('over')
  for (const button of quote?.querySelectorAll('[data-turn]') ?? []) button.classList.toggle('second')
  say(quote?.querySelector('.ended')?.textContent)
}

const show = (): void => {
  clearTimeout(next)
  if (!timer || quote?.classList.contains('over')) return
  const seconds = secondsLeft()
  timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  if (seconds === 0) return expire()
  if (SAID_AT.some((mark) => shown > mark && seconds <= mark))
    say((timer.dataset['words'] ?? '').replace('0', String(seconds)))
  shown = seconds
  next = window.setTimeout(show, end - performance.now() - (seconds - 1) * 1_000)
}

quote?.classList.add('counts')
show()
// A browser may stop the timers of a hidden page.
document.addEventListener('visibilitychange', show)
addEventListener('pageshow', show)
