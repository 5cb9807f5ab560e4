/** A copy of this machine's root in which a test types the commands of a page of docs/operating. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'

const pages = ['production', 'high-availability'].map((name) =>
  readFileSync(join(import.meta.dirname, `../../docs/operating/${name}.md`), 'utf8'),
)

/** The command lines of a code block of the pages, without comments. */
export const linesOf = (label: string): string[] =>
  pages
    .join('\n')
    .split(`\`\`\`${label}\n`)[1]!
    .split('```')[0]!
    .split('\n')
    .map((line) => line.replace(/\s+#\s.*$/, '').trim())
    .filter((line) => line !== '')

export interface Machine {
  /** Types one line, and waits for its end. */
  type(line: string): Promise<{ code: number; text: string }>
  /**
   * Types each line of a block of the page; each must succeed. @param here gives an example of the page its value here
   * @returns what they printed
   */
  typeAll(label: string, here?: (line: string) => string): Promise<string>
  /** Copies a file of another machine to the home of root. */
  take(path: string, from: Machine): Promise<void>
  end(): Promise<void>
}

/** @param folder of the packages and of JSON files, which are copied to the home of root */
export const startMachine = (folder: string): Machine => {
  const child = spawn('unshare', ['--mount', join(import.meta.dirname, 'setup-test.sh'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const type: Machine['type'] = async (line) => {
    child.stdin.write(`${line}\n`)
    const seen: string[] = []
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`the shell ended: ${seen.join('\n')}`)
      const code = /^exit (\d+)$/.exec(value)?.[1]
      if (code !== undefined) return { code: Number(code), text: seen.join('\n') }
      seen.push(value)
    }
  }
  return {
    type,
    typeAll: async (label, here = (line) => line) => {
      const texts: string[] = []
      for (const line of linesOf(label).map(here)) {
        const { code, text } = await type(line)
        expect(code, `${line}: ${text}`).toBe(0)
        texts.push(text)
      }
      return texts.join('\n')
    },
    take: async (path, from) => {
      const { text } = await from.type(`echo $(gzip -c ${path} | base64 -w0)`)
      const { code } = await type(`echo ${text} | base64 -d | gunzip > ${path.split('/').at(-1)!}`)
      expect(code).toBe(0)
    },
    end: async () => {
      child.stdin.end()
      await ended
    },
  }
}
