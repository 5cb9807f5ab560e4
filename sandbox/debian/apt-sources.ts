/** Finds the machine's Debian mirror in apt's configuration, in both formats of sources.list(5). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface AptSource {
  readonly uri: string
  readonly suites: readonly string[]
  readonly components: readonly string[]
  /** A keyring file; if absent, apt's trusted keys are used. */
  readonly signedBy?: string
}

/** Returns the mirror of Debian itself, not of its security archive or of third-party packages. */
export function debianMirror(sources: readonly AptSource[]): AptSource | undefined {
  return sources.find(
    ({ uri, components }) => /^https?:\/\//.test(uri) && /\/debian\/?$/.test(uri) && components.includes('main'),
  )
}

/** Returns all sources of binary packages of the machine. */
export function readAptSources(etc = '/etc/apt'): AptSource[] {
  const parts = list(join(etc, 'sources.list.d')).sort()
  return [
    ...parseOneLine(read(join(etc, 'sources.list'))),
    ...parts
      .filter((name) => name.endsWith('.sources'))
      .flatMap((name) => parseDeb822(read(join(etc, 'sources.list.d', name)))),
    ...parts
      .filter((name) => name.endsWith('.list'))
      .flatMap((name) => parseOneLine(read(join(etc, 'sources.list.d', name)))),
  ]
}

/** `deb [option=value ...] uri suite component...` */
export function parseOneLine(text: string): AptSource[] {
  const found: AptSource[] = []
  for (const line of text.split('\n')) {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line)
    if (match === null) continue
    const [, options = '', uri = '', suite = '', components = ''] = match
    const signedBy = /(?:^|\s)signed-by=(\/\S+)/i.exec(options)?.[1]
    found.push({ uri, suites: [suite], components: words(components), ...(signedBy === undefined ? {} : { signedBy }) })
  }
  return found
}

/** Parses stanzas of `Field: value`, with continuation lines that begin with a space. */
export function parseDeb822(text: string): AptSource[] {
  const found: AptSource[] = []
  for (const stanza of withoutComments(text).split(/\n\s*\n/)) {
    const fields = new Map<string, string>()
    let last = ''
    for (const line of stanza.split('\n')) {
      const match = /^([\w-]+):\s*(.*)$/.exec(line)
      if (match !== null) fields.set((last = (match[1] ?? '').toLowerCase()), match[2] ?? '')
      else if (/^\s/.test(line)) fields.set(last, `${fields.get(last) ?? ''}\n${line.trim()}`)
    }
    if (!words(fields.get('types')).includes('deb') || fields.get('enabled')?.toLowerCase() === 'no') continue
    const keyring = fields.get('signed-by')?.trim()
    const signedBy = keyring?.startsWith('/') === true ? { signedBy: keyring } : {}
    for (const uri of words(fields.get('uris'))) {
      found.push({ uri, suites: words(fields.get('suites')), components: words(fields.get('components')), ...signedBy })
    }
  }
  return found
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
}

function words(text = ''): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
