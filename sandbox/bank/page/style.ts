/** The style of the bank's pages, for phones and desktops, light and dark. */
export const style = `
:root { color-scheme: light dark; --ink: #14213d; --soft: #5a6478; --line: #d5dbe6; --paper: #fff; --back: #eef1f6; --accent: #0b5d4e; --on: #fff; --bad: #b3261e; --good: #0b6b3a }
@media (prefers-color-scheme: dark) { :root { --ink: #e9edf5; --soft: #a3adc0; --line: #38425a; --paper: #1a2233; --back: #101623; --accent: #5fd3b8; --on: #06231c; --bad: #ff9d94; --good: #7fe0a9 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
header { width: 100%; max-width: 28rem; padding: 1.5rem 1.25rem .75rem; font-weight: 600; letter-spacing: .01em; display: flex; gap: .6rem; align-items: center }
.mark { width: 1.5rem; height: 1.5rem; border-radius: .45rem; background: linear-gradient(135deg, var(--accent) 45%, transparent 46%), var(--line) }
main { width: calc(100% - 1.5rem); max-width: 28rem; background: var(--paper); border: 1px solid var(--line); border-radius: 1rem; padding: 1.5rem; box-shadow: 0 12px 40px rgb(10 20 40 / .08) }
footer { padding: 1rem 1.25rem 2rem; color: var(--soft); font-size: .875rem }
h1 { font-size: 1.35rem; line-height: 1.25; margin: .25rem 0 .5rem }
p { margin: .25rem 0 .75rem; overflow-wrap: anywhere }
.summary { border-bottom: 1px solid var(--line); margin-bottom: 1.25rem; color: var(--soft) }
.amount { margin: .25rem 0 .75rem; font-size: 2rem; line-height: 1.2; font-weight: 650; color: var(--ink); font-variant-numeric: tabular-nums }
form { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem .875rem }
form + form { margin-top: .75rem }
.field { display: flex; flex-direction: column; gap: .3rem }
.card, .holder, .code, button { grid-column: 1 / -1 }
label { font-size: .875rem; color: var(--soft) }
input { width: 100%; font: inherit; font-variant-numeric: tabular-nums; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: .6rem; padding: .7rem .8rem }
input::placeholder { color: var(--soft) }
input[aria-invalid] { border-color: var(--bad) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.wrong { margin: 0; color: var(--bad); font-size: .875rem }
button, .button { font: inherit; font-weight: 600; border: 0; border-radius: .6rem; padding: .85rem 1rem; background: var(--accent); color: var(--on); cursor: pointer; text-align: center; text-decoration: none; display: block }
.quiet { background: transparent; color: var(--soft); border: 1px solid var(--line) }
dl { margin: 0 0 1.25rem } dl div { display: flex; justify-content: space-between; gap: 1rem; padding: .4rem 0; border-bottom: 1px solid var(--line) } dt { color: var(--soft) } dd { margin: 0; font-variant-numeric: tabular-nums }
.shield { display: inline-block; border: 1px solid var(--line); border-radius: 2rem; padding: .1rem .7rem; font-size: .8125rem; color: var(--soft) }
.seal { width: 3.5rem; height: 3.5rem; border-radius: 50%; display: grid; place-items: center; font-size: 1.75rem; border: 2px solid currentcolor; color: var(--soft) }
.seal.succeeded { color: var(--good) } .seal.refused, .seal.expired { color: var(--bad) }
details { margin-top: 1.25rem; font-size: .875rem; color: var(--soft) } summary { cursor: pointer }
table { border-collapse: collapse; margin-top: .5rem } td { padding: .3rem .75rem .3rem 0; vertical-align: top } code { white-space: nowrap }
`
