/** Writes the scripts of pages as texts to embed: `*.generated.ts`, from `web/checkout/island/`. */
import { stripTypeScriptTypes } from 'node:module'

const COMMENT = /^\s*(\/\*\*.*\*\/|\/\/.*|\/\*\*|\*.*)$/

/** Compiles TypeScript to JavaScript without types, comments and indentation, in its own scope. */
export const islandModule = (source: string, { file, name }: { file: string; name: string }): string => {
  const lines = quietly(() => stripTypeScriptTypes(source))
    .split('\n')
    .filter((line) => !COMMENT.test(line) && line.trim() !== '')
    .map((line) => line.trim().replaceAll(/ {2,}/g, ' '))
  const script = `(()=>{${lines.join('\n')}\n})()`
  if (script.includes('</script') || script.includes('<!--')) throw new Error('the script of a page would end it')
  return `/** Made by \`npm run generate\` of ${file}. */\nexport const ${name} = ${JSON.stringify(script)}\n`
}

/** Suppresses Node's warning that type stripping may change: this project's sources depend on it anyway. */
const quietly = (make: () => string): string => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return make()
  } finally {
    process.emitWarning = emitWarning
  }
}
