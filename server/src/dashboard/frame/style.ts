/** Rules of the pages about a merchant, beside those of every page: phone first, a side navigation if there is room. */
export const STYLE = `
header,footer{max-width:84rem}
.skip{position:absolute;left:-99rem}.skip:focus{position:static;padding:.75rem 1rem}
.desk{width:100%;max-width:84rem;margin:0 auto;flex:1;display:grid;grid-template-columns:minmax(0,1fr);align-content:start}
.side{padding:0 .5rem .5rem;border-bottom:1px solid var(--edge)}
.side ul{display:flex;flex-wrap:wrap}
.side a,.side button{display:flex;align-items:center;min-height:2.75rem;padding:.4rem .75rem;border:0;border-radius:.6rem;background:none;color:var(--ink);font-weight:400;text-decoration:none}
.side a:hover,.side button:hover{background:var(--calm);filter:none}
.side button{width:100%;justify-content:flex-start}
.side a[aria-current]{background:var(--calm);font-weight:600}
.desk main{max-width:none;grid-template-columns:minmax(0,1fr);gap:1.25rem;padding-top:1.25rem}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
.top .button,.pager .button{min-height:2.75rem;padding:.4rem 1rem}
.pager{display:flex;flex-wrap:wrap;gap:.5rem}
table{width:100%;border-collapse:collapse;font-size:.9375rem}
th{color:var(--soft);font-size:.8125rem;font-weight:600;text-align:left}
th,dt,.tag{overflow-wrap:break-word}
th,td{padding:.55rem .4rem;border-bottom:1px solid var(--edge);vertical-align:top}
tbody tr:hover{background:var(--calm)}
td a{display:inline-block;min-height:1.5rem}
.num{text-align:right}
.unit{white-space:nowrap}
.words{overflow-wrap:break-word}
.far{display:none}
.tag{display:inline-block;border-radius:1rem;padding:.05rem .6rem;font-size:.8125rem;background:var(--calm);color:var(--ink)}
.tag.good{background:var(--good-ground);color:var(--good)}.tag.warn{background:var(--warn-ground);color:var(--warn)}.tag.bad{background:var(--bad-ground);color:var(--bad)}
select,input[type=search],input[type=date],input[type=password]{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rim);border-radius:.6rem;padding:.4rem .6rem;min-height:2.75rem;width:100%;min-width:0}
.filters[open]>*+*{margin:.5rem 0 0}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.75rem}
form.panel{padding:1rem 1.25rem;gap:.75rem;border-radius:1rem}
.find{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.5rem;align-items:end}
.find button,.ask button{min-height:2.75rem;padding:.4rem 1rem;justify-self:start}
pre{margin:0;padding:.75rem;max-height:26rem;overflow:auto;border:1px solid var(--edge);border-radius:.6rem;font:400 .8125rem/1.5 ui-monospace,Consolas,monospace}
ol.rows{display:grid;gap:.75rem;padding:0;list-style:none}
ol.rows .line{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:center}
.chart{display:block;width:100%;height:10rem;border-bottom:1px solid var(--rim)}
.chart rect{fill:var(--line)}.chart polyline{fill:none;stroke:var(--line);stroke-width:2;vector-effect:non-scaling-stroke}.chart polygon{fill:var(--calm)}
.axis{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;font-size:.8125rem}
.time li{position:relative;padding:0 0 1rem 1.25rem;border-left:2px solid var(--edge)}
.time li::before{content:"";position:absolute;left:-.4rem;top:.45rem;width:.65rem;height:.65rem;border-radius:50%;background:var(--rim)}
.time li.good::before{background:var(--good)}.time li.bad::before{background:var(--bad)}
.time li:last-child{border-color:transparent;padding-bottom:0}
.time details{font-size:.9375rem}
@media (min-width:48rem){.far{display:table-cell}.near{display:none}.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.25rem;align-items:start}}
@media (min-width:60rem){.desk{grid-template-columns:13rem minmax(0,1fr)}.side{border:0;padding-top:1rem}.side ul{display:grid;gap:.15rem}}
@media (max-width:48rem){.two{display:grid;gap:1.25rem}}
@media print{.side,.pager,.skip{display:none}}`.replaceAll('\n', '')
