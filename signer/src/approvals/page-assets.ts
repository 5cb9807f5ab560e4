import { createHash } from 'node:crypto'

/** The style sheet of the page: one column, light and dark. */
export const STYLE = `:root{color-scheme:light dark;--ground:#f6f7f9;--panel:#fff;--ink:#14181f;--soft:#4d5666;--edge:#c9cfd9;--act:#0b5cad;--on:#fff;--bad:#a3161f}
@media(prefers-color-scheme:dark){:root{--ground:#12151a;--panel:#1b2027;--ink:#eef1f5;--soft:#b3bcca;--edge:#3a424f;--act:#8ec2ff;--on:#0c1420;--bad:#ff9a9f}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
header,main{max-width:44rem;margin:0 auto;padding:1rem}header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
h1{font-size:1.375rem;margin:0}h2{font-size:1.125rem;margin:1rem 0 .5rem}h3{font-size:1.625rem;line-height:1.2;margin:0 0 .75rem}p{margin:.5rem 0}section>:first-child{margin-top:0}section>:last-child{margin-bottom:0}
section{background:var(--panel);border:1px solid var(--edge);border-radius:1rem;padding:1.25rem;margin:0 0 1rem}
dl{margin:0 0 1rem;display:grid;gap:.5rem}dt{color:var(--soft);font-size:.9375rem}dd{margin:0}
.address,.print{font:1.0625rem/1.7 ui-monospace,monospace}.address span,.print span{margin-right:.6ch;white-space:nowrap}
button{font:inherit;font-weight:600;min-height:3rem;padding:.5rem 1.25rem;border-radius:.75rem;border:1px solid var(--act);background:var(--act);color:var(--on);cursor:pointer}
button.quiet{background:transparent;color:var(--act)}button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}.bad{color:var(--bad);font-weight:600}.soft{color:var(--soft)}form{margin:0}`

/**
 * The script of the page. It has the browser use or make a passkey for the form that is sent, and sends the answer with
 * the form. It makes no request of its own.
 */
export const SCRIPT = `const bytes=t=>Uint8Array.from(atob(t.replace(/-/g,'+').replace(/_/g,'/')),c=>c.charCodeAt(0))
const text=b=>btoa(String.fromCharCode(...new Uint8Array(b))).replace(/\\+/g,'-').replace(/\\//g,'_').replace(/=+$/,'')
const key=id=>({type:'public-key',id:bytes(id)})
async function answer({challenge,use,make}){
const options={challenge:bytes(challenge)}
if(make){const given=JSON.parse(make)
const made=await navigator.credentials.create({publicKey:{...options,rp:{id:given.rpId,name:given.rpName},user:{id:bytes(given.user),name:given.name,displayName:given.name},pubKeyCredParams:given.algorithms.map(alg=>({type:'public-key',alg})),authenticatorSelection:{residentKey:'required',userVerification:'required'},attestation:'none'}})
return{attestationObject:made.response.attestationObject,clientDataJSON:made.response.clientDataJSON}}
const given=JSON.parse(use)
const used=await navigator.credentials.get({publicKey:{...options,rpId:given.rpId,allowCredentials:given.credentials.map(key),userVerification:'required'}})
const{authenticatorData,clientDataJSON,signature}=used.response
return{credentialId:used.rawId,authenticatorData,clientDataJSON,signature}}
for(const form of document.querySelectorAll('form[data-challenge]'))form.addEventListener('submit',async event=>{
event.preventDefault()
const said=document.getElementById('said'),button=form.querySelector('button')
said.textContent='';button.disabled=true
try{for(const[name,value]of Object.entries(await answer(form.dataset)))form.elements[name].value=text(value);form.submit()}
catch{said.textContent=form.dataset.failed;button.disabled=false}})
addEventListener('pageshow',event=>{if(event.persisted)location.reload()})`

/** The policy of the page: its own script and style by their hashes, forms to itself, and nothing else. */
export const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  `script-src '${sourceOf(SCRIPT)}'`,
  `style-src '${sourceOf(STYLE)}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function sourceOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
