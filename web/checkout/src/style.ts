import { accentOf, GROUNDS } from './accent.ts'

/**
 * The style sheet of every page: phone first, two columns if there is space, dark if preferred, print. It uses system
 * fonts in only two weights and under two names, because finding a font for the first time takes a phone
 * longest.
 */
const SHEET = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1,h2,h3,p,ul,ol,dl,dd,fieldset,legend,figure{margin:0;padding:0;border:0}
ul,ol{list-style:none}
h1,h2,h3,b,strong,label.name,legend{font-weight:600}
a{color:var(--line);text-underline-offset:.18em}
:focus-visible{outline:3px solid var(--line);outline-offset:2px;border-radius:.4rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none!important}
.copy[hidden]{display:inline-flex!important;visibility:hidden}
header,main,footer{width:100%;max-width:58rem;margin:0 auto;padding:0 1rem}
header{display:flex;align-items:center;gap:.75rem;padding-top:1.25rem;padding-bottom:1rem}
.mark{flex:none;display:grid;place-items:center;width:2.5rem;height:2.5rem;border-radius:.75rem;background:var(--surface);color:var(--on);font-weight:600;font-size:1.15rem}
.logo{flex:none;box-sizing:content-box;max-width:50%;height:auto;padding:.25rem;border-radius:.5rem;background:#fff}
.seller{font-weight:600;line-height:1.25;min-width:0}
.seller a{color:inherit;text-decoration:none;display:inline-block;padding:.5rem 0}
.seller a:hover{text-decoration:underline}
main{flex:1;display:grid;gap:1.25rem;align-content:start;padding-bottom:2rem}
main.alone{padding-top:2rem}
.summary{display:grid;gap:.25rem}
.summary .label,.soft,dt{color:var(--soft);font-size:.9375rem}
.sum{font-size:clamp(1.9rem,8.5vw,2.75rem);line-height:1.15;font-weight:600;letter-spacing:-.02em}
.sum small{font-size:.55em;letter-spacing:0;color:var(--soft)}
.left{justify-self:start;display:inline-flex;align-items:center;gap:.45rem;margin-top:.5rem;padding:.2rem .75rem .2rem .5rem;border-radius:2rem;background:var(--panel);border:1px solid var(--edge);font-size:.9375rem;color:var(--soft)}.left svg{width:1.1rem;height:1.1rem}.left b{color:var(--ink)}
.again{display:flex;align-items:center;justify-content:space-between;gap:1rem}
.about{margin-top:.5rem;font-weight:600}
.panel{background:var(--panel);border:1px solid var(--edge);border-radius:1.25rem;padding:1.25rem;display:grid;gap:1.25rem;box-shadow:0 1px 2px rgb(0 0 0/.04),0 8px 24px rgb(0 0 0/.05);align-content:start}
h1{font-size:1.375rem;line-height:1.25;letter-spacing:-.01em}
h2{font-size:1rem;line-height:1.35}
.head{display:grid;gap:.5rem}
.head .badge{margin-bottom:.25rem}
.badge{width:3rem;height:3rem;border-radius:50%;display:grid;place-items:center;background:var(--calm);color:var(--line)}
.badge svg{width:1.6rem;height:1.6rem}
.good .badge{background:var(--good-ground);color:var(--good)}.bad .badge{background:var(--bad-ground);color:var(--bad)}.warn .badge{background:var(--warn-ground);color:var(--warn)}
svg.line{fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.steps{display:grid;grid-template-columns:repeat(3,1fr);gap:.4rem;font-size:.8125rem;color:var(--soft)}
.steps li{border-top:4px solid var(--edge);border-radius:2px 2px 0 0;padding-top:.4rem}
.steps .done{border-color:var(--surface)}.steps .now{border-color:var(--surface);color:var(--ink);font-weight:600}
form{display:grid;gap:1.25rem}
.field{display:grid;gap:.35rem}
input[type=text],input[type=email]{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rim);border-radius:.75rem;padding:.7rem .9rem;min-height:3rem;width:100%}
input[aria-invalid=true]{border-color:var(--bad);border-width:2px}
.wrong{color:var(--bad)}
.choices{display:grid;gap:.5rem;margin-top:.75rem}
.choice{position:relative;display:flex;flex-wrap:wrap;align-items:center;gap:.1rem .75rem;padding:.7rem .9rem;min-height:3.5rem;border:1px solid var(--edge);border-radius:.75rem;cursor:pointer}
.choice:has(:checked){border-color:var(--line);box-shadow:0 0 0 1px var(--line)}
.choice:hover{background:var(--calm)}
.choice input{accent-color:var(--line);width:1.25rem;height:1.25rem;flex:none;margin:0}
.choice>span{flex:1;min-width:0;line-height:1.35}.choice .soft{display:block}
.choice .far{flex:1 0 100%;padding-left:2rem}
.asset{border:1px solid var(--edge);border-radius:.75rem}.asset:has(:checked){border-color:var(--line);box-shadow:0 0 0 1px var(--line)}
.asset>summary{padding:0;color:inherit;display:flex;align-items:center;padding-right:.9rem;list-style:none}.asset>summary::-webkit-details-marker{display:none}.asset>summary::after{content:"";flex:none;width:.55rem;height:.55rem;border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(45deg)}.asset[open]>summary::after{transform:rotate(-135deg)}
.asset .choice{flex:1;border:0;box-shadow:none}.asset summary .far{padding-left:0}.asset>.choices{margin:0 .9rem .5rem;gap:0}.asset>.choices .choice{border-top:1px solid var(--edge);border-radius:0;padding:.5rem 0}
button,.button{font:inherit;font-weight:600;display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:3rem;padding:.6rem 1.25rem;border-radius:.75rem;border:1px solid var(--surface);background:var(--surface);color:var(--on);text-decoration:none;cursor:pointer;text-align:center}
button:hover,.button:hover{filter:brightness(1.08)}
.second{background:none;border-color:var(--edge);color:var(--ink)}
.second:hover{background:var(--calm);filter:none}
.copy{min-height:2.75rem;min-width:2.75rem;padding:.4rem .75rem;font-size:.9375rem;flex:none}
.copy svg,.note svg,.button svg{width:1.2rem;height:1.2rem;flex:none}
.way,.item{display:grid;gap:1.25rem}
.item{grid-template-columns:minmax(0,1fr) auto;gap:.1rem .75rem;align-items:center}.item .copy{grid-row:1/3;grid-column:2}.item.long .copy{grid-row:1}.item.long .address{grid-column:1/3}
.exact{font-size:1.25rem;font-weight:600;line-height:1.3;min-width:0;overflow-wrap:normal}
.address{font:400 .9375rem/1.5 ui-monospace,Consolas,monospace;min-width:0;word-break:break-all}
.rows{display:grid}
.rows>div{padding:.8rem 0;border-top:1px solid var(--edge)}.rows>div:first-child{border-top:0;padding-top:0}.rows>div:last-child{padding-bottom:0}
.pair dt{overflow-wrap:break-word}.pair{display:flex;justify-content:space-between;gap:1rem}.pair dd{text-align:right;font-weight:600;min-width:0}
.note{display:flex;gap:.7rem;padding:.85rem 1rem;border-radius:.75rem;background:var(--calm)}
.note a{color:inherit}.note>div{min-width:0;display:grid;gap:.25rem}.note svg{margin-top:.15rem}
.note.warn{background:var(--warn-ground);color:var(--warn)}.note.bad{background:var(--bad-ground);color:var(--bad)}.note.good{background:var(--good-ground);color:var(--good)}
.codes{display:grid;gap:.75rem;justify-items:center;text-align:center}
.qr{display:block;width:min(15rem,100%);border-radius:.75rem;border:1px solid var(--edge)}
details{width:100%}
.touch{display:none}
.wallet{gap:.5rem}.wallet .button{width:100%}
.fold{display:grid;gap:1rem}
summary{cursor:pointer;padding:.65rem 0;color:var(--line);border-radius:.4rem}
details[open]>*+*{margin:.25rem auto .75rem}
.seen{font-size:.9375rem}
.seen li{display:flex;justify-content:space-between;gap:1rem;padding:.6rem 0;border-top:1px solid var(--edge)}
.seen li:first-child{border-top:0}.seen li>:last-child{text-align:right;overflow-wrap:break-word}
.hash{font:400 .8125rem/1.5 ui-monospace,Consolas,monospace;color:var(--soft);word-break:break-all}
.bar{height:.5rem;width:100%;display:block;border-radius:1rem;background:var(--edge);overflow:hidden}
.bar rect{fill:var(--line)}
.actions{display:grid;gap:.75rem}
.pulse{flex:none;width:.65rem;height:.65rem;border-radius:50%;background:var(--line);margin:.45rem .2rem 0}
@media (prefers-reduced-motion:no-preference){.pulse{animation:pulse 1.8s ease-in-out infinite}.turn svg{animation:turn 1.4s linear infinite}}
@keyframes pulse{50%{opacity:.3}}
@keyframes turn{to{transform:rotate(1turn)}}
footer{padding-top:.5rem;padding-bottom:1.5rem;color:var(--soft);font-size:.875rem;display:grid;gap:.5rem}
footer ul{display:flex;flex-wrap:wrap;gap:0 1.25rem}
footer a,footer ul span{display:inline-block;padding:.6rem 0;color:var(--soft)}
footer ul span{color:var(--ink);font-weight:600}
@media (pointer:coarse){.touch{display:grid}details.touch{display:block}.wide{display:none}}
@media not all and (pointer:coarse){.wallet .button{background:none;border-color:var(--edge);color:var(--ink)}}
@media (min-width:30rem){.choice{flex-wrap:nowrap}.choice .far{flex:none;max-width:50%;padding:0;text-align:right}.panel{padding:1.75rem}.actions.two{grid-template-columns:1fr 1fr}}
@media (min-width:56rem){
header{padding-top:2.5rem;padding-bottom:2rem}
main{grid-template-columns:minmax(0,1fr) minmax(0,30rem);gap:3.5rem}
.way .codes{order:-1}
main.alone{grid-template-columns:minmax(0,36rem);justify-content:center;padding-top:5rem}
.summary{align-content:start;padding-top:.5rem}
.sum{font-size:3rem}
}
@media print{
:root{color-scheme:light}
body{background:#fff;color:#000;min-height:0}
.panel{border:0;box-shadow:none;padding:0}
button,.button,.copy,form,footer ul,details,.steps,.pulse,.codes p,.wallet{display:none}.wide{display:grid}
.note{border:1px solid #999;background:none!important;color:#000!important}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
main{display:block}.summary{margin-bottom:1.5rem}
.panel,.note,.rows>div{break-inside:avoid}
}`.replaceAll('\n', '')

const THEMES = {
  light:
    'color-scheme:light;--ink:#15201b;--soft:#56645d;--edge:#e0e5e2;--rim:#7d8983;--calm:#eef2f0;--good:#0a6b42;--good-ground:#e2f5ea;--warn:#6b4500;--warn-ground:#fff3d6;--bad:#96201a;--bad-ground:#fdeceb',
  dark: 'color-scheme:dark;--ink:#edf2ef;--soft:#a4b1aa;--edge:#2e3834;--rim:#75827b;--calm:#242c29;--good:#79dcab;--good-ground:#143225;--warn:#f4d58b;--warn-ground:#352b12;--bad:#ffb4ab;--bad-ground:#3f1d1a',
} as const

const sheets = new Map<string, string>()
const MOST_CACHED = 500

/** Returns the style sheet of a page with a merchant's accent, as one line. */
export const styleOf = (accent: string | undefined): string => {
  const cached = sheets.get(accent ?? '')
  if (cached !== undefined) return cached
  if (sheets.size >= MOST_CACHED) sheets.clear()
  const sheet = sheetOf(accent)
  sheets.set(accent ?? '', sheet)
  return sheet
}

const sheetOf = (accent: string | undefined): string =>
  `:root{${variables(accent, 'light')}}@media screen and (prefers-color-scheme:dark){:root{${variables(accent, 'dark')}}}${SHEET}`

const variables = (accent: string | undefined, theme: 'light' | 'dark'): string => {
  const { surface, on, line } = accentOf(accent, theme)
  const { panel, ground } = GROUNDS[theme]
  return `${THEMES[theme]};--panel:${panel};--ground:${ground};--surface:${surface};--on:${on};--line:${line}`
}
