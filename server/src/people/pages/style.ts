/**
 * Rules of the dashboard, beside those of every page: phone first, a side menu if there is space. The menu and the list
 * of merchants are popovers; where browsers have none, both are shown above the page.
 */
export const STYLE = `
header,footer{max-width:84rem}
main.alone{gap:1.25rem;padding-top:1rem}
.masthead{gap:.5rem .75rem;padding-top:.75rem;padding-bottom:.75rem;border-bottom:1px solid var(--edge)}
.masthead .mark{width:2.25rem;height:2.25rem;border-radius:.65rem;font-size:1rem}
.masthead .seller{flex:1 1 0;overflow-wrap:anywhere}
.masthead .open{min-height:2.75rem;padding:.4rem 1rem;flex:none}
.seek{min-height:2.75rem;min-width:2.75rem;padding:.4rem .75rem;flex:none;font-weight:400;color:var(--soft)}.seek svg{width:1.2rem;height:1.2rem}.seek kbd{display:none}
.palette{width:min(36rem,calc(100vw - 2rem));max-height:min(32rem,calc(100dvh - 4rem));margin:2rem auto auto;padding:.75rem;border:1px solid var(--edge);border-radius:1rem;background:var(--panel);color:var(--ink);box-shadow:0 12px 40px rgb(0 0 0/.25);overflow:auto}.palette::backdrop{background:rgb(0 0 0/.35)}
.palette [role=option]{padding:.6rem .75rem;min-height:2.75rem;border-radius:.6rem;cursor:pointer;overflow-wrap:anywhere}.palette [aria-selected=true]{background:var(--calm);font-weight:600}.palette [role=listbox]{margin-top:.5rem}
.switch{justify-content:flex-start;min-height:2.75rem;padding:.25rem .6rem;margin-left:-.35rem;border:0;border-radius:.6rem;background:none;color:inherit;text-align:left}
.switch:hover{background:var(--calm);filter:none}
.switch::after{content:"";flex:none;width:.5rem;height:.5rem;margin:-.2rem .2rem 0;border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(45deg)}
.skip{position:absolute;left:-99rem}.skip:focus{position:static;padding:.75rem 1rem}
.frame{width:100%;max-width:84rem;margin:0 auto;flex:1;display:grid;grid-template-columns:minmax(0,1fr);align-content:start}
.side,.drop{color:inherit;border:1px solid var(--edge);margin:0;padding:.5rem}
.side[popover]{display:block;position:static;width:auto;height:auto;overflow:visible;background:none;border-width:0 0 1px}
.drop[popover]{display:block;position:static;width:100%;height:auto;border:0;background:none}
@supports selector(:popover-open){.side[popover],.drop[popover]{position:absolute;inset:3.9rem .5rem auto;width:auto;max-width:22rem;max-height:calc(100dvh - 4.5rem);overflow:auto;background:var(--panel);border:1px solid var(--edge);border-radius:1rem;box-shadow:0 12px 40px rgb(0 0 0/.25)}.side[popover]{margin-left:auto}.side:not(:popover-open),.drop:not(:popover-open){display:none}}
@supports not selector(:popover-open){.open{display:none}}
.group{padding:.9rem .75rem .25rem;color:var(--soft);font-size:.8125rem;font-weight:600}
.side form{display:block}
.side a,.side button,.drop a{display:flex;align-items:center;min-height:2.75rem;padding:.4rem .75rem;border:0;border-radius:.6rem;background:none;color:var(--ink);font-weight:400;text-decoration:none}
.side a:hover,.side button:hover,.drop a:hover{background:var(--calm);filter:none}
.drop li:last-child{border-top:1px solid var(--edge);margin-top:.25rem;padding-top:.25rem}
.side button{width:100%;justify-content:flex-start}
.side a[aria-current]{background:var(--calm);font-weight:600}
.narrow{display:grid;grid-template-columns:minmax(0,1fr);gap:1.25rem;max-width:46rem}
.frame main{max-width:none;grid-template-columns:minmax(0,1fr);gap:1.25rem;padding-top:1.25rem}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
.top .button,.pager .button{min-height:2.75rem;padding:.4rem 1rem}
.live{display:contents}
.pager{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:center}h2+table{margin-top:.5rem}
.quote .count,.quote .ended,.quote.over .lasts{visibility:hidden}.quote.counts .count,.quote.over .ended{visibility:visible}
.count{margin-right:.6rem;font-variant-numeric:tabular-nums}
.stack{display:grid}.stack>*{grid-area:1/1}
table{width:100%;border-collapse:collapse;font-size:.9375rem}
th{color:var(--soft);font-size:.8125rem;font-weight:600;text-align:left}
th,dt,.tag{overflow-wrap:break-word}
th,td{padding:.55rem .4rem;border-bottom:1px solid var(--edge);vertical-align:top}
tbody tr:hover{background:var(--calm)}
td a{display:inline-block;min-height:1.5rem}
main:not(:has([data-passkey]:not([hidden]))) .fallback{background:var(--surface);border-color:var(--surface);color:var(--on)}
.num{text-align:right}
th.num+th:not(.num),td.num+td:not(.num){padding-left:1.5rem}
.amount,time{white-space:nowrap}.small{font-size:.8125rem;white-space:normal}
.words{overflow-wrap:break-word}
.far{display:none}
.tag{display:inline-block;border-radius:1rem;padding:.05rem .6rem;font-size:.8125rem;background:var(--calm);color:var(--ink)}
.tag.good{background:var(--good-ground);color:var(--good)}.tag.warn{background:var(--warn-ground);color:var(--warn)}.tag.bad{background:var(--bad-ground);color:var(--bad)}
select,input[type=search],input[type=date],input[type=password]{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rim);border-radius:.6rem;padding:.4rem .6rem;min-height:2.75rem;width:100%;min-width:0}
input[type=file]{width:100%;min-width:0;font-size:.9375rem;color:var(--soft)}::file-selector-button{font:inherit;font-weight:600;min-height:2.75rem;margin-right:.75rem;padding:.4rem 1rem;border:1px solid var(--edge);border-radius:.75rem;background:none;color:var(--ink);cursor:pointer}
.filters[open]>*+*{margin:.5rem 0 0}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.75rem}form .grid{align-items:end}
form.panel{padding:1rem 1.25rem;gap:.75rem;border-radius:1rem}
.find{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.5rem;align-items:end}
.find button,.ask button{min-height:2.75rem;padding:.4rem 1rem;justify-self:start}
pre{margin:0;padding:.75rem;max-height:26rem;overflow:auto;border:1px solid var(--edge);border-radius:.6rem;font:400 .8125rem/1.5 ui-monospace,Consolas,monospace}
ol.rows{gap:.75rem}.rows>li{min-width:0}
li.line,div.line{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;align-items:center}
ol.rows li.line{gap:.25rem .75rem;justify-content:flex-start}
li.one{flex-wrap:nowrap}.line>div{min-width:0;flex:1 1 12rem}.line button,.line .button,details.change button{min-height:2.75rem;padding:.4rem 1rem}
ul.rows>li{padding:.8rem 0;border-top:1px solid var(--edge)}ul.rows>li:first-child{border-top:0;padding-top:0}ul.rows>li:last-child{padding-bottom:0}
.field input,.field textarea{border-radius:.6rem}
details.change>summary{display:inline-block;min-height:2.75rem}details.change form+form{margin-top:1rem}
fieldset{min-width:0}
.check{display:flex;gap:.6rem;align-items:center;min-height:2.75rem;padding:.35rem 0}.check input{accent-color:var(--line);width:1.25rem;height:1.25rem;flex:none;margin:0}
.codes-list{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.5rem}
.chart{display:block;width:100%;height:10rem;border-bottom:1px solid var(--rim)}
.chart rect{fill:var(--line)}.chart polyline{fill:none;stroke:var(--line);stroke-width:2;vector-effect:non-scaling-stroke}.chart polygon{fill:var(--calm)}
.axis{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;font-size:.8125rem}
.time li{position:relative;padding:0 0 1rem 1.25rem;border-left:2px solid var(--edge)}
.time li::before{content:"";position:absolute;left:-.4rem;top:.45rem;width:.65rem;height:.65rem;border-radius:50%;background:var(--rim)}
.time li.good::before{background:var(--good)}.time li.bad::before{background:var(--bad)}
.time li:last-child{border-color:transparent;padding-bottom:0}
.time details{font-size:.9375rem}.time summary{padding:.25rem 0}
@media (min-width:48rem){.narrow form>button{justify-self:start;min-height:2.75rem}.far{display:table-cell}.near{display:none}.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.25rem;align-items:start}}
@media (min-width:60rem){.seek{margin-left:auto}.seek kbd{display:inline;font:inherit;font-size:.8125rem;padding:0 .35rem;border:1px solid var(--edge);border-radius:.35rem}.palette{margin-top:6rem}.masthead{padding-top:.85rem;padding-bottom:.85rem}.masthead .seller{flex:0 1 auto}.masthead .open{display:none}.frame{grid-template-columns:14rem minmax(0,1fr)}.side[popover]{display:block;position:static;max-width:none;max-height:none;overflow:visible;margin:0;padding:1rem .5rem 1rem 1rem;background:none;border:0;border-radius:0;box-shadow:none}.side ul{display:grid;gap:.1rem}.side a,.side button{min-height:2.5rem;font-size:.9375rem}.frame main{padding-left:1.5rem}}
@media (max-width:59.99rem){.seek{position:relative}.seek span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
@media (max-width:48rem){.two{display:grid;gap:1.25rem}}
@media (max-width:47.99rem){.cards thead,.pairs thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.cards,.pairs,.cards tbody,.pairs tbody,.pairs tr{display:block}.cards tr,.pairs tr{padding:.65rem .25rem;border-bottom:1px solid var(--edge)}.cards tbody tr:first-child,.pairs tbody tr:first-child{border-top:1px solid var(--edge)}.cards td,.pairs td{padding:0;border:0}.cards tr{display:grid;grid-template-columns:minmax(0,1fr) fit-content(50%);gap:.15rem .75rem}.cards tr:has(.long){grid-template-columns:minmax(0,1fr)}.cards td:first-child{grid-row:1/5}.cards tr:has(.long) td:first-child{grid-row:auto}.cards td{grid-column:2;text-align:right}.cards td:first-child,.cards tr:has(.long) td{grid-column:1}.cards td:first-child,.cards tr:has(.long) td:not(.num){text-align:left}.cards td.num{order:-1}.cards tr:has(.long) td.num{order:0}.pairs td{display:block}.pairs td.num{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}.pairs td.num::before{content:attr(data-label);color:var(--soft)}.cards td.far,.pairs td.far{display:none}.pair{flex-wrap:wrap;gap:0 1rem}.pair dd{margin-left:auto}}
@media print{.side[popover],.drop[popover],.open,.pager,.skip{display:none}}`.replaceAll('\n', '')
