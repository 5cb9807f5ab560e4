import type { Block, LetterParts } from './blocks.ts'

/** Renders a letter as plain text. */
export const plainOf = ({ sender, title, amount, blocks, footer }: LetterParts): string =>
  [sender, amount === null ? title : `${title}: ${amount}`, ...blocks.map(plainBlock), '--', footer]
    .join('\n\n')
    .replaceAll('\u00a0', ' ')

const plainBlock = (block: Block): string => {
  switch (block.kind) {
    case 'paragraph':
    case 'note':
      return block.text
    case 'facts':
      return block.facts.map(({ name, value }) => `${name}: ${value}`).join('\n')
    case 'button':
      return `${block.label}:\n${block.url}`
    case 'rows':
      return block.rows.map(({ title, amount, detail }) => `${amount}  ${title}\n  ${detail}`).join('\n')
  }
}
