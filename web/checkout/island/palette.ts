/**
 * The script of the command palette of the dashboard: Ctrl+K, or Command+K, opens a dialog that finds the pages of the
 * menu, the actions of this page, and a payment. Where no script runs, the menu and the search of Payments remain.
 */
const dialog = document.querySelector<HTMLDialogElement>('#palette')
const input = dialog?.querySelector<HTMLInputElement>('input[type=search]')
const list = dialog?.querySelector<HTMLElement>('[role=listbox]')
const opener = document.querySelector<HTMLElement>('[data-palette]')

interface Command {
  text: string
  href: string
}

/** Links of the page's head first, then those of the menu, each once. */
const commands = (): Command[] => {
  const found = new Map<string, Command>()
  for (const part of ['.top', '#menu'])
    for (const { href, textContent } of document.querySelectorAll<HTMLAnchorElement>(`${part} a[href]`))
      if (!found.has(href)) found.set(href, { text: textContent.trim(), href })
  return [...found.values()]
}

let chosen = 0

const options = (): HTMLElement[] => [...(list?.children ?? [])] as HTMLElement[]

const mark = (index: number): void => {
  const all = options()
  chosen = all.length === 0 ? 0 : (index + all.length) % all.length
  all.forEach((option, i) => option.setAttribute('aria-selected', String(i === chosen)))
  all[chosen]?.scrollIntoView({ block: 'nearest' })
  if (all[chosen]) input?.setAttribute('aria-activedescendant', all[chosen]!.id)
  else input?.removeAttribute('aria-activedescendant')
}

const optionOf = (text: string, act: () => void, index: number): HTMLElement => {
  const option = document.createElement('div')
  option.id = `palette-${index}`
  option.setAttribute('role', 'option')
  option.textContent = text
  option.addEventListener('click', act)
  return option
}

const show = (): void => {
  if (!input || !list) return
  const typed = input.value.trim()
  const wanted = typed.toLocaleLowerCase()
  const fitting = commands().filter(({ text }) => text.toLocaleLowerCase().includes(wanted))
  const all = fitting.map(({ text, href }, i) => optionOf(text, () => location.assign(href), i))
  const find = list.dataset['find']
  if (typed !== '' && find !== undefined) {
    const text = find.replace('…', () => typed)
    all.push(optionOf(text, () => input.form?.requestSubmit(), all.length))
  }
  list.replaceChildren(...all)
  mark(0)
}

const open = (): void => {
  if (!dialog || !input || dialog.open) return
  for (const one of document.querySelectorAll<HTMLElement>(':popover-open')) one.hidePopover()
  input.value = ''
  dialog.showModal()
  show()
}

if (dialog && input && opener) {
  opener.hidden = false
  opener.addEventListener('click', open)
  addEventListener('keydown', (event) => {
    // On a Cyrillic layout, the key is another letter. A browser that fills in a form sends events without a key.
    const isK = event.code === 'KeyK' || event.key?.toLowerCase() === 'k'
    if (!isK || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    event.preventDefault()
    if (dialog.open) dialog.close()
    else open()
  })
  input.addEventListener('input', show)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') mark(chosen + 1)
    else if (event.key === 'ArrowUp') mark(chosen - 1)
    else if (event.key === 'Enter' && options().length > 0) options()[chosen]?.click()
    else return
    event.preventDefault()
  })
  // A click beside the content closes the dialog.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
}
